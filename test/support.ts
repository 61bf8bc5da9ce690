import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { layoutOf } from '../packages/trellis/src/storage/layout.ts';
import { plants } from '../src/index.ts';
import { startApp, type TestApp } from '../packages/trellis/test/support/app.ts';
import {
  type Environment,
  type Instance,
  type Program,
  quoted,
  ROOT,
  runCommand,
  type Service,
  startInstance,
  startService,
} from '../packages/trellis/test/support/service.ts';

// The plant store, for the helpers of packages/trellis/test/support.

/** The plant store as a process. */
export const PLANTS: Program = {
  service: plants,
  main: join(ROOT, 'src/main.ts'),
  path: '/plants',
  conflict: 40011,
};
const MAIN = PLANTS.main;

export const YAML = readFileSync(plants.contract, 'utf8');

/** The tables and the steps of its stores. */
export const LAYOUT = layoutOf(plants);

const { components } = parse(YAML) as {
  components: { schemas: { Error: { properties: { error: { 'x-error-numbers': Record<string, string> } } } } };
};
/** The meaning of each error number in openapi.yaml. */
export const ERROR_NUMBERS = components.schemas.Error.properties.error['x-error-numbers'];

/** Runs the shell command of a directive of the backup unit, in a folder. */
export function runBackupLine(directive: 'ExecStart' | 'ExecStartPost', folder: string, env = process.env): void {
  const unit = readFileSync(join(ROOT, 'deploy/plant-store-backup.service'), 'utf8');
  const [, line = 'exit 99'] = new RegExp(`^${directive}=\\+?/bin/sh -euc '(.*)'$`, 'm').exec(unit) ?? [];
  const here = line
    .replaceAll('%%', '%')
    .replaceAll('/opt/plant-store', quoted(ROOT))
    .replace(/cd \/var\/lib\/[\w/-]+/, `cd ${quoted(folder)}`);
  execFileSync('sh', ['-euc', here], { env, stdio: 'pipe' });
}

/** Writes the file that tells node_exporter of a backup. @returns its text */
export function tellBackup(folder: string): string {
  runBackupLine('ExecStartPost', folder);
  return readFileSync(join(folder, 'plant-store.prom'), 'utf8');
}

/** Starts the plant store in this process, without settings. */
export function startPlantApp(options: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  // A test that replaces one operation leaves the others, also those that a change of the contract has added.
  return startApp({ service: plants, ...options, operations: { ...PLANTS.service.operations, ...options.operations } });
}

/** Starts the plant store in this process, with these settings. */
export function startPlantInstance(environment: Environment = {}): Promise<Instance> {
  return startInstance(environment, plants);
}

/** Starts the plant store as a process. */
export function startPlants(
  environment: Environment = {},
  cwd = ROOT,
  main = MAIN,
  stage: 'listening' | 'ready' = 'ready',
): Promise<Service> {
  return startService(environment, cwd, main, stage);
}

/** Runs a command of the plant store to its end, in this process. */
export function plantStore(
  args: readonly string[],
  environment: Environment,
  cwd = ROOT,
): ReturnType<typeof runCommand> {
  return runCommand(args, environment, cwd, plants);
}

/** Sends a plant as JSON text, because a JavaScript number would lose digits of a large id. */
export function createPlant(
  { url, token }: { readonly url: string; readonly token: string },
  body: string | Uint8Array<ArrayBuffer>,
  headers: Environment = {},
): Promise<Response> {
  return fetch(`${url}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
}
