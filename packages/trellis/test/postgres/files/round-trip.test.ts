import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toNdjson } from '../../../src/files/records.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { seedOr } from '../../support/seed.ts';
import { runCommand, runProcess } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { itemsOfAllKinds } from '../../engine/files/items.ts';

const server = await sharedPostgres();

test('import and export keep items of all kinds unchanged, in both formats and on both engines', async () => {
  const folder = temporaryFolder();
  const sqlite = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}` };
  const postgres = { DATABASE_URL: server.url(await server.createDatabase()) };
  const items = new Map(
    fc
      .sample(itemsOfAllKinds, { numRuns: 50, seed: seedOr(20_260_400) })
      .flatMap((some) => some.map((item) => [item.id, item])),
  );
  writeFileSync(join(folder, 'given.ndjson'), [...items.values()].map(toNdjson).join(''));
  const run = async (environment: typeof sqlite, ...args: readonly string[]) => {
    expect(await runCommand(args, environment, folder)).toMatchObject({ code: 0, stderr: '' });
  };
  await run(sqlite, 'import', 'given.ndjson');
  await run(sqlite, 'export', 'first.csv');
  await run(postgres, 'import', 'first.csv');
  await run(postgres, 'export', 'second.ndjson');
  await run(postgres, 'export', 'second.csv');
  const sorted = [...items.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  expect(items.size).toBeGreaterThan(70);
  expect(readFileSync(join(folder, 'second.ndjson'), 'utf8')).toBe(sorted.map(toNdjson).join(''));
  expect(readFileSync(join(folder, 'second.csv'))).toEqual(readFileSync(join(folder, 'first.csv')));
});

test('an export during an import writes the items that the store had at one moment', async () => {
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}` };
  const lines = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"name":"x"}\n`);
  writeFileSync(join(folder, 'items.ndjson'), lines.join(''));
  expect((await runCommand(['migrate'], environment, folder)).code).toBe(0);
  const imported = runProcess(['import', 'items.ndjson'], environment, folder);
  const over = new AbortController();
  void imported.finally(() => {
    over.abort();
  });
  for (let turn = 0; !over.signal.aborted; turn++) {
    const name = `${turn}.ndjson`;
    expect(await runCommand(['export', name], environment, folder)).toEqual({ code: 0, stdout: '', stderr: '' });
    const exported = readFileSync(join(folder, name), 'utf8');
    // The import stores the lines of the file in order, so an export must have the first lines and no others.
    expect(exported).toBe(lines.slice(0, exported.split('\n').length - 1).join(''));
  }
  expect(await imported).toMatchObject({ code: 0 });
});
