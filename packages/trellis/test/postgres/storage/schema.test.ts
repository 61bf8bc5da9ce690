import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openStore, type StoreLocation } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import { SQL_TYPES } from '../../../src/storage/tables.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../../services/items/index.ts';

const server = await sharedPostgres();

/** Makes the location of a new store, and a function that runs an operator's statement on it. */
type Make = () => Promise<{ location: StoreLocation; run: (statement: string) => unknown }>;

const onSqlite: Make = () => {
  const path = join(temporaryFolder(), 'items.db');
  const run = (statement: string) => {
    using database = new DatabaseSync(path);
    database.exec(statement);
  };
  return Promise.resolve({ location: { engine: 'sqlite', path }, run });
};
const onPostgres: Make = async () => {
  const name = await server.createDatabase();
  return { location: readPostgresLocation(server.url(name)), run: (statement) => server.query(statement, name) };
};

test.each(
  [
    { engine: 'SQLite', make: onSqlite, types: SQL_TYPES.sqlite, drop: 'drop table items' },
    { engine: 'PostgreSQL', make: onPostgres, types: SQL_TYPES.postgres, drop: 'drop table items cascade' },
  ].flatMap(({ engine, make, types: { text, bytes, int64 }, drop }) => {
    const anew = (columns: string) => `${drop}; create table items (id ${int64} primary key, ${columns})`;
    const [back, again] = ['change it back', 'make it again, or restore a backup'];
    return [
      ['no table of tokens', 'drop table tokens', 'lacks the table tokens', again],
      ['no column of tags', 'alter table items drop column tag', `lacks the column "tag" of items, ${text}`, again],
      ['no column of names', anew('tag text'), `lacks the column "name" of items, ${text} not null`, again],
      [
        'a column of another type',
        anew(`name text not null, tag ${bytes}`),
        `has the column "tag" of items as ${bytes}, not as ${text}`,
        back,
      ],
      [
        'a nullable column that must be not null',
        anew('name text, tag text'),
        `has the column "name" of items as ${text}, not as ${text} not null`,
        back,
      ],
      [
        'a not null column that must be nullable',
        anew('name text not null, tag text not null'),
        `has the column "tag" of items as ${text} not null, not as ${text}`,
        back,
      ],
      [
        'no key',
        `${drop}; create table items (id ${int64} not null, name text not null, tag text)`,
        'has items with the primary key (), not (id)',
        back,
      ],
      [
        'a larger key',
        `${drop}; create table items (id ${int64} not null, name text not null, tag text, primary key (id, name))`,
        'has items with the primary key (id,name), not (id)',
        back,
      ],
      [
        'a further column that each row must fill',
        anew(`name text not null, tag text, height ${int64} not null`),
        `has the column "height" of items as ${int64} not null, which no create fills`,
        'give it a default, let it be null, or drop it',
      ],
    ].map(([what = '', statement = '', message = '', cure = '']) => ({ engine, make, what, statement, message, cure }));
  }),
)('refuses a store on $engine with $what, and reports the difference', async ({ make, statement, message, cure }) => {
  const { location, run } = await make();
  await (await openStore(LAYOUT, location, { create: true })).close();
  await run(statement);
  for (const create of [true, false]) {
    await expect(openStore(LAYOUT, location, { create })).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringMatching(
        new RegExp(`${RegExp.escape(`${message}: ${cure}`)}; after a change of the tables, add a step$`, 'i'),
      ),
    });
  }
});

const ENGINES = [
  { engine: 'SQLite', make: onSqlite },
  { engine: 'PostgreSQL', make: onPostgres },
];

test.each(ENGINES)('opens a store on $engine with further columns that a create may leave out', async ({ make }) => {
  const { location, run } = await make();
  const more = ['height int', 'width int not null default 1'].map((each) => `alter table items add column ${each}`);
  const store = await openStore(LAYOUT, location, { create: true });
  await run(more.join(';'));
  await store.ready();
  await store.close();
  const again = await openStore(LAYOUT, location, { create: true });
  await again.ready();
  expect(await again.create('items', { id: 1n, name: 'x' })).toBe('created');
  await again.close();
});

test.each([
  {
    engine: 'PostgreSQL',
    make: onPostgres,
    change: 'alter table items add column height bigint not null',
    back: 'alter table items drop column height',
    message: 'has the column "height" of items as bigint not null, which no create fills',
  },
  {
    engine: 'PostgreSQL',
    make: onPostgres,
    change: 'alter table items alter column name type varchar(200)',
    back: 'alter table items alter column name type text',
    message: 'has the column "name" of items as character varying(200) not null, not as text not null: change it back',
  },
  {
    engine: 'SQLite',
    make: onSqlite,
    change:
      'alter table items rename to other; create table items (id integer primary key, name text, tag text) strict',
    back: 'drop table items; alter table other rename to items',
    message: 'has the column "name" of items as TEXT, not as TEXT not null: change it back',
  },
])('a store on $engine is not ready, nor opened again, after: $change', async ({ make, change, back, message }) => {
  const { location, run } = await make();
  const store = await openStore(LAYOUT, location, { create: true });
  await store.ready();
  await run(change);
  const said = { message: expect.stringContaining(message) };
  await expect(store.ready()).rejects.toMatchObject(said);
  await expect(openStore(LAYOUT, location, { create: true })).rejects.toMatchObject(said);
  await run(back);
  await store.ready();
  await store.close();
});
