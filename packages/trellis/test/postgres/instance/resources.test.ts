import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Setup } from 'trellis';
import { main } from '../../../src/commands/main.ts';
import type { AnyService, Handler } from '../../../src/service.ts';
import { itemOperations, items } from '../../services/items/index.ts';
import type { tables } from '../../services/items/tables.ts';
import { ENGINES } from '../../support/derived.ts';
import { captured } from '../../support/io.ts';
import { createPlace } from '../../support/place.ts';
import { createItem, ROOT, runCommand, startInstance } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const { createItem: createOne = () => Promise.reject(new Error('there is none')) } = itemOperations;

const ITEM = '{"id":1,"name":"Ginkgo"}';

/** A service whose resource creates items, and notes its opening, abort and disposal in `events`. */
function keeping(events: string[]): AnyService {
  const resources = async ({ database, signal, create }: Setup<typeof tables>) => {
    events.push('opened');
    signal.addEventListener('abort', () => events.push('aborted'));
    // The store is open for reads and writes.
    await create('items', { id: 100n, name: 'opened', tag: undefined });
    const keep = (name: string) => create('items', { id: 101n, name, tag: undefined });
    return {
      keep,
      [Symbol.asyncDispose]: async () => {
        const rows = await database.selectFrom('items').selectAll().execute();
        events.push(`disposed of with ${rows.length} rows`);
      },
    };
  };
  type Kept = Awaited<ReturnType<typeof resources>>;
  const createAndKeep: Handler = async (request, tools) => {
    await (tools.resources as Kept).keep('one');
    events.push('kept');
    return await createOne(request, tools);
  };
  return { ...items, resources, operations: { createItem: createAndKeep } };
}

test.each(ENGINES)(
  'a service on %s opens its resources before the first request, and disposes of them after the last reply',
  async (engine) => {
    const { url, token } = await createPlace(engine);
    const events: string[] = [];
    const service = keeping(events);
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    const createAndWait: Handler = async (request, tools) => {
      const reply = await (service.operations['createItem'] as Handler)(request, tools);
      await held;
      events.push('replied');
      return reply;
    };
    const instance = await startInstance(
      { DATABASE_URL: url },
      { ...service, operations: { createItem: createAndWait } },
    );
    expect(events).toEqual(['opened']);
    const reply = createItem({ url: instance.url, token }, ITEM);
    await until(() => events.includes('kept'));
    const stopped = instance.stop();
    await until(() => events.includes('aborted'));
    release(undefined);
    expect((await reply).status).toBe(200);
    expect(await stopped).toBe(0);
    expect(events).toEqual(['opened', 'kept', 'aborted', 'replied', 'disposed of with 3 rows']);
  },
);

test.each(ENGINES)('an import to %s opens the resources of its operation, and a dry run none', async (engine) => {
  const { url } = await createPlace(engine);
  const events: string[] = [];
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), `${ITEM}\n`);
  const run = (...args: readonly string[]) =>
    runCommand(['import', 'items.ndjson', ...args], { DATABASE_URL: url }, folder, keeping(events));
  expect(await run('--dry-run')).toMatchObject({ code: 0 });
  expect(events).toEqual([]);
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 created') });
  expect(events).toEqual(['opened', 'kept', 'aborted', 'disposed of with 3 rows']);
});

test('a service whose resources cannot be opened stops with the reason, and aborts their signal', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), `${ITEM}\n`);
  const events: string[] = [];
  const service: AnyService = {
    ...items,
    resources: ({ signal }: Setup) => {
      signal.addEventListener('abort', () => events.push('aborted'));
      throw new Error('WEATHER_KEY is not set');
    },
  };
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}`, PORT: '0' };
  const stderr = 'item-store: the service could not open its resources: WEATHER_KEY is not set\n';
  const ended = await runCommand(['serve'], environment, folder, service);
  expect(ended).toMatchObject({ code: 1, stderr });
  expect(ended.stdout).toContain('resources.test.ts');
  expect(ended.stdout).not.toContain('listening');
  expect(events).toEqual(['aborted']);
  expect(await runCommand(['import', 'items.ndjson'], environment, folder, service)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(stderr),
  });
});

test('a service that gets SIGTERM while it opens its resources stops without a failure', async () => {
  const events: string[] = [];
  const service: AnyService = {
    ...items,
    resources: async ({ signal }: Setup) => {
      events.push('opening');
      await sleep(600_000, undefined, { signal });
    },
  };
  const { io, exited } = captured({ DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}`, PORT: '0' }, ROOT);
  const ended = Promise.race([main(service, ['serve'], io), exited]);
  await until(() => events.length > 0).finally(() => io.emit('SIGTERM', 'SIGTERM'));
  expect(await ended).toBe(0);
});

test('a service whose resources cannot be disposed of ends with the reason, on stderr and in its log', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), `${ITEM}\n`);
  const dispose = () => {
    throw new Error('the buffer is lost');
  };
  const service: AnyService = { ...items, resources: () => ({ [Symbol.dispose]: dispose }) };
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}`, PORT: '0' };
  const reason = 'the service could not dispose of its resources';
  const logged = expect.objectContaining({
    msg: reason,
    err: expect.objectContaining({ message: 'the buffer is lost' }),
  });
  const said = `item-store: ${reason}: the buffer is lost\n`;

  const instance = await startInstance(environment, service);
  expect(await instance.stop()).toBe(1);
  expect(instance.log()).toContainEqual(logged);
  expect(instance.stderr().endsWith(`\n${said}`)).toBe(true);

  const ended = await runCommand(['import', 'items.ndjson'], environment, folder, service);
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^{.*"msg":"${reason}"}\n${said}$`)),
  });
});
