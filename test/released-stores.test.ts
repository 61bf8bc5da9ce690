import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { hashToken } from '../packages/trellis/src/auth/token.ts';
import { toNdjson } from '../packages/trellis/src/files/records.ts';
import { layoutOf } from '../packages/trellis/src/storage/layout.ts';
import { openStore, type StoreLocation } from '../packages/trellis/src/storage/open.ts';
import type { Step } from 'trellis';
import type { Store } from '../packages/trellis/src/storage/store.ts';
import { readPostgresLocation } from '../packages/trellis/src/storage/postgres/location.ts';
import { plants } from '../src/index.ts';
import { insist } from '../packages/trellis/test/support/insist.ts';
import { sharedPostgres } from '../packages/trellis/test/support/postgres.ts';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { LAYOUT, plantStore } from './support.ts';

/** Each folder has a store of each engine, made by the commit of its name, with the plants of plants.ndjson. */
const STORES = join(ROOT, 'released/stores');
const PLANTS = readFileSync(join(STORES, 'plants.ndjson'), 'utf8');
const RELEASES = readdirSync(STORES).filter((name) => !name.endsWith('.ndjson'));

const server = await sharedPostgres();

type Rows = readonly Record<string, unknown>[];

interface Released {
  readonly location: StoreLocation;
  readonly query: (sql: string) => Promise<Rows>;
  /** Selects a description of all tables and indexes. */
  readonly shape: string;
  /** The statement by which the released versions recognise a newer schema. */
  readonly version: string;
}

/** @param release undefined for a new store */
function onSqlite(release?: string): Promise<Released> {
  const path = join(temporaryFolder(), 'plants.db');
  if (release !== undefined) cpSync(join(STORES, release, 'plants.db'), path);
  const query = (sql: string) => {
    using database = new DatabaseSync(path, { readBigInts: true });
    return Promise.resolve(database.prepare(sql).all());
  };
  // Without what does not change the table: quotes, spaces, the case of a keyword.
  const shape = `select lower(replace(replace(replace(sql, '"', ''), char(10), ''), ' ', '')) as sql from sqlite_schema
    where name not like '%schema_steps%' order by name`;
  const version = 'select user_version as version from pragma_user_version';
  return Promise.resolve({ location: { engine: 'sqlite', path }, query, shape, version });
}

async function onPostgres(release?: string): Promise<Released> {
  const name = await server.createDatabase();
  if (release !== undefined) await server.query(readFileSync(join(STORES, release, 'plants.sql'), 'utf8'), name);
  const shape = `select table_name, column_name, data_type, is_nullable, is_identity, indexdef
    from information_schema.columns left join pg_indexes on tablename = table_name
    where table_schema = 'public' and table_name <> 'schema_steps' order by 1, 2, 6`;
  return {
    location: readPostgresLocation(server.url(name)),
    query: (sql) => server.query(sql, name),
    shape,
    version: 'select version from schema_version where id = 1',
  };
}

async function open<T>(location: StoreLocation, work: (store: Store) => Promise<T>, layout = LAYOUT): Promise<T> {
  const store = await openStore(layout, location, { create: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const shapeOf = async ({ location, query, shape }: Released) => {
  await open(location, ({ opened }) => opened);
  return await query(shape);
};
/** The tables of a new store. */
const NEW = { sqlite: await shapeOf(await onSqlite()), postgres: await shapeOf(await onPostgres()) };

describe.each(
  RELEASES.flatMap((release) => [
    { release, engine: 'sqlite', make: onSqlite } as const,
    { release, engine: 'postgres', make: onPostgres } as const,
  ]),
)('the store that $release made on $engine', ({ release, engine, make }) => {
  const texts = JSON.parse(readFileSync(join(STORES, release, 'tokens.json'), 'utf8')) as Record<string, object>;

  test('opens with every plant and every token, and takes new ones', async () => {
    const { location, query } = await make(release);
    const stored = await query('select * from tokens order by created_at');
    await open(location, async (store) => {
      const { tokens } = store;
      const all = (await insist(() => Array.fromAsync(store.list('plants')))).flat();
      expect(all.map((plant) => toNdjson(plant)).join('')).toBe(PLANTS);
      for (const plant of all) expect(await store.create('plants', plant)).toBe('replayed');
      expect(await store.create('plants', { id: 2n, name: 'new' })).toBe('created');

      const listed = await tokens.list();
      expect(listed).toEqual(stored.map(toToken));
      expect(listed.map(({ name }) => name)).toEqual(Object.keys(texts[engine] ?? {}));
      for (const [name, text] of Object.entries(texts[engine] ?? {})) {
        const found = await tokens.find(hashToken(String(text)));
        expect([name, found?.name]).toEqual([name, name === 'revoked' ? undefined : name]);
      }
      const another = { name: 'another', hash: new Uint8Array(32), scopes: [] };
      expect(await tokens.addFirst(another)).toBe(false);
      expect(await tokens.add(another)).toBe(true);
    });
  });

  test('has the tables of a new store once it is open, and a higher schema version if they have changed', async () => {
    const { location, query, shape, version } = await make(release);
    const found = await query(shape);
    const [had] = await query(version);
    const { before, now } = await open(location, ({ opened }) => opened);
    const [has] = await query(version);
    expect([had, has].map((row) => Number(row?.['version']))).toEqual([before, now]);
    const left = await query(shape);
    if (before === now) expect(left).toEqual(found);
    else expect(now).toBeGreaterThan(before);
    expect(left).toEqual(NEW[engine]);
  });

  test.each([
    ['opened', (location: StoreLocation) => open(location, ({ opened }) => opened)],
    ['not opened', () => undefined],
  ])('takes the next step of the service after this version has %s the store', async (_what, before) => {
    const { location, query, shape } = await make(release);
    await before(location);
    const indexed: Step = ({ schema }) => [schema.createIndex('plants_by_name').on('plants').column('name')];
    const layout = layoutOf({ ...plants, steps: { ...plants.steps, indexed } });
    const { now } = await open(location, ({ opened }) => opened, layout);
    expect(now).toBe(LAYOUT.version + 1);
    expect(JSON.stringify(await query(shape))).toContain('plants_by_name');
  });
});

test('a new store on sqlite has the marker of the released ones', async () => {
  const marker = 'select application_id from pragma_application_id';
  const anew = await onSqlite();
  await open(anew.location, ({ opened }) => opened);
  const stores = [anew, ...(await Promise.all(RELEASES.map((release) => onSqlite(release))))];
  for (const { query } of stores) expect(await query(marker)).toEqual([{ application_id: 0x706c6e74n }]);
});

function toToken({ name, scopes, created_at, expires_at, revoked_at }: Record<string, unknown>): object {
  return {
    name,
    scopes: typeof scopes === 'string' ? scopes.split(' ').filter(Boolean) : [],
    createdAt: Number(created_at),
    ...(expires_at === null ? {} : { expiresAt: Number(expires_at) }),
    ...(revoked_at === null ? {} : { revokedAt: Number(revoked_at) }),
  };
}

test.each(RELEASES)('backup copies the store that %s made on sqlite, and restore returns to it', async (release) => {
  const folder = temporaryFolder();
  cpSync(join(STORES, release, 'plants.db'), join(folder, 'released.db'));
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
  for (const args of [
    ['--store', 'sqlite:released.db', 'backup', 'copy.db'],
    ['restore', 'copy.db'],
  ]) {
    const { code, stderr } = await plantStore(args, environment, folder);
    expect([code, stderr]).toEqual([0, '']);
  }
  expect((await plantStore(['export'], environment, folder)).stdout).toBe(PLANTS);
});
