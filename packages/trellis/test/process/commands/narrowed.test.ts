import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { items } from '../../services/items/index.ts';
import { YAML } from '../../support/app.ts';
import { place } from '../../support/item-store.ts';
import { runCommand } from '../../support/service.ts';

test('`export -` writes the rows to stdout, as without a file', async () => {
  const { run: command } = await place(3);
  const { code, stdout } = await command('export', '-');
  expect([code, stdout]).toEqual([0, (await command('export')).stdout]);
  expect(stdout.split('\n')).toHaveLength(4);
});

test('`export - | import --dry-run -` names the stored rows that a narrower contract refuses', async () => {
  const { database, environment, folder, run } = await place(2);
  using rows = new DatabaseSync(database);
  rows.prepare('insert into items (id, name) values (7, ?)').run('x'.repeat(800));
  const exported = await run('export', '-');
  const contract = join(folder, 'openapi.yaml');
  writeFileSync(contract, YAML.replace('maxLength: 1000', 'maxLength: 500'));
  const narrowed = { ...items, contract: pathToFileURL(contract) };
  const args = ['import', '--dry-run', '--rejects', 'rejects.ndjson', '-'];
  const { code, stdout, stderr } = await runCommand(args, environment, folder, narrowed, exported.stdout);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('2 valid, 1 refused');
  expect(readFileSync(join(folder, 'rejects.ndjson'), 'utf8')).toContain(
    'body.name must not have more than 500 characters',
  );
});
