import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Step, Steps } from 'trellis';
import { type Layout, layoutOf } from '../../../src/storage/layout.ts';
import { openStore, type StoreLocation } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import { insist } from '../../support/insist.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { items, LAYOUT } from '../../services/items/index.ts';

const server = await sharedPostgres();

type Rows = readonly Readonly<Record<string, unknown>>[];
interface Place {
  readonly location: StoreLocation;
  readonly query: (sql: string) => Promise<Rows>;
}

const onSqlite = (): Promise<Place> => {
  const path = join(temporaryFolder(), 'items.db');
  const query = (sql: string) => {
    using database = new DatabaseSync(path);
    return Promise.resolve(database.prepare(sql).all());
  };
  return Promise.resolve({ location: { engine: 'sqlite', path }, query });
};
const onPostgres = async (): Promise<Place> => {
  const name = await server.createDatabase();
  return { location: readPostgresLocation(server.url(name)), query: (sql) => server.query(sql, name) };
};

const open = async (location: StoreLocation, layout: Layout = LAYOUT, create = true) => {
  const store = await openStore(layout, location, { create });
  const schema = await store.opened;
  await store.close();
  return schema;
};
const add =
  (column: string): Step =>
  ({ schema, type }) => [schema.alterTable('items').addColumn(column, type.int64)];
const withSteps = (steps: Steps) => layoutOf({ ...items, steps: { ...items.steps, ...steps } });
/** The layout with one more step of the framework. */
const framework = (layout: Layout): Layout => {
  const [own] = layout.steps.sqlite.filter(({ name }) => name === 'framework/tokens2');
  const step = { name: 'framework/tokens3', statements: ['alter table tokens add column colour text'] };
  const place = own === undefined ? 0 : layout.steps.sqlite.indexOf(own) + 1;
  const { sqlite, postgres } = layout.steps;
  const steps = { sqlite: sqlite.toSpliced(place, 0, step), postgres: postgres.toSpliced(place, 0, step) };
  return { ...layout, steps, version: layout.version + 1 };
};
const STEPS = ['framework/tokens1', 'framework/tokens2', 'marker/6974656d', 'service/items1'];

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('on %s,', (engine, make) => {
  const namesOf = async ({ query }: Place) =>
    (await query('select name from schema_steps order by name')).map(({ name }) => name);
  const columnsOf = ({ query }: Place, table: string) =>
    query(
      engine === 'SQLite'
        ? `select name, lower(type) as type, "notnull" or pk as required, pk from pragma_table_info('${table}')`
        : `select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required,
             attnum = any(select unnest(conkey) from pg_constraint where conrelid = attrelid and contype = 'p') as pk
           from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 order by attnum`,
    );

  test('a new store has been through each step, and lists it by name', async () => {
    const place = await make();
    expect(await open(place.location)).toMatchObject({ before: 0, now: 2 });
    expect(await namesOf(place)).toEqual(STEPS);
    expect(await open(place.location, LAYOUT, false)).toMatchObject({ before: 2, now: 2 });
  });

  test('the steps make the same columns as the SQL of earlier versions', async () => {
    const [place, before] = [await make(), await make()];
    await open(place.location);
    const [int, blob] = engine === 'SQLite' ? ['integer', 'blob'] : ['bigint', 'bytea'];
    await before.query(
      `create table items (id ${int} primary key, name text not null, tag text)${engine === 'SQLite' ? ' strict' : ''}`,
    );
    await before.query(
      `create table tokens (hash ${blob} primary key, name text not null, created_at ${int} not null, expires_at ${int},
        revoked_at ${int}, scopes text not null default '')${engine === 'SQLite' ? ' strict' : ''}`,
    );
    for (const table of ['items', 'tokens'])
      expect(await columnsOf(place, table)).toEqual(await columnsOf(before, table));
    if (engine === 'PostgreSQL') return;
    const tables = "select name, \"strict\" from pragma_table_list where schema = 'main' and name not like 'sqlite%'";
    for (const { name, strict } of await place.query(tables)) expect([name, strict]).toEqual([name, 1]);
  });

  test.each([
    ['the service, then the framework', withSteps({ items2: add('height') })],
    ['the framework, then the service', framework(LAYOUT)],
  ])('a store takes one more step of %s', async (_order, first) => {
    const place = await make();
    await open(place.location);
    expect(await open(place.location, first)).toMatchObject({ before: 2, now: 3 });
    const both = framework(withSteps({ items2: add('height') }));
    expect(await open(place.location, both)).toMatchObject({ before: 3, now: 4 });
    expect(await namesOf(place)).toEqual([...STEPS, 'framework/tokens3', 'service/items2'].toSorted());
    expect((await columnsOf(place, 'items')).map(({ name }) => name)).toContain('height');
    expect((await columnsOf(place, 'tokens')).map(({ name }) => name)).toContain('colour');
    expect(await open(place.location, both)).toMatchObject({ before: 4, now: 4 });
  });

  test('a store of another service is refused as such, although it has another unknown step too', async () => {
    const place = await make();
    await open(place.location, framework(layoutOf({ ...items, marker: "it's" })));
    // As in a restored copy, whose rows may have another order.
    await place.query("delete from schema_steps where name = 'marker/69742773'");
    await place.query("insert into schema_steps values ('marker/69742773')");
    // The schema version of this layout is the same.
    await expect(open(place.location, withSteps({ items2: add('height') }))).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining('belongs to another application'),
    });
  });

  test('a store with a step that this version does not have is refused', async () => {
    const place = await make();
    await open(place.location, withSteps({ items2: add('height') }));
    // The schema version of this layout is the same.
    await expect(open(place.location, framework(LAYOUT))).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining(
        'has been through the step service/items2, which this item-store does not have: install a newer item-store',
      ),
    });
    const newer = 'has schema 3, but this item-store needs 2: install a newer';
    await expect(open(place.location)).rejects.toThrow(newer);
    // A newer version may have another table of this name.
    await place.query('drop table schema_steps');
    await place.query('create table schema_steps (step text)');
    await expect(open(place.location)).rejects.toThrow(newer);
  });

  test('a step that is missing runs only with the option `create`', async () => {
    const place = await make();
    await open(place.location);
    // As in a store of a version before the marker, which the schema version does not count.
    const mark = 'marker/6974656d';
    await place.query(`delete from schema_steps where name = '${mark}'`);
    await expect(open(place.location, LAYOUT, false)).rejects.toThrow(`lacks the step ${mark}: run \`migrate\` first`);
    expect(await open(place.location)).toEqual({ before: 2, now: 2, steps: [mark] });
    expect(await open(place.location)).toEqual({ before: 2, now: 2, steps: [] });
  });

  test('a store of version 2 without schema_steps opens, and gets that table with its next step at the latest', async () => {
    const place = await make();
    await open(place.location);
    await place.query('drop table schema_steps');
    for (const create of [false, true])
      expect(await open(place.location, LAYOUT, create)).toMatchObject({ before: 2, now: 2 });
    const grown = withSteps({ items2: add('height') });
    expect(await open(place.location, grown)).toMatchObject({ before: 2, now: 3 });
    expect(await namesOf(place)).toEqual([...STEPS, 'service/items2']);
  });

  test('a step that fails leaves the store as it was', async () => {
    const place = await make();
    await open(place.location);
    const fails: Steps = { items2: add('height'), items3: ({ sql }) => [sql`alter table nothing add column x text`] };
    await expect(open(place.location, withSteps(fails))).rejects.toThrow();
    expect(await namesOf(place)).toEqual(STEPS);
    expect((await columnsOf(place, 'items')).map(({ name }) => name)).not.toContain('height');
    expect(await open(place.location)).toMatchObject({ before: 2, now: 2 });
  });

  test('ten openings at once run each step once', async () => {
    // Several places, because one opening must not see another one halfway.
    const places = await Promise.all(Array.from({ length: 2 }, () => make()));
    for (const { location } of places)
      await Promise.all(Array.from({ length: 10 }, () => insist(() => open(location))));
    const [place = await make()] = places;
    const grown = withSteps({ items2: add('height') });
    const opened = await Promise.all(Array.from({ length: 10 }, () => insist(() => open(place.location, grown))));
    expect(new Set(opened.map(({ now }) => now))).toEqual(new Set([3]));
    expect(await namesOf(place)).toEqual([...STEPS, 'service/items2']);
  });
});

const CHECKED: Step = ({ schema, type, sql }) => [
  schema.createTable('beds').addColumn('rows', type.int64, (column) => column.check(sql`rows > ${1}`)),
];
const DEFERRED: Step = ({ schema, type }) => [
  schema
    .createTable('beds')
    .addColumn('item', type.int64)
    .addForeignKeyConstraint('beds_item', ['item'], 'items', ['id'], (constraint) => constraint.deferrable()),
];
test.each([
  [
    'a value as a parameter',
    'beds1',
    CHECKED,
    'the step service/beds1 has a value as a parameter: write sql.lit(value)',
  ],
  ['a deferrable constraint', 'beds1', DEFERRED, 'the step service/beds1 makes a deferrable constraint: leave'],
  ['a quote in its name', "it's", add('x'), 'must have a name of letters, digits, "-" and "_"'],
  ['a name of digits', '1', add('x'), 'the step service/1 must have a name'],
])('a step with %s is refused before the store is touched', (_what, name, step, message) => {
  expect(() => withSteps({ [name]: step })).toThrow(message);
});

test.each(['tokens', 'schema_steps', 'schema_version'])('the name %s of a table is refused', (name) => {
  const tables = { ...items.tables, [name]: items.tables.items };
  expect(() => layoutOf({ ...items, tables })).toThrow(`the framework has a table ${name} of its own`);
});

test.each(['Item Store', 'item_store', '1'])('the name %s of a service is refused', (name) => {
  expect(() => layoutOf({ ...items, name })).toThrow(`the name ${name} of the service must have small letters`);
});

test.each(['Items', 'old-items', 'old items', '1'])('the name %s of a table is refused as no plain name', (name) => {
  const tables = { ...items.tables, [name]: items.tables.items };
  expect(() => layoutOf({ ...items, tables })).toThrow(`the name of the table ${name} must have small letters`);
});

test('a step can say what differs between the engines', () => {
  const step: Step = ({ engine, sql }) => [engine === 'sqlite' ? sql`select 1` : sql`select ${sql.lit('2')}`];
  const { sqlite, postgres } = withSteps({ items2: step }).steps;
  expect([sqlite.at(-1), postgres.at(-1)]).toEqual([
    { name: 'service/items2', statements: ['select 1'] },
    { name: 'service/items2', statements: ["select '2'"] },
  ]);
});
