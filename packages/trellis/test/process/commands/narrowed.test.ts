import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { place } from '../../support/item-store.ts';
import { run } from '../../support/readme.ts';

const CONTRACT = 'packages/trellis/test/services/items/openapi.yaml';

test('`export -` writes the rows to stdout, as without a file', async () => {
  const { run: command } = await place(3);
  const { code, stdout } = await command('export', '-');
  expect([code, stdout]).toEqual([0, (await command('export')).stdout]);
  expect(stdout.split('\n')).toHaveLength(4);
});

test('`export - | import --dry-run -` names the stored rows that a narrower contract refuses', async () => {
  const { database, folder } = await place(2);
  using rows = new DatabaseSync(database);
  rows.prepare('insert into items (id, name) values (7, ?)').run('x'.repeat(800));
  const project = new Project();
  project.edit(CONTRACT, 'maxLength: 1000', 'maxLength: 500');
  const command = `DATABASE_URL=sqlite:${database} scripts/node ${project.itemsMain}`;
  const rejects = join(folder, 'rejects.ndjson');
  const { stdout, stderr } = await run(
    project,
    `${command} export - | ${command} import --dry-run --rejects ${rejects} -; echo "ended \${PIPESTATUS[*]}"`,
  );
  expect(stdout).toMatch(/ended 0 1$/m);
  expect(stdout + stderr).toContain('2 valid, 1 refused');
  expect(readFileSync(rejects, 'utf8')).toContain('body.name must not have more than 500 characters');
});
