import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { boolean, bytes, int32, number, type Steps, table, text, timestamp } from 'trellis';
import { layoutOf } from '../../../src/storage/layout.ts';
import { openStore, type StoreLocation } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import type { Queries } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import { Citus, noCitus } from '../../support/citus.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

const COLUMNS = { at: timestamp(), hash: bytes(), size: number(), count: int32(), whole: boolean(), name: text() };
const tables = { parts: table({ ...COLUMNS, note: text() }, 'hash', 'at', 'size', 'count', 'whole', 'name') };
const steps: Steps = {
  parts1: ({ schema, type }) => [
    schema
      .createTable('parts')
      .addColumn('at', type.timestamp, (column) => column.notNull())
      .addColumn('hash', type.bytes, (column) => column.notNull())
      .addColumn('size', type.number, (column) => column.notNull())
      .addColumn('count', type.int32, (column) => column.notNull())
      .addColumn('whole', type.boolean, (column) => column.notNull())
      .addColumn('name', type.text, (column) => column.notNull())
      .addColumn('note', type.text, (column) => column.notNull())
      .addPrimaryKeyConstraint('parts_key', ['hash', 'at', 'size', 'count', 'whole', 'name']),
  ],
};
const LAYOUT = layoutOf({ name: 'parts', marker: 'part', tables, steps });
const server = await sharedPostgres();

const onCitus = async (): Promise<StoreLocation> => {
  const cluster = await Citus.start();
  const database = await cluster.createDatabase();
  const location = readPostgresLocation(cluster.url(database));
  await (await openStore(LAYOUT, location, { create: true })).close();
  await cluster.query("select create_distributed_table('parts', 'hash')", database);
  return location;
};
if (noCitus !== undefined) testWith(noCitus, 'on Citus, a look-up by a key of six kinds', () => undefined);

describe.each<[string, () => Promise<StoreLocation>]>([
  ['SQLite', () => Promise.resolve({ engine: 'sqlite', path: join(temporaryFolder(), 'parts.db') })],
  ['PostgreSQL', async () => readPostgresLocation(server.url(await server.createDatabase()))],
  ...(noCitus === undefined ? [['Citus', onCitus] as [string, typeof onCitus]] : []),
])('on %s, a look-up by a key of six kinds', (engine, locate) => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore(LAYOUT, await locate(), { create: true });
  });
  afterAll(() => store.close());

  const KEY = {
    at: new Date('2026-02-01T12:00:00.001Z'),
    hash: new Uint8Array([0, 255]),
    size: 0.1,
    count: -1,
    whole: false,
    name: 'x\u{1F331}',
  };

  test.each<[string, Partial<typeof KEY>]>([
    ['an int32 beyond its range', { count: 2 ** 31 }],
    ['an int32 below its range', { count: -(2 ** 31) - 1 }],
    ['an int32 that is no integer', { count: 0.5 }],
    ['a text with U+0000', { name: '\0' }],
  ])('finds no row by %s, outside and within a transaction', async (_what, changes) => {
    const key = { ...KEY, ...changes };
    expect(await (store as unknown as Queries<typeof tables>).get('parts', key)).toBeUndefined();
    if (engine === 'Citus') return;
    const within = store.transaction((own) => (own as unknown as Queries<typeof tables>).get('parts', key));
    expect(await within).toBeUndefined();
  });

  test.each<[string, Partial<typeof KEY>]>([
    ['as it is', {}],
    ['a timestamp a millisecond later', { at: new Date('2026-02-01T12:00:00.002Z') }],
    ['a timestamp before 1970', { at: new Date(-1) }],
    ['the first timestamp', { at: new Date('0001-01-01T00:00:00.000Z') }],
    ['no bytes', { hash: new Uint8Array() }],
    ['bytes in a Buffer', { hash: Buffer.from('00ff0a', 'hex') }],
    ['the smallest number', { size: 5e-324 }],
    ['the largest number', { size: Number.MAX_VALUE }],
    ['−0', { size: -0 }],
    ['true', { whole: true }],
    ['the last int32', { count: 2 ** 31 - 1 }],
    ['an empty text', { name: '' }],
  ])('finds the row of %s, and no other', async (note, changes) => {
    const { create, get } = store as unknown as Queries<typeof tables>;
    const key = { ...KEY, ...changes };
    expect(await get('parts', key)).toBeUndefined();
    expect(await create('parts', { ...key, note })).toBe('created');
    expect((await get('parts', key))?.note).toBe(note);
    expect((await get('parts', { ...key, size: Object.is(key.size, -0) ? 0 : key.size }))?.note).toBe(note);
    // No transaction may use a table that is spread.
    if (engine === 'Citus') return;
    const within = store.transaction((own) => (own as unknown as Queries<typeof tables>).get('parts', key));
    expect((await within)?.note).toBe(note);
  });
});
