import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instance, startInstance } from '../src/instance/start.ts';
import type { AnyService } from '../src/service.ts';
import { newDatabase } from './postgres.ts';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;
export type EngineName = (typeof ENGINES)[number];

/** A service in the process of its tests. */
export interface TestInstance extends Instance {
  readonly service: AnyService;
  readonly databaseUrl: string;
}

/** See index.ts. */
export async function startOn(
  engine: EngineName,
  service: AnyService,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestInstance> {
  const given = settings['DATABASE_URL'];
  const store = given === undefined ? await newStore(engine) : { url: given, remove: () => Promise.resolve() };
  // A test that computes for long blocks the service too, which then resets an idle connection that a client takes.
  const all = { PORT: '0', LOG_LEVEL: 'warn', IDLE_TIMEOUT: '1h', ...settings, DATABASE_URL: store.url };
  try {
    const instance = await startInstance(service, all, process.stdout);
    const stop = async () => {
      await instance.stop();
      await store.remove();
    };
    return { ...instance, service, databaseUrl: store.url, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await store.remove();
    throw error;
  }
}

async function newStore(engine: EngineName): Promise<{ readonly url: string; readonly remove: () => Promise<void> }> {
  if (engine === 'PostgreSQL') return await newDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    return Promise.resolve();
  };
  return { url: `sqlite:${join(folder, 'store.db')}`, remove };
}
