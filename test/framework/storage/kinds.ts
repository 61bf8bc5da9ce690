import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { openStore } from '../../../src/framework/storage/open.ts';
import { readPostgresLocation } from '../../../src/framework/storage/postgres/location.ts';
import type { Item } from '../../../src/framework/storage/store.ts';
import { withoutNulls } from '../../../src/framework/storage/tables.ts';
import { Json } from '../../../src/framework/storage/values.ts';

// Usage: `kinds.ts URL`, in a copy of the project whose items have columns of every kind: see kinds.test.ts.

const [url = ''] = process.argv.slice(2);
const location = url.startsWith('sqlite:')
  ? ({ engine: 'sqlite', path: url.slice('sqlite:'.length) } as const)
  : readPostgresLocation(url);
const store = await openStore(location, { create: true });
const { items, database, transaction } = store;

/** A value for the column of each kind. The copy has a second column of each kind, named `…_or_null`. */
const VALUES = {
  text: 'x\u{1F331}',
  int64: 9007199254740993n,
  int32: -2147483648,
  number: 0.1,
  boolean: false,
  timestamp: new Date('1969-12-31T23:59:59.999Z'),
  bytes: new Uint8Array([0, 255, 10]),
  json: { b: [9007199254740993n, 1, 1.5, null, true, 'x'], a: { d: 1e21, c: -(2n ** 63n) } },
};
const OTHERS = {
  text: 'X\u{1F331}',
  int64: 9007199254740992n,
  int32: 2147483647,
  number: 5e-324,
  boolean: true,
  timestamp: new Date('1970-01-01T00:00:00.000Z'),
  bytes: new Uint8Array([0, 255]),
  json: { b: [9007199254740992n, 1, 1.5, null, true, 'x'], a: { d: 1e21, c: -(2n ** 63n) } },
};
type Columns = typeof VALUES;
type Name = keyof Columns;
const NAMES = Object.keys(VALUES) as Name[];
type Kinds = Item & Columns & { readonly [Each in Name as `${Each}_or_null`]?: Columns[Each] };
let nextId = 1n;
const newItem = (changes: Partial<Kinds> = {}): Kinds => ({ id: nextId++, name: 'x', ...VALUES, ...changes });
const full = (values: Columns) =>
  Object.fromEntries(NAMES.map((name) => [`${name}_or_null`, values[name]])) as Partial<Kinds>;
const stored = async (id: bigint) => {
  const row = await database.selectFrom('plants').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return withoutNulls(row);
};

// The store returns an item unchanged, and replays it.
for (const item of [newItem(), newItem(full(VALUES)), newItem({ ...OTHERS, ...full(OTHERS) })]) {
  assert.equal(await items.create(item), 'created');
  assert.deepEqual(await stored(item.id), item);
  assert.deepEqual((await Array.fromAsync(items.list())).flat().at(-1), item);
  assert.equal(await items.create(item), 'replayed');
  assert.deepEqual(await items.createAll([item, { ...item, name: 'y' }]), ['replayed', 'conflict']);
}

// An item with another value in any column is a conflict; the same value in another notation is a replay.
const item = newItem(full(VALUES));
await items.create(item);
for (const name of NAMES) {
  for (const column of [name, `${name}_or_null`]) {
    assert.equal(await items.create({ ...item, [column]: OTHERS[name] }), 'conflict', column);
  }
  assert.equal(await items.create(withoutNulls({ ...item, [`${name}_or_null`]: null })), 'conflict', name);
}
const { b, a } = VALUES.json;
const turned = { a: { c: a.c, d: a.d }, b };
const otherwise: Partial<Kinds> = { json: turned, timestamp: new Date(-1), bytes: Buffer.from([0, 255, 10]) };
assert.equal(await items.create({ ...item, ...otherwise, ...full({ ...VALUES, json: turned }) }), 'replayed');
assert.equal(await items.create({ ...item, json: { a, b: b.toReversed() } } as Kinds), 'conflict');

// The store compares JSON of every shape.
const JSONS = [
  0,
  1n,
  -0,
  1.5,
  1e300,
  1e18,
  1e20,
  5e-324,
  2n ** 63n - 1n,
  '',
  '{"a":1}',
  'x',
  true,
  false,
  [],
  {},
  [[]],
  { a: 1 },
];
for (const json of JSONS) {
  const each = newItem({ json: json as never });
  assert.equal(await items.create(each), 'created');
  assert.equal(await items.create(each), 'replayed', inspect(json));
}
const text = newItem({ json: '{"a":1}' as never });
await items.create(text);
for (const json of [{ a: 1 }, '[]']) {
  const other: Kinds = { ...text, json: json as never };
  assert.equal(await items.create(other), 'conflict');
}

for (const number of [-0, 0, 1e308, -1.7976931348623157e308, 5e-324, 2 ** 53, 3]) {
  const each = newItem({ number, int32: 3 });
  assert.equal(await items.create(each), 'created');
  assert.deepEqual(await items.createAll([each]), ['replayed'], String(number));
  assert.equal(((await stored(each.id)) as unknown as Kinds).number, number === 0 ? 0 : number);
}

for (const timestamp of ['0001-01-01T00:00:00.000Z', '1890-06-01T12:00:00.001Z', '9999-12-31T23:59:59.999Z']) {
  const each = newItem({ timestamp: new Date(timestamp) });
  assert.equal(await items.create(each), 'created');
  assert.equal(await items.create(each), 'replayed', timestamp);
  assert.deepEqual(await stored(each.id), each);
}

// The statements use each kind in `where`, `update`, `returning`, `insert` and a subquery.
const query = newItem();
await items.create(query);
const plants = () => database.updateTable('plants').where('id', '=', query.id);
for (const name of NAMES) {
  const column = `${name}_or_null` as 'tag';
  const isJson = name === 'json';
  const value = (isJson ? new Json(OTHERS.json) : OTHERS[name]) as string;
  const updated = await plants()
    .set({ [column]: value })
    .returning([column, 'id'])
    .executeTakeFirstOrThrow();
  assert.deepEqual(updated, { [column]: OTHERS[name], id: query.id });
  const found = database.selectFrom('plants').select(['id', column]).where('id', '=', query.id);
  if (!isJson) {
    assert.deepEqual(await found.where(column, '=', value).execute(), [{ id: query.id, [column]: OTHERS[name] }]);
    assert.deepEqual(await found.where(column, 'in', [value, value]).execute(), [
      { id: query.id, [column]: OTHERS[name] },
    ]);
    assert.deepEqual(await found.where(column, '=', VALUES[name] as string).execute(), []);
    assert.equal((await found.where(column, '>=', value).execute()).length, 1);
  }
  const renamed = database.selectFrom(found.as('found')).select(`found.${column} as renamed`);
  assert.deepEqual(await renamed.execute(), [{ renamed: OTHERS[name] }]);
  assert.equal(
    (
      await plants()
        .set({ [column]: null })
        .executeTakeFirstOrThrow()
    ).numUpdatedRows,
    1n,
  );
  assert.deepEqual(await found.where(column, 'is', null).execute(), [{ id: query.id, [column]: null }]);
}
const { json, ...others } = newItem();
const row = { ...others, json: new Json(json) };
await database.insertInto('plants').values(row).execute();
assert.deepEqual(await stored(row.id), { ...others, json });

// When two columns of a result have the same name, the row has the value of the last.
const pair = database
  .selectFrom(['plants as one', 'plants as other'])
  .select(NAMES.flatMap((name) => [`one.${name}` as 'one.tag', `other.${name}` as 'other.tag']))
  .where('one.id', '=', 2n)
  .where('other.id', '=', 3n);
assert.deepEqual(await pair.executeTakeFirstOrThrow(), OTHERS);

// The values of computed columns have the types in docs/transactions.md.
const [computed] = await database
  .selectFrom('plants')
  .select(({ fn }) => [
    fn.countAll().as('count'),
    fn.max('id').as('max'),
    fn.sum('id').as('sum'),
    fn.max('int32' as 'id').as('int32'),
    fn.avg('int32' as 'id').as('avg'),
    fn.sum('number' as 'id').as('number'),
  ])
  .where('id', '<=', 2n)
  .execute();
assert.deepEqual([computed?.count, computed?.max, computed?.sum], [2n, 2n, 3n]);
assert.deepEqual([Number(computed?.int32), Number(computed?.avg), computed?.number], [VALUES.int32, VALUES.int32, 0.2]);

// A query inside a transaction decodes rows as a query outside does.
const seen = await transaction(async (own) => {
  await own
    .updateTable('plants')
    .set({ ['json' as 'tag']: new Json([1n]) as never })
    .where('id', '=', 1n)
    .execute();
  return await own.selectFrom('plants').selectAll().where('id', '=', 1n).executeTakeFirstOrThrow();
});
assert.deepEqual((seen as unknown as Kinds).json, [1]);
await store.close();
