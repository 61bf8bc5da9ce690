import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { start } from 'trellis';
import { NO_SCOPES } from '../../../contract/src/scopes.ts';
import { items } from '../services/items/index.ts';
import { samples } from '../support/metrics.ts';
import { createPlace } from '../support/place.ts';
import { freePort } from '../support/port.ts';
import { createItem, ROOT, start as startProcess } from '../support/service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

const ITEM = '{"id":9007199254740993,"name":"Ginkgo"}';
const QUIET = { LOG_LEVEL: 'silent' };

test('two instances of a service run in one process at once, each with its store, its tokens and its metrics', async () => {
  const run = async (engine: 'SQLite' | 'PostgreSQL') => {
    const { url: DATABASE_URL } = await createPlace(engine);
    const ADMIN_PORT = String(await freePort());
    const instance = await start(items, { ...QUIET, DATABASE_URL, ADMIN_PORT });
    const creations = async () => {
      const text = await (await fetch(`http://127.0.0.1:${ADMIN_PORT}/metrics`)).text();
      expect(text).toContain('process_cpu_seconds_total');
      return samples(text, 'item_store_creations_total')['items created'];
    };
    return { instance, token: await instance.token(), creations };
  };
  const [one, other] = [await run('SQLite'), await run('PostgreSQL')];
  const create = async ({ url }: { readonly url: string }, token: string) => {
    const reply = await createItem({ url, token }, ITEM);
    return [reply.status, reply.headers.get('Idempotent-Replayed')];
  };
  expect(await create(one.instance, one.token)).toEqual([200, null]);
  expect(await create(one.instance, one.token)).toEqual([200, 'true']);
  expect(await create(one.instance, other.token)).toEqual([401, null]);
  expect([await one.creations(), await other.creations()]).toEqual([1, 0]);
  await one.instance.stop();
  await one.instance.stop();
  await expect(fetch(one.instance.url)).rejects.toThrow();
  expect(await create(other.instance, other.token)).toEqual([200, null]);
  expect(await other.creations()).toBe(1);
  await other.instance.stop();
});

test('an instance makes no token with a scope that no token can have', async () => {
  const { url: DATABASE_URL } = await createPlace('SQLite');
  await using instance = await start(items, { ...QUIET, DATABASE_URL });
  expect((await createItem({ url: instance.url, token: await instance.token([]) }, ITEM)).status).toBe(200);
  await expect(instance.token(['two words'])).rejects.toThrow(NO_SCOPES);
});

test('an instance leaves signals, the flags of V8, .env and the environment alone, and lets the process end', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'PORT=high\n');
  const script = `
    import { syncBuiltinESMExports } from 'node:module';
    import v8 from 'node:v8';
    v8.setFlagsFromString = (flag) => console.log(flag);
    syncBuiltinESMExports();
    const { start } = await import(${JSON.stringify(join(ROOT, 'packages/trellis/src/index.ts'))});
    const { items } = await import(${JSON.stringify(join(ROOT, 'packages/trellis/test/services/items/index.ts'))});
    const listeners = () => JSON.stringify(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
    const before = listeners();
    const settings = { DATABASE_URL: 'sqlite:' + ${JSON.stringify(join(folder, 'one.db'))}, LOG_LEVEL: 'silent' };
    const one = await start(items, settings);
    const port = new URL(one.url).port;
    await start(items, { ...settings, PORT: port }).catch(({ message }) => console.log(message.replace(port, 'PORT')));
    await start(items, { ...settings, PORT: 'low' }).catch(({ message }) => console.log(message));
    console.log(listeners() === before);
    await one.stop();`;
  writeFileSync(join(folder, 'main.mjs'), script);
  const { ended, stdout, stderr } = startProcess(process.execPath, ['main.mjs'], { HOST: 'not a host' }, folder);
  expect([await ended, stdout(), stderr()]).toEqual([
    0,
    'port PORT of 127.0.0.1 is in use: choose another port, or stop the process that uses it\n' +
      'PORT must be a port from 0 to 65535, not "low"\ntrue\n',
    '',
  ]);
});
