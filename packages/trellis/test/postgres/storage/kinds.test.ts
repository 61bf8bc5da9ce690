import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStore, type StoreLocation } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import type { Database } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type Row, withoutNulls } from '../../../src/storage/tables.ts';
import { Json } from '../../../src/storage/values.ts';
import { createEach, allRows } from '../../support/app.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { ROOT, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../../services/items/index.ts';
import type { tables } from '../../services/items/tables.ts';

/** A time zone that was 44 minutes and 30 seconds behind UTC until 1972. */
const ZONE = 'Africa/Monrovia';
const server = await sharedPostgres();

type Kinds = Row<(typeof tables)['kinds']>;

/** A value for the column of each kind. The table has a second column of each kind, named `…_or_null`. */
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
type Values = typeof VALUES;
const NAMES = Object.keys(VALUES) as (keyof Values)[];
/** The same values in the columns that may be null. */
const orNull = (values: Values) =>
  Object.fromEntries(NAMES.map((name) => [`${name}_or_null`, values[name]])) as Partial<Kinds>;

let nextId = 1n;
const newRow = (changes: Partial<Kinds> = {}): Kinds => ({ id: nextId++, ...VALUES, ...changes });

interface Place {
  readonly location: StoreLocation;
  readonly url: string;
}

describe.each([
  {
    engine: 'SQLite',
    makePlace: (): Promise<Place> => {
      const path = join(temporaryFolder(), 'kinds.db');
      return Promise.resolve({ location: { engine: 'sqlite', path }, url: `sqlite:${path}` });
    },
  },
  {
    engine: 'PostgreSQL',
    makePlace: async (): Promise<Place> => {
      const name = await server.createDatabase();
      await server.query(`alter database ${name} set TimeZone = '${ZONE}'`);
      const url = server.url(name);
      return { location: readPostgresLocation(url), url };
    },
  },
])('on $engine, a table with columns of every kind', ({ makePlace }) => {
  let url: string;
  let store: Store;
  /** The names of columns are computed here, so that their types would be of no use. */
  let database: Database;
  beforeAll(async () => {
    const place = await makePlace();
    url = place.url;
    store = await openStore(LAYOUT, place.location, { create: true });
    ({ database } = store);
  });
  afterAll(() => store.close());

  const stored = async (id: bigint) =>
    withoutNulls(await database.selectFrom('kinds').selectAll().where('id', '=', id).executeTakeFirstOrThrow());

  test('returns a row unchanged to a query, a look-up and a list, and replays it', async () => {
    for (const row of [newRow(), newRow(orNull(VALUES)), newRow({ ...OTHERS, ...orNull(OTHERS) })]) {
      expect(await store.create('kinds', row)).toBe('created');
      expect(await stored(row.id)).toEqual(row);
      expect(await store.get('kinds', { id: row.id })).toEqual(row);
      expect((await allRows(store, 'kinds')).at(-1)).toEqual(row);
      expect(await store.create('kinds', row)).toBe('replayed');
      expect(await createEach(store, 'kinds', [row, { ...row, text: 'y' }])).toEqual(['replayed', 'conflict']);
    }
  });

  test.each(NAMES)(
    'answers "conflict" to another value of the kind %s, and to null instead of a value',
    async (name) => {
      const row = newRow(orNull(VALUES));
      await store.create('kinds', row);
      for (const column of [name, `${name}_or_null`])
        expect([column, await store.create('kinds', { ...row, [column]: OTHERS[name] })]).toEqual([column, 'conflict']);
      expect(await store.create('kinds', { ...row, [`${name}_or_null`]: null })).toBe('conflict');
      expect(await store.create('kinds', row)).toBe('replayed');
    },
  );

  test('replays a row whose values come in another notation', async () => {
    const row = newRow(orNull(VALUES));
    await store.create('kinds', row);
    const { b, a } = VALUES.json;
    const turned = { a: { c: a.c, d: a.d }, b };
    const otherwise = { json: turned, timestamp: new Date(-1), bytes: Buffer.from([0, 255, 10]) };
    expect(await store.create('kinds', { ...row, ...otherwise, ...orNull({ ...VALUES, json: turned }) })).toBe(
      'replayed',
    );
    expect(await store.create('kinds', { ...row, json: { a, b: b.toReversed() } })).toBe('conflict');
  });

  test.each([
    ...[0, 1n, -0, 1.5, 1e300, 1e18, 1e20, 5e-324, 2n ** 63n - 1n],
    ...['', '{"a":1}', 'x', true, false, [], {}, [[]], { a: 1 }].map((each) => [each]),
  ])('compares the JSON %p', async (json) => {
    const row = newRow({ json });
    expect(await store.create('kinds', row)).toBe('created');
    expect(await store.create('kinds', row)).toBe('replayed');
    expect(await store.create('kinds', { ...row, json: [json] })).toBe('conflict');
  });

  test('refuses a row with JSON where the stored one has that JSON as a text', async () => {
    const row = newRow({ json: '{"a":1}' });
    await store.create('kinds', row);
    for (const json of [{ a: 1 }, '[]']) expect(await store.create('kinds', { ...row, json })).toBe('conflict');
  });

  test.each([-0, 0, 1e308, -1.7976931348623157e308, 5e-324, 2 ** 53, 3])('keeps the number %p', async (number) => {
    const row = newRow({ number, int32: 3 });
    expect(await store.create('kinds', row)).toBe('created');
    expect(await createEach(store, 'kinds', [row])).toEqual(['replayed']);
    expect((await stored(row.id))['number']).toBe(number === 0 ? 0 : number);
  });

  const TIMESTAMPS = ['0001-01-01T00:00:00.000Z', '1890-06-01T12:00:00.001Z', '9999-12-31T23:59:59.999Z'];

  test.each(TIMESTAMPS)('keeps the timestamp %s', async (text) => {
    const row = newRow({ timestamp: new Date(text) });
    expect(await store.create('kinds', row)).toBe('created');
    expect(await store.create('kinds', row)).toBe('replayed');
    expect(await stored(row.id)).toEqual(row);
  });

  test('keeps timestamps for a process in a time zone that had seconds', async () => {
    const row = newRow();
    await store.create('kinds', row);
    nextId += BigInt(TIMESTAMPS.length);
    const args = ['packages/trellis/test/postgres/storage/timestamps.ts', url, String(row.id), ...TIMESTAMPS];
    const { ended, stdout, stderr } = start(process.execPath, args, { TZ: ZONE }, ROOT);
    expect([await ended, stderr()]).toEqual([0, '']);
    const withoutZone = {
      timestamp: '2024-06-30T22:00:00.000Z',
      date: '2024-06-30T00:00:00.000Z',
      dates: ['-000043-03-15T00:00:00.000Z'],
    };
    expect(JSON.parse(stdout())).toEqual([
      ...TIMESTAMPS.map((text) => ['created', 'replayed', { timestamp: text, timestamp_or_null: text }]),
      ...(url.startsWith('sqlite:') ? [] : [withoutZone]),
    ]);
    for (const [index, text] of TIMESTAMPS.entries())
      expect(await stored(row.id + BigInt(index) + 1n)).toMatchObject({ timestamp: new Date(text) });
  });

  test.each(NAMES)('takes and returns the kind %s in `update`, `returning`, `where` and a subquery', async (name) => {
    const row = newRow();
    await store.create('kinds', row);
    const column = `${name}_or_null`;
    const isJson = name === 'json';
    const value = isJson ? new Json(OTHERS.json) : OTHERS[name];
    const changing = () => database.updateTable('kinds').where('id', '=', row.id);
    const updated = changing().set(column, value).returning([column, 'id']);
    expect(await updated.executeTakeFirstOrThrow()).toEqual({ [column]: OTHERS[name], id: row.id });
    const found = database.selectFrom('kinds').select(['id', column]).where('id', '=', row.id);
    if (!isJson) {
      const rows = [{ id: row.id, [column]: OTHERS[name] }];
      expect(await found.where(column, '=', value).execute()).toEqual(rows);
      expect(await found.where(column, 'in', [value, value]).execute()).toEqual(rows);
      expect(await found.where(column, '=', VALUES[name]).execute()).toEqual([]);
      expect(await found.where(column, '>=', value).execute()).toEqual(rows);
    }
    const renamed = database.selectFrom(found.as('found')).select(`found.${column} as renamed`);
    expect(await renamed.execute()).toEqual([{ renamed: OTHERS[name] }]);
    expect(await changing().set(column, null).executeTakeFirstOrThrow()).toEqual({ numUpdatedRows: 1n });
    expect(await found.where(column, 'is', null).execute()).toEqual([{ id: row.id, [column]: null }]);
  });

  test('takes each kind in `insert`', async () => {
    const { json, ...others } = newRow();
    await database
      .insertInto('kinds')
      .values({ ...others, json: new Json(json) })
      .execute();
    expect(await stored(others.id)).toEqual({ ...others, json });
  });

  test('gives a row the value of the last of two columns with the same name', async () => {
    const [one, other] = [newRow(), newRow(OTHERS)];
    await createEach(store, 'kinds', [one, other]);
    const pair = database
      .selectFrom(['kinds as one', 'kinds as other'])
      .select(NAMES.flatMap((name) => [`one.${name}` as const, `other.${name}` as const]))
      .where('one.id', '=', one.id)
      .where('other.id', '=', other.id);
    expect(await pair.executeTakeFirstOrThrow()).toEqual(OTHERS);
  });

  test('has computed columns of the types in packages/trellis/docs/transactions.md', async () => {
    const rows = [newRow(), newRow()];
    await createEach(store, 'kinds', rows);
    const ids = rows.map(({ id }) => id);
    const computed = await database
      .selectFrom('kinds')
      .select(({ fn }) => [
        fn.countAll().as('count'),
        fn.max('id').as('max'),
        fn.sum('id').as('sum'),
        fn.max('int32').as('int32'),
        fn.avg('int32').as('avg'),
        fn.sum('number').as('number'),
      ])
      .where('id', 'in', ids)
      .executeTakeFirstOrThrow();
    const [first = 0n, last = 0n] = ids;
    expect([computed.count, computed.max, computed.sum, computed.number]).toEqual([2n, last, first + last, 0.2]);
    expect([Number(computed.int32), Number(computed.avg)]).toEqual([VALUES.int32, VALUES.int32]);
  });

  test('returns the same rows inside and outside of a transaction', async () => {
    const row = newRow(orNull(VALUES));
    await store.create('kinds', row);
    const seen = await store.transaction(async ({ database: own }) => {
      const changing = own.updateTable('kinds').set('json', new Json([1n]));
      await changing.where('id', '=', row.id).execute();
      return await own.selectFrom('kinds').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow();
    });
    expect(seen).toEqual({ ...row, json: [1] });
    expect(await stored(row.id)).toEqual({ ...row, json: [1] });
  });
});
