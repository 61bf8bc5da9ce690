import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { Client, startService } from 'trellis/testing';
import { sharedPostgres } from '../../support/postgres.ts';
import { Project } from '../../support/project.ts';
import { blocks, run } from '../../support/readme.ts';
import { apply, errors, TEMPLATE } from '../../support/recipe.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

// These tests follow docs/changing-tables.md on the template in a copy of the project, with rows of the version before.

const PAGE = 'changing-tables';
const project = new Project();
const main = pathToFileURL(join(project.folder, TEMPLATE, 'main.ts'));

const PLAIN = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };
const TITLED = { id: '7c1f6a9e-3a53-4f0b-9d0e-2f6f0c1f5a01', text: 'Garden: water: often' };
/** Texts with an empty part before or after the colon, which a recipe must not split. */
const BARE = [': x', 'Garden: '].map((text, at) => ({ id: PLAIN.id.replace(/.$/, String(at + 1)), text }));
const OLD = [PLAIN, TITLED, ...BARE];

interface Recipe {
  readonly heading: string;
  /** The old rows, as the service returns them after the recipe. */
  readonly shown: readonly object[];
  /** A new row. */
  readonly added: object;
}
const ID = '00000000-0000-4000-8000-000000000000';
const RECIPES: readonly Recipe[] = [
  {
    heading: 'A column renamed',
    shown: OLD.map(({ id, text }) => ({ id, words: text })),
    added: { id: ID, words: 'Repot the Ficus' },
  },
  {
    heading: 'A column split',
    shown: [PLAIN, { ...TITLED, title: 'Garden', text: 'water: often' }, ...BARE],
    added: { id: ID, title: 'Garden', text: 'Repot the Ficus' },
  },
  {
    heading: 'A required member that stored rows lack',
    shown: OLD.map((row) => ({ ...row, weight: 1n })),
    added: { id: ID, text: 'Repot the Ficus', weight: 9007199254740993n },
  },
];

describe.each(RECIPES)('the recipe of $heading', ({ heading, shown, added }) => {
  test('keeps the rows of the version before, on both engines', async () => {
    project.restore(TEMPLATE);
    const server = await sharedPostgres();
    const stores = [`sqlite:${join(temporaryFolder(), 'notes.db')}`, server.url(await server.createDatabase())];
    const tokens: string[] = [];
    for (const DATABASE_URL of stores) {
      await using service = await startService(main, { DATABASE_URL });
      const client = new Client(service);
      for (const note of OLD) expect(await client.send('POST', '/notes', note)).toMatchObject({ status: 201 });
      tokens.push(service.token);
    }

    for (const block of blocks(PAGE, heading, 'diff')) apply(project, block);
    const { code, stderr } = await run(project, `scripts/node packages/trellis/bin/trellis generate ${TEMPLATE}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(await errors(project)).toEqual([]);

    for (const [at, DATABASE_URL] of stores.entries()) {
      await using service = await startService(main, { DATABASE_URL });
      const client = new Client({ url: service.url, token: tokens[at] });
      for (const [index, { id }] of OLD.entries())
        expect(await client.send('GET', `/notes/${id}`)).toMatchObject({ status: 200, body: shown[index] });
      for (const replayed of [null, 'true']) {
        const { status, headers, body } = await client.send('POST', '/notes', added);
        expect([status, headers.get('Idempotent-Replayed'), body]).toEqual([201, replayed, added]);
      }
    }
  });
});
