import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { type Layout, layoutOf } from '../packages/trellis/src/storage/layout.ts';
import { openStore } from '../packages/trellis/src/storage/open.ts';
import { readPostgresLocation } from '../packages/trellis/src/storage/postgres/location.ts';
import { plants } from '../src/index.ts';
import { sharedPostgres } from '../packages/trellis/test/support/postgres.ts';
import { Session } from '../packages/trellis/test/support/session.ts';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { LAYOUT, startPlantInstance } from './support.ts';

const STORES = join(ROOT, 'released/stores');
const RELEASES = readdirSync(STORES).filter((name) => !name.endsWith('.ndjson'));
const dumpOf = (release: string) => readFileSync(join(STORES, release, 'plants.sql'), 'utf8');
/** A version of the service after this one. */
const NEXT = layoutOf({
  ...plants,
  steps: { ...plants.steps, later: ({ schema }) => [schema.createIndex('plants_by_tag').on('plants').column('tag')] },
});

const server = await sharedPostgres();

async function onPostgres(release: string) {
  const name = await server.createDatabase();
  const query = (text: string) => server.query(text, name);
  await query(dumpOf(release));
  const location = readPostgresLocation(server.url(name));
  const open = async (layout: Layout = LAYOUT) => {
    const store = await openStore(layout, location, { create: true });
    try {
      const rows = (await Array.fromAsync(store.list('plants'))).flat().length;
      return { ...(await store.opened), rows };
    } finally {
      await store.close();
    }
  };
  const state = async () => [
    await query('select * from schema_version'),
    await query(`select table_name, column_name, data_type from information_schema.columns
      where table_schema = 'public' order by 1, 2`),
    await query("select to_regclass('schema_steps')::text as steps"),
  ];
  return { url: server.url(name), name, query, open, state };
}

test.each(RELEASES)(
  'refuses the dump of %s that was restored over a newer store, changes nothing, and opens it after the cure in the message',
  async (release) => {
    const { query, open, state } = await onPostgres(release);
    const { before: version, rows } = await open(NEXT);
    // What `pg_restore --clean` does: it leaves the tables that the dump does not know.
    await query(`drop table plants, tokens, schema_version; ${dumpOf(release)}`);
    const left = await state();
    for (const layout of [LAYOUT, NEXT]) {
      await expect(open(layout)).rejects.toMatchObject({
        name: 'StoreUnusable',
        message: expect.stringMatching(
          `^PostgreSQL at .* has schema ${version}, but its table schema_steps lists the steps of schema ${NEXT.version}: a dump of an older store was restored over a newer one, which left that table: drop schema_steps, then start again$`,
        ),
      });
      expect(await state()).toEqual(left);
    }
    await query('drop table schema_steps');
    expect(await open()).toMatchObject({ before: version, now: LAYOUT.version, rows });
    expect(await open(NEXT)).toMatchObject({ before: LAYOUT.version, now: NEXT.version, rows });
  },
);

test('refuses a store whose list of steps is shorter than its version says', async () => {
  const { query, open } = await onPostgres('692d905');
  await open(NEXT);
  await query("delete from schema_steps where name = 'service/later'");
  await expect(open(NEXT)).rejects.toThrow(
    `has schema ${NEXT.version}, but its table schema_steps lists the steps of schema ${LAYOUT.version}: only a part of a dump was restored, or one of the two was changed: restore the whole dump into an empty database`,
  );
});

test('opens a store that another process migrates after its version is read and before its steps are read', async () => {
  const { url, name, open } = await onPostgres('692d905');
  await open();
  await using other = await Session.open(url);
  await other.run('begin; lock table schema_steps in access exclusive mode');
  const opening = open(NEXT);
  await server.until("select from pg_locks where relation = 'schema_steps'::regclass and not granted", name);
  await other.run(`create index plants_by_tag on plants (tag); insert into schema_steps values ('service/later');
    update schema_version set version = ${NEXT.version}; commit`);
  expect(await opening).toMatchObject({ before: NEXT.version, now: NEXT.version, steps: [] });
});

test('writes nothing to a store on PostgreSQL whose columns are wrong after the missing steps', async () => {
  const { query, open, state } = await onPostgres('692d905');
  await query('alter table plants alter column tag type varchar(200)');
  const left = await state();
  const fault = 'has the column "tag" of plants as character varying(200), not as text: change it back';
  await expect(open()).rejects.toThrow(fault);
  expect(await state()).toEqual(left);
  await query('alter table plants alter column tag type text');
  expect(await open()).toMatchObject({ before: 1, now: LAYOUT.version });
});

test('refuses a store with a column of the operator that the next step makes, and says to drop it', async () => {
  const { query, open } = await onPostgres('692d905');
  await query('alter table tokens add column scopes text');
  await expect(open()).rejects.toThrow('has a column that the next step makes: drop it, then start again');
});

test('changes no byte of a database of another application on SQLite', async () => {
  const path = join(temporaryFolder(), 'other.db');
  {
    using other = new DatabaseSync(path);
    other.exec('create table x (y)');
  }
  const before = readFileSync(path, 'base64');
  await expect(openStore(LAYOUT, { engine: 'sqlite', path }, { create: true })).rejects.toThrow('another application');
  expect(readFileSync(path, 'base64')).toBe(before);
});

test('a first start that adds steps to the list of a store says so in the log', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  cpSync(join(STORES, '1fc20e7/plants.db'), path);
  const messages = [];
  for (let start = 1; start <= 2; start++) {
    const service = await startPlantInstance({ DATABASE_URL: `sqlite:${path}` });
    await service.stop();
    messages.push(service.log().filter(({ msg }) => msg === 'migrated the schema of the store'));
  }
  const version = LAYOUT.version;
  const steps = LAYOUT.steps.sqlite.map(({ name }) => name);
  expect(messages).toEqual([[expect.objectContaining({ from: 2, to: version, steps })], []]);
  expect(steps[0]).toMatch(/^marker\//);
});
