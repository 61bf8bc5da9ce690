import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openStore, type StoreLocation } from '../../../src/framework/storage/open.ts';
import { readPostgresLocation } from '../../../src/framework/storage/postgres/location.ts';
import { SQL_TYPES } from '../../../src/framework/storage/tables.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { LAYOUT } from '../items/index.ts';

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
    return [
      ['no table of tokens', 'drop table tokens', 'lacks the table tokens'],
      ['no column of tags', 'alter table items drop column tag', `lacks the column "tag" of items, ${text}`],
      ['no column of names', anew('tag text'), `lacks the column "name" of items, ${text} not null`],
      [
        'a column of another type',
        anew(`name text not null, tag ${bytes}`),
        `has the column "tag" of items as ${bytes}, not as ${text}`,
      ],
      [
        'a nullable column that must be not null',
        anew('name text, tag text'),
        `has the column "name" of items as ${text}, not as ${text} not null`,
      ],
      [
        'a not null column that must be nullable',
        anew('name text not null, tag text not null'),
        `has the column "tag" of items as ${text} not null, not as ${text}`,
      ],
      [
        'no key',
        `${drop}; create table items (id ${int64} not null, name text not null, tag text)`,
        'has items with the primary key (), not (id)',
      ],
      [
        'a larger key',
        `${drop}; create table items (id ${int64} not null, name text not null, tag text, primary key (id, name))`,
        'has items with the primary key (id,name), not (id)',
      ],
    ].map(([what = '', statement = '', message = '']) => ({ engine, make, what, statement, message }));
  }),
)('refuses a store on $engine with $what, and reports the difference', async ({ make, statement, message }) => {
  const { location, run } = await make();
  await (await openStore(LAYOUT, location, { create: true })).close();
  await run(statement);
  for (const create of [true, false]) {
    await expect(openStore(LAYOUT, location, { create })).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringMatching(
        new RegExp(`${RegExp.escape(message)}: restore a backup; after a change of the tables, add a step$`, 'i'),
      ),
    });
  }
});
