import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/storage/open.ts';
import type { StoredPlant } from '../../src/storage/store.ts';
import { hashToken, makeToken } from '../../src/auth/token.ts';
import { PostgresServer } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary.ts';
import type { Scenario } from './scenario.ts';

/** An empty store of its own, and a token for it. */
export interface Place extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** The server, if there is one. */
  readonly server?: PostgresServer;
}

export async function createPlace(engine: Scenario['engine']): Promise<Place> {
  if (engine === 'SQLite') {
    const url = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
    return { url, token: await addToken(url), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const server = await PostgresServer.create();
  const url = server.url(await server.createDatabase());
  return { url, token: await addToken(url), server, [Symbol.asyncDispose]: () => server.remove() };
}

export async function addToken(url: string): Promise<string> {
  const [token = ''] = await addTokens(url, 1);
  return token;
}

export async function addTokens(url: string, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, makeToken);
  const store = await openStore(readConfig({ DATABASE_URL: url }).DATABASE_URL, { create: true });
  for (const [number, token] of tokens.entries()) {
    await store.tokens.add({ name: `faults-${number}`, hash: hashToken(token) });
  }
  await store.close();
  return tokens;
}

/** Every plant that is stored, read without the service. */
export async function readPlants(url: string): Promise<StoredPlant[]> {
  const store = await openStore(readConfig({ DATABASE_URL: url }).DATABASE_URL, { create: false });
  try {
    return (await Array.fromAsync(store.plants.list())).flat();
  } finally {
    await store.close();
  }
}

/** Does something until it succeeds, with a pause in between. */
export async function until(work: () => Promise<boolean>, pauseMs = 20): Promise<void> {
  while (!(await work())) await sleep(pauseMs);
}
