import { join } from 'node:path';
import { hashToken, makeToken } from '../../src/framework/auth/token.ts';
import { readConfig } from '../../src/framework/config.ts';
import { openStore } from '../../src/framework/storage/open.ts';
import type { Item } from '../../src/framework/storage/store.ts';
import { PostgresServer, type Settings } from './postgres.ts';
import { temporaryFolder } from './temporary.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

/** A new store, and a token for it. */
export interface Place extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

export async function createPlace(engine: Engine): Promise<Place> {
  if (engine === 'PostgreSQL') return await createPostgresPlace();
  const url = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  return { url, token: await addToken(url), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Makes a place on a new PostgreSQL server. */
export async function createPostgresPlace(
  settings?: Settings,
): Promise<Place & { readonly server: PostgresServer; readonly database: string }> {
  const server = await PostgresServer.create(settings);
  const database = await server.createDatabase();
  const url = server.url(database);
  return { url, token: await addToken(url), server, database, [Symbol.asyncDispose]: () => server.remove() };
}

async function addToken(url: string): Promise<string> {
  const [token = ''] = await addTokens(url, 1);
  return token;
}

export async function addTokens(url: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, makeToken);
  const store = await openStore(readConfig({ DATABASE_URL: url }).DATABASE_URL, { create: true });
  for (const [number, token] of tokens.entries()) {
    await store.tokens.add({ name: `tests-${number}`, hash: hashToken(token), scopes: [] });
  }
  await store.close();
  return tokens;
}

/** Reads all stored plants without the service. */
export async function readPlants(url: string): Promise<Item[]> {
  const store = await openStore(readConfig({ DATABASE_URL: url }).DATABASE_URL, { create: false });
  try {
    return (await Array.fromAsync(store.items.list())).flat();
  } finally {
    await store.close();
  }
}
