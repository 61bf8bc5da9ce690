import { TestEnvironment } from 'jest-environment-node';

// When Jest is killed, its workers stay as long as their tests wait for something. No listener for `disconnect`, as that
// would keep each worker from ending in order.
if (process.connected) setInterval(() => process.connected || process.exit(1), 1000).unref();

const workerPostgres = async () => await (await import('./postgres.ts')).sharedPostgres();

/** Jest's environment with a clean-up of its own: Jest runs no `afterAll` of a file that throws at its top level. */
export default class Environment extends TestEnvironment {
  /** Whether the tests of this file use the server of the worker. */
  private usesPostgres = false;
  private readonly callbacks: (() => void | Promise<void>)[] = [];
  private readonly isOfOutsider: boolean;

  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    this.isOfOutsider = given[1].testPath.includes('/examples/');
  }

  override async setup(): Promise<void> {
    await super.setup();
    // Those tests import nothing of this folder: `trellis/testing` reads the variable.
    if (this.isOfOutsider) {
      this.usesPostgres = true;
      this.global.process.env['TEST_DATABASE_URL'] = (await workerPostgres()).url();
    }
    this.global['atFileEnd'] = this.callbacks.push.bind(this.callbacks);
    // All files of a worker share this module, and so the server of the module that it loads: tests load one of their own.
    this.global['workerPostgres'] = async () => {
      this.usesPostgres = true;
      return await workerPostgres();
    };
  }

  override async teardown(): Promise<void> {
    for (const callback of this.callbacks.toReversed()) await callback();
    if (this.usesPostgres) await (await workerPostgres()).dropDatabases();
    await super.teardown();
  }
}
