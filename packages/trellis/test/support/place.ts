import { join } from 'node:path';
import { hashToken, makeToken } from '../../src/auth/token.ts';
import { readConfig } from '../../src/config.ts';
import { layoutOf } from '../../src/storage/layout.ts';
import { openStore } from '../../src/storage/open.ts';
import { PostgresServer, type Settings, sharedPostgres } from './postgres.ts';
import { tableOf } from './app.ts';
import { ITEMS, type Program } from './service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import type { Item } from '../services/items/index.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

/** A new store of a service, and a token for it. */
export interface Place extends AsyncDisposable {
  readonly program: Program;
  readonly url: string;
  readonly token: string;
}

export async function createPlace(engine: Engine, program: Program = ITEMS): Promise<Place> {
  const server = engine === 'PostgreSQL' ? await sharedPostgres() : undefined;
  const url = server?.url(await server.createDatabase()) ?? `sqlite:${join(temporaryFolder(), 'store.db')}`;
  return { program, url, token: await addToken(url, program), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Makes a place on a new PostgreSQL server, which only this place uses. */
export async function createPostgresPlace(
  settings?: Settings,
  program: Program = ITEMS,
): Promise<Place & { readonly server: PostgresServer; readonly database: string }> {
  const server = await PostgresServer.create(settings);
  const database = await server.createDatabase();
  const url = server.url(database);
  return {
    program,
    url,
    token: await addToken(url, program),
    server,
    database,
    [Symbol.asyncDispose]: () => server.remove(),
  };
}

async function addToken(url: string, program: Program): Promise<string> {
  const [token = ''] = await addTokens(url, 1, program);
  return token;
}

export async function addTokens(
  url: string,
  count: number,
  { service, scopes = [] }: Program = ITEMS,
): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => makeToken(service.name));
  const location = readConfig(service, { DATABASE_URL: url }).DATABASE_URL;
  const store = await openStore(layoutOf(service), location, { create: true });
  for (const [number, token] of tokens.entries()) {
    await store.tokens.add({ name: `tests-${number}`, hash: hashToken(token), scopes });
  }
  await store.close();
  return tokens;
}

/** Reads all stored records without the service. */
export async function readItems(url: string, { service }: Program = ITEMS): Promise<Item[]> {
  const location = readConfig(service, { DATABASE_URL: url }).DATABASE_URL;
  const store = await openStore(layoutOf(service), location, { create: false });
  try {
    // The start has compared the table with its description.
    return (await Array.fromAsync(store.list(tableOf(store)))).flat() as unknown as Item[];
  } finally {
    await store.close();
  }
}
