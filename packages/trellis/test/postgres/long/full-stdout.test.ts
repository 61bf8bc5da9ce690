import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { sharedPostgres } from '../../support/postgres.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { ITEMS, runCommand, start, startInstance } from '../../support/service.ts';

const FULL = '/dev/full';
const noFull = existsSync(FULL) ? undefined : `there is no ${FULL} here`;
const FAILED = { code: 1, stderr: expect.stringMatching(/^item-store: stdout cannot be written: ENOSPC: [^\n]*\n$/) };

const server = await sharedPostgres();

/** Runs a command with /dev/full as its stdout. */
async function runFull(args: readonly string[], url: string, folder: string) {
  const program = [process.execPath, ITEMS.main, ...args];
  const started = start('sh', ['-c', `exec "$@" > ${FULL}`, 'sh', ...program], { DATABASE_URL: url }, folder);
  return { code: await started.ended, stderr: started.stderr() };
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', (engine) => {
  testWith(noFull, 'token create leaves no token behind when stdout cannot be written', async () => {
    const folder = temporaryFolder();
    const url = engine === 'SQLite' ? `sqlite:${join(folder, 'items.db')}` : server.url(await server.createDatabase());
    expect(await runFull(['token', 'create', 'app'], url, folder)).toEqual(FAILED);
    if (engine === 'SQLite') {
      const acts = readFileSync(join(folder, 'items.db.acts.ndjson'), 'utf8').trim().split('\n');
      expect(acts.map((line) => (JSON.parse(line) as { act: string }).act).slice(-2)).toEqual([
        'token created',
        'token revoked',
      ]);
    }
    const listed = await runCommand(['token', 'list'], { DATABASE_URL: url }, folder);
    expect(listed.stdout).toMatch(/^NAME.*\n$/);
    // The service makes a first token, because its store never had a token.
    const service = await startInstance({ DATABASE_URL: url });
    expect(service.token).not.toBe('');
    await service.stop();
  });
});

testWith(noFull, 'each command says in one line that stdout cannot be written, and exits with 1', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), '{"id":1,"name":"Ginkgo"}\n{"id":2,"name":"Ficus"}\n');
  const backups = ['backup copy.db', 'restore copy.db --force'];
  const lines = ['migrate', 'import items.ndjson', 'export', 'remove 1', 'token list', ...backups, '--help'];
  for (const line of lines) {
    const ended = await runFull(line.split(' '), `sqlite:${join(folder, 'items.db')}`, folder);
    expect({ line, ...ended }).toEqual({ line, ...FAILED });
  }
});
