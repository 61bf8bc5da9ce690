import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/storage/open.ts';
import { readPostgresLocation } from '../../src/storage/postgres/location.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations.ts';
import { PostgresServer } from '../support/postgres.ts';
import { testEngine } from './conformance.ts';

let server: PostgresServer;
let database: string;
beforeAll(async () => {
  server = await PostgresServer.create();
  database = await server.createDatabase();
});
afterAll(() => server.remove());

const open = (name = database, create = true) => openStore(readPostgresLocation(server.url(name)), { create });

testEngine('PostgreSQL', { open: () => open() });

test('is reached through its Unix socket as well', async () => {
  const url = `postgres://postgres@${encodeURIComponent(server.folder)}:${String(server.port)}/${database}`;
  const store = await openStore(readPostgresLocation(url), { create: true });
  await store.ready();
  await store.close();
});

describe('a database', () => {
  test('gets its tables where that is wanted, and not in passing', async () => {
    const empty = await server.createDatabase();
    await expect(open(empty, false)).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+ has no plant store$/);
    const store = await open(empty);
    expect(await store.opened).toEqual({ before: 0, now: MIGRATIONS.length });
    await store.close();
  });

  test('of a newer schema, or an older one in passing, is left alone', async () => {
    const other = await server.createDatabase();
    await (await open(other)).close();
    await server.query('update schema_version set version = 99', other);
    await expect(open(other)).rejects.toThrow(
      `has schema 99, of a newer plant-store; this one knows ${String(MIGRATIONS.length)}`,
    );
    await server.query('update schema_version set version = 0', other);
    await expect(open(other, false)).rejects.toThrow('has schema 0, an older one: run `migrate` first');
  });

  test('of another application is left as it is', async () => {
    const other = await server.createDatabase();
    await server.query('create table plants (watered date)', other);
    await expect(open(other)).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining('has tables of another application: give the store a database of its own'),
    });
    const columns = "select column_name from information_schema.columns where table_name = 'plants'";
    expect(await server.query(columns, other)).toEqual([{ column_name: 'watered' }]);
  });

  test('in which this user may not make tables says so', async () => {
    await server.query('create role visitor login');
    const other = await server.createDatabase();
    const url = server.url(other, '', 'visitor');
    await expect(openStore(readPostgresLocation(url), { create: true })).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining('does not let this user make and use the tables: grant it the database'),
    });
  });

  test('is brought up to date once by twenty that open it at the same time', async () => {
    const other = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 20 }, () => open(other)));
    for (const store of stores) expect(await store.opened).toMatchObject({ now: MIGRATIONS.length });
    await Promise.all(stores.map((store) => store.close()));
    expect(await server.query('select version from schema_version', other)).toEqual([
      { version: String(MIGRATIONS.length) },
    ]);
  });
});
