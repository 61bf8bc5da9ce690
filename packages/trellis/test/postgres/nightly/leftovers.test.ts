import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { start } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Starts a server, a service and a program with a child of its own, writes their ids to a file, and then runs the code `END`. */
const FILE = `import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { PostgresServer } from './support/postgres.ts';
import { start, startService } from './support/service.ts';
import { until } from './support/until.ts';

const server = await PostgresServer.create();
const service = await startService({ DATABASE_URL: server.url() });
const shell = start('sh', ['-c', 'sleep 600 & echo $!; wait'], {}, '.');
await until(() => shell.stdout());
const postgres = readFileSync(server.data + '/postmaster.pid', 'utf8').split('\\n')[0];
writeFileSync('pids.new', [process.pid, postgres, service.child.pid, shell.child.pid, shell.stdout()].join(' '));
renameSync('pids.new', 'pids');
END`;
const HANGS = "test('waits for ever', () => new Promise(() => undefined));";

/** Runs Jest in a copy of the project. With a second test file, it uses workers. */
async function runJest(end: string, hasWorkers: boolean) {
  const project = new Project();
  project.write(
    'packages/trellis/test/first.test.ts',
    FILE.replace('END', () => end),
  );
  if (hasWorkers)
    project.write('test/second.test.ts', "import { test } from '@jest/globals';\ntest('passes', () => {});");
  const args = ['node_modules/jest/bin/jest.js', 'test/(first|second).test.ts', '--maxWorkers=2'];
  const jest = start(process.execPath, args, {}, project.folder);
  const pids = join(project.folder, 'pids');
  await until(() => existsSync(pids)).catch((error: unknown) => {
    throw new Error(jest.stderr(), { cause: error });
  });
  const [worker = 0, ...started] = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
  expect([worker === jest.child.pid, started.length]).toEqual([!hasWorkers, 4]);
  return { jest, worker, started };
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

async function expectEnd(started: readonly number[]): Promise<void> {
  await until(() => !started.some(isAlive)).catch((error: unknown) => {
    const left = started.filter(isAlive);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    throw new Error(`left behind: ${left.join(' ')}`, { cause: error });
  });
}

test.each([
  ['throws at its top level', false],
  ['throws at its top level', true],
])('Jest ends all that a test file started when the file %s (in a worker: %j)', async (_, hasWorkers) => {
  const { jest, started } = await runJest("throw new Error('sabotage');", hasWorkers);
  await expectEnd(started);
  expect([await jest.ended, jest.stderr()]).toEqual([1, expect.stringContaining('sabotage')]);
});

test('all that a test file started ends with its worker when that is killed', async () => {
  const { jest, worker, started } = await runJest(HANGS, true);
  process.kill(worker, 'SIGKILL');
  await expectEnd(started);
  jest.child.kill('SIGKILL');
});

test.each(['SIGINT', 'SIGKILL'] as const)('all that a test file started ends when Jest gets %s', async (signal) => {
  const { jest, worker, started } = await runJest(HANGS, true);
  jest.child.kill(signal);
  await expectEnd([worker, ...started]);
});
