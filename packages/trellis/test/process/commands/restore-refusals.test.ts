import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { int64, type Step, table } from 'trellis';
import { layoutOf } from '../../../src/storage/layout.ts';
import { backUp } from '../../../src/storage/sqlite/backup.ts';
import { migrate } from '../../../src/storage/sqlite/migrations.ts';
import { items } from '../../services/items/index.ts';
import { createItem, startService } from '../../support/service.ts';
import { inWords, look, place } from '../../support/item-store.ts';

const TOKENS =
  'hash blob primary key, name text not null, created_at integer not null, expires_at integer, revoked_at integer';
const ANOTHER = 'than its steps make: change it back, or';
const LACKS = 'make it again, or';
const other = (table: string, columns: string) => `drop table ${table}; create table ${table} (${columns})`;

/** Backups of a store that are wrong in one thing, the SQL that makes each so, and the fault that the message names. */
const WRONG: readonly [string, string, string][] = [
  ['no table of tokens', 'drop table tokens', `lacks the table tokens: ${LACKS}`],
  ['no table of items', 'drop table items', `lacks the table items: ${LACKS}`],
  ['no index', 'drop index tokens_in_use', `lacks the index tokens_in_use: ${LACKS}`],
  [
    'an index on another column',
    'drop index tokens_in_use; create index tokens_in_use on tokens (hash)',
    `has another index tokens_in_use ${ANOTHER}`,
  ],
  ['no column of tags', 'alter table items drop column tag', `lacks the column "tag" of items, TEXT: ${LACKS}`],
  [
    'a further column that each row must fill',
    other('items', 'id integer primary key, name text not null, tag text, height integer not null) strict; --'),
    'has the column "height" of items as INTEGER not null, which no create fills: give it a default, let it be null, or drop it',
  ],
  [
    'ids that may repeat',
    other('items', 'id integer not null, name text not null, tag text) strict; --'),
    'has items with the primary key (), not (id): change it back',
  ],
  [
    'tables that are not strict',
    other('items', 'id integer primary key, name text not null, tag text'),
    `has another table items ${ANOTHER}`,
  ],
  [
    'tables of schema 1',
    other(
      'tokens',
      `${TOKENS}) strict; create unique index tokens_in_use on tokens (name) where revoked_at is null; --`,
    ),
    `lacks the column "scopes" of tokens, TEXT not null: ${LACKS}`,
  ],
  [
    'a unique index more',
    'create unique index one_name on items (name)',
    'has the index one_name, which no store of item-store has: drop it, or',
  ],
  [
    'a trigger',
    'create trigger empty after insert on items begin delete from items; end',
    'has the trigger empty, which no store of item-store has: drop it, or',
  ],
  [
    'a trigger of another table',
    'create table others (text); create trigger empty after insert on others begin delete from items; end',
    'has the trigger empty, which no store of item-store has: drop it, or',
  ],
  [
    'a view',
    'create view all_items as select * from items',
    'has the view all_items, which no store of item-store has: drop it, or',
  ],
  [
    'a view in place of a table',
    'alter table items rename to hidden; create view items as select * from hidden',
    `lacks the table items: ${LACKS}`,
  ],
  ['schema 0', 'pragma user_version = 0', 'is not a store of item-store'],
  ['a negative schema', 'pragma user_version = -1', 'is not a store of item-store'],
  [
    'a foreign key that leads nowhere',
    "pragma foreign_keys = off; insert into notes values (-5, 'x', 'y')",
    'has a row of notes (rowid 1) whose foreign key leads to no row of items: mend or delete that row, or',
  ],
  ['no mark', 'pragma application_id = 0', 'is not a store of item-store'],
];

/** The end of the message. */
function cureOf(fault: string): string {
  const isOfColumns = /lacks the (?:table|column)|has the column|with the primary key/.test(fault);
  const otherwise = fault.endsWith('or') ? ' restore another backup' : isOfColumns ? '' : ': restore another backup';
  return otherwise + (isOfColumns ? '; after a change of the tables, add a step' : '');
}

test('restore refuses a backup with any other tables, and leaves the store and its log byte for byte as they were', async () => {
  const { folder, database, environment, run } = await place(3);
  await run('backup', 'good.db');
  // A killed service leaves items in the log, which no refused restore may touch.
  const service = await startService(environment);
  expect((await createItem(service, '{"id":9007199254740993,"name":"in the log"}')).status).toBe(200);
  service.child.kill('SIGKILL');
  await service.ended;
  const files = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('items.db'))
      .map((name) => [name, readFileSync(join(folder, name), 'base64')]);
  const before = files();
  for (const [what, change, fault] of WRONG) {
    cpSync(join(folder, 'good.db'), join(folder, 'wrong.db'));
    {
      using wrong = new DatabaseSync(join(folder, 'wrong.db'));
      wrong.exec(change);
    }
    const { code, stdout, stderr } = await run('restore', 'wrong.db', '--force');
    expect({ what, code, stdout, stderr }).toEqual({
      what,
      code: 1,
      stdout: '',
      stderr: `item-store: the database wrong.db ${fault}${cureOf(fault)}\n`,
    });
    expect(files()).toEqual(before);
  }
  expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
  expect(look(database)).toBe(4);
});

test.each([
  ['lacks the table tokens', 'drop table tokens'],
  ['lacks both tables', 'drop table tokens; drop table items'],
  ['has a newer schema', 'pragma user_version = 99'],
  ['has lost its schema', 'drop table schema_steps; pragma user_version = 0'],
])('restore --force replaces a store that %s and that no command opens', async (_what, change) => {
  const { folder, database, run } = await place(3);
  await run('backup', 'good.db');
  {
    using destroyed = new DatabaseSync(database);
    destroyed.exec(change);
  }
  const one = expect.stringMatching(
    /^item-store: the database .+: (.*restore a backup|install a newer item-store).*\n$/,
  );
  expect(await run('migrate')).toEqual({ code: 1, stdout: '', stderr: one });
  if (!change.includes('table items')) expect((await run('restore', 'good.db')).stderr).toMatch(/restore with --force/);
  expect((await run('restore', 'good.db', '--force')).stderr).toBe('');
  expect(look(database)).toBe(3);
  expect((await run('token', 'list')).code).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(['good.db', 'good.db.sha256', 'items.db', 'items.db.acts.ndjson']);
});

test('backup refuses a store with a trigger, which restore would refuse', async () => {
  const { database, folder, run } = await place(3);
  {
    using changed = new DatabaseSync(database);
    changed.exec('create trigger gone after insert on items begin delete from tokens; end');
  }
  expect((await run('backup', 'copy.db')).stderr).toBe(
    `item-store: the database ${database} has the trigger gone, which no store of item-store has: drop it, or restore a backup\n`,
  );
  expect(readdirSync(folder)).not.toContain('copy.db');
});

test('backup and restore keep the columns and the constraints that an operator has added', async () => {
  const { database, folder, run } = await place(3);
  {
    using changed = new DatabaseSync(database);
    changed.exec(`pragma foreign_keys = off;
      create table made (id integer primary key, name text not null check (name <> 'weed'), tag text) strict;
      insert into made select * from items; drop table items; alter table made rename to items`);
    changed.exec('alter table items add column height integer; alter table items add column w int not null default 1');
    changed.exec('update items set height = 5');
  }
  expect((await run('backup', 'copy.db')).stderr).toBe('');
  expect((await run('restore', 'copy.db', '--force')).stderr).toBe('');
  using restored = new DatabaseSync(database);
  expect(restored.prepare('select distinct height, w from items').all()).toEqual([{ height: 5, w: 1 }]);
  expect(() => {
    restored.exec("update items set name = 'weed'");
  }).toThrow('CHECK');
  expect(readdirSync(folder)).toContain('copy.db');
});

test('restore without --force deletes no row of a table that `records` does not list', async () => {
  const { database, run } = await place();
  await run('backup', 'copy.db');
  {
    using filled = new DatabaseSync(database);
    filled.exec(
      "insert into members values ('a', 'b', 'guest', '[]', 0, 1, null), ('b', 'c', 'guest', '[]', 0, 1, null)",
    );
  }
  const refused = `the store has ${inWords(0, 2)}, which the restore would delete: back the store up, then restore`;
  expect(await run('restore', 'copy.db')).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) });
  expect(look(database, 'members')).toBe(2);
  expect((await run('backup', 'full.db')).stdout).toBe(`backed up ${inWords(0, 2)} to full.db, and checked the copy\n`);
  expect((await run('restore', 'copy.db', '--force')).stdout).toBe(
    `restored ${inWords(0)} from copy.db, and checked the store\n`,
  );
});

test('backup copies a store of an older service, which lacks a table of a later step', async () => {
  const { folder, run } = await place(3);
  const path = join(folder, 'copy.db');
  const more: Step = ({ schema, type }) => [
    schema.createTable('more').addColumn('id', type.int64, (column) => column.primaryKey()),
  ];
  const later = layoutOf({
    ...items,
    tables: { ...items.tables, more: table({ id: int64() }, 'id') },
    steps: { ...items.steps, more },
  });
  expect(backUp(later, join(folder, 'items.db'), path)).toMatchObject({ counts: { items: 3 }, damaged: { count: 0 } });
  expect((await run('restore', 'copy.db', '--force')).code).toBe(0);
});

test('backup refuses a store whose column has lost the default that a step gave it', async () => {
  const { database } = await place(3);
  const width: Step = ({ schema, type }) => [
    schema.alterTable('items').addColumn('width', type.int64, (column) => column.notNull().defaultTo(1)),
  ];
  const layout = layoutOf({ ...items, steps: { ...items.steps, width } });
  {
    using changed = new DatabaseSync(database);
    migrate(layout, changed, database, true);
    changed.exec(
      other('items', 'id integer primary key, name text not null, tag text, width integer not null) strict; --'),
    );
  }
  expect(() => backUp(layout, database, `${database}.copy`)).toThrow(
    `the database ${database} has the column "width" of items without its default: change it back`,
  );
});
