import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { byHand, open, sendRaw } from '../../support/raw.ts';
import { createItem, ROOT, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const service = await startService({}, ROOT, fileURLToPath(new URL('running-operation-main.ts', import.meta.url)));
const create = async (name: string) => (await createItem(service, JSON.stringify({ id: 1, name }))).status;
const MESSAGE = 'something failed that no request awaits';

/** Whether the same process still answers. */
async function isAlive(): Promise<boolean> {
  return (await create('x')) === 200 && service.child.exitCode === null && service.child.signalCode === null;
}

test.each([
  'throws before its promise',
  'throws undefined',
  'throws a symbol',
  'throws an object without a prototype',
  'throws an object that throws on each access',
  'throws an error that cannot be read',
  'throws an error with a member that cannot be read',
  'throws the word route',
  'throws the word router',
  'returns nothing',
  'returns an object that throws on each access',
  'returns a body that cannot be written',
  'returns a body whose member throws the word route',
])('the client gets 500, and the process lives on, if an operation %s', async (misdeed) => {
  const response = await createItem(service, JSON.stringify({ id: 1, name: misdeed }));
  expect([response.status, await response.json()]).toEqual([
    500,
    { error: 50000, message: expect.stringContaining('the service failed') },
  ]);
  const line = await until(() =>
    service.log().find(({ requestId }) => requestId === response.headers.get('x-request-id')),
  );
  expect(line).toMatchObject({ level: 'error', msg: 'request failed', operation: 'createItem', status: 500 });
  expect(line['err'] ?? line['failure']).toBeDefined();
  expect(await isAlive()).toBe(true);
});

test.each([
  'leaves a rejection unhandled',
  'leaves a rejection unhandled after its reply',
  'throws in a timer',
  'throws in a microtask',
  'emits an error that has no listener',
  'does not await a query that fails',
  'starts a worker that throws',
])('the client gets 200, the log an error, and the process lives on, if an operation %s', async (misdeed) => {
  const failures = () => service.log().filter(({ msg }) => msg === MESSAGE);
  const before = failures().length;
  expect(await create(misdeed)).toBe(200);
  const [failure] = await until(() => failures().length > before && failures().slice(before));
  expect(failure).toMatchObject({ level: 'error', operation: 'createItem', err: { message: expect.any(String) } });
  expect(await isAlive()).toBe(true);
});

test.each(['wakes a listener of the module', 'wakes a timer of the module', 'wakes a promise of the module'])(
  'the log gets an error, and the process lives on, if an operation %s that throws',
  async (misdeed) => {
    const failures = () => service.log().filter(({ msg }) => msg === MESSAGE);
    const before = failures().length;
    expect(await create(misdeed)).toBe(200);
    await until(() => failures().length > before);
    expect(failures()[before]).toMatchObject({ level: 'error', err: { message: 'failed unawaited' } });
    expect(await isAlive()).toBe(true);
  },
);

test('the log gets an error, and the process lives on, if an operation throws when its client leaves', async () => {
  const before = service.log().filter(({ msg }) => msg === MESSAGE).length;
  const { socket } = open(service);
  socket.write(byHand(service).create('{"id":1,"name":"throws when its client leaves"}', 'Expect: 100-continue'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await until(() => service.log().filter(({ msg }) => msg === MESSAGE).length > before);
  expect(await isAlive()).toBe(true);
  expect((await sendRaw(service.url, byHand(service).LAST)).statuses).toEqual([404]);
});
