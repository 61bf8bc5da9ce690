import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { PostgresServer } from '../support/postgres.ts';
import { plantStore, ROOT, startService } from '../support/service.ts';
import { testWith } from '../support/skipping.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FULL = '/dev/full';
const noFull = existsSync(FULL) ? undefined : `there is no ${FULL} here`;
const SAID = /^plant-store: stdout cannot be written: ENOSPC: [^\n]*\n$/;

const server = await PostgresServer.create();
afterAll(() => server.remove());

/** Runs a command whose stdout is a full disk. */
function runFull(args: readonly string[], url: string, folder: string): Promise<{ code: number; stderr: string }> {
  const program = [process.execPath, join(ROOT, 'src/main.ts'), ...args];
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: url };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `"$@" > ${FULL}`, 'sh', ...program], { env, cwd: folder }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr });
    });
  });
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', (engine) => {
  testWith(noFull, 'token create leaves no token behind when stdout cannot be written', async () => {
    const folder = temporaryFolder();
    const url = engine === 'SQLite' ? `sqlite:${join(folder, 'plants.db')}` : server.url(await server.createDatabase());
    const failed = { code: 1, stderr: expect.stringMatching(SAID) };
    expect(await runFull(['token', 'create', 'app'], url, folder)).toEqual(failed);
    const listed = await plantStore(['token', 'list'], { DATABASE_URL: url }, folder);
    expect(listed.stdout).toMatch(/^NAME.*\n$/);
    // The store makes its first token still.
    const service = await startService({ DATABASE_URL: url });
    expect(service.token).not.toBe('');
    await service.stop();
    expect(await runFull(['token', 'list'], url, folder)).toEqual(failed);
  });
});

testWith(noFull, 'each command says in one line that stdout cannot be written, and exits with 1', async () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'plants.db')}`;
  writeFileSync(join(folder, 'plants.ndjson'), '{"id":1,"name":"Ginkgo"}\n{"id":2,"name":"Ficus"}\n');
  const commands = [
    ['migrate'],
    ['import', 'plants.ndjson'],
    ['export'],
    ['export', '--format', 'csv'],
    ['remove', '1'],
    ['backup', 'copy.db'],
    ['restore', 'copy.db', '--force'],
    ['--help'],
    ['--version'],
  ];
  for (const args of commands) {
    const { code, stderr } = await runFull(args, url, folder);
    expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringMatching(SAID) });
  }
});
