import { join, relative } from 'node:path';
import { ModuleMocker } from 'jest-mock';
import type { TestFile } from '../../../contract/test/support/temporary.ts';

// When Jest is killed, its workers stay as long as their tests wait for something. No listener for `disconnect`, as that
// would keep each worker from ending in order.
if (process.connected) setInterval(() => process.connected || process.exit(1), 1000).unref();

const workerPostgres = async () => await (await import('./postgres.ts')).lastingPostgres();
const ROOT = join(import.meta.dirname, '../../../..');
const exit = process.exit.bind(process);

/**
 * Jest's environment of a test file, in Node itself (runtime.ts), with a clean-up of its own: Jest runs no `afterAll` of a
 * file that throws at its top level.
 */
export default class Environment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  /** Whether the tests of this file use the server of the worker. */
  private usesPostgres = false;
  private readonly callbacks: (() => void | Promise<void>)[] = [];
  private readonly isOfOutsider: boolean;
  private readonly variables = { ...process.env };

  private readonly path: string;
  private measured: (() => Promise<void>) | undefined;

  constructor(_config: unknown, { testPath }: { readonly testPath: string }) {
    this.path = relative(ROOT, testPath);
    this.isOfOutsider = testPath.includes('/examples/');
  }

  /** For the modules of the test file. */
  readonly testFile: TestFile = {
    atEnd: (callback) => void this.callbacks.push(callback),
    // This module's instance of postgres.ts is one for all files of a worker; each test file loads an instance of its own.
    postgres: async () => {
      this.usesPostgres = true;
      return await workerPostgres();
    },
  };

  async setup(): Promise<void> {
    const { TESTS_MEASURED: into } = process.env;
    if (into !== undefined) this.measured = await (await import('./measured.ts')).measure(this.path, into);
    // The tests of examples import nothing of this folder: `trellis/testing` reads the variable.
    if (this.isOfOutsider) process.env['TEST_DATABASE_URL'] = (await this.testFile.postgres()).url();
  }

  async teardown(): Promise<void> {
    // Jest has replaced it by a function of its own.
    process.exit = exit;
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.variables);
    for (const callback of this.callbacks.toReversed()) await callback();
    if (this.usesPostgres) await (await workerPostgres()).dropDatabases();
    await this.measured?.();
  }

  exportConditions(): string[] {
    return [];
  }

  getVmContext(): null {
    return null;
  }
}
