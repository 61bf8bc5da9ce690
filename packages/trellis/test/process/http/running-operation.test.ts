import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { byHand, open, sendRaw } from '../../support/raw.ts';
import { createItem, ROOT, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const MAIN = fileURLToPath(new URL('running-operation-main.ts', import.meta.url));
const service = await startService({}, ROOT, MAIN);
const create = async (name: string) => (await createItem(service, JSON.stringify({ id: 1, name }))).status;
const MESSAGE = 'something failed that no request awaits';
const failures = () => service.log().filter(({ msg }) => msg === MESSAGE);

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
  'does not await a create that fails',
  'starts a worker that throws',
])('the client gets 200, the log an error, and the process lives on, if an operation %s', async (misdeed) => {
  const before = failures().length;
  expect(await create(misdeed)).toBe(200);
  const [failure] = await until(() => failures().length > before && failures().slice(before));
  expect(failure).toMatchObject({ level: 'error', operation: 'createItem', err: { message: expect.any(String) } });
  expect(await isAlive()).toBe(true);
});

test.each([
  'wakes a timer of the resources',
  'wakes an emitter of the resources',
  'sends bytes to a server of the resources',
])('the log names the resources, and the process lives on, if an operation %s that throws', async (misdeed) => {
  const before = failures().length;
  expect(await create(misdeed)).toBe(200);
  await until(() => failures().length > before);
  expect(failures()[before]).toMatchObject({ place: 'resources', err: { message: 'failed unawaited' } });
  expect(await isAlive()).toBe(true);
});

const HALF = byHand(service).post('Content-Length: 9');

// Nothing ends these connections but the failure, or the client that resets one.
test.each([
  ['data', 'CONNECT any:1 HTTP/1.1\r\nHost: any\r\n\r\n', false],
  ['timeout', '', false],
  ['end', HALF, false],
  ['close', HALF, true],
  ['close', 'POST', true],
  ['close', '', true],
])(
  'the log names the connection, which ends, and the process lives on, if what listens to its %s throws',
  async (event, text, resets) => {
    const before = failures().length;
    expect(await create(`listens to ${event}`)).toBe(200);
    const { socket } = open(service);
    const closed = once(socket, 'close');
    socket.write(text);
    if (event === 'data') setTimeout(() => socket.write('more'), 50);
    if (event === 'end') socket.end();
    if (resets) setTimeout(() => socket.resetAndDestroy(), 50);
    await closed;
    await until(() => failures().length > before);
    expect(failures().slice(before)).toMatchObject([{ place: 'connection', err: { message: 'failed unawaited' } }]);
    expect(await isAlive()).toBe(true);
  },
);

test('the log gets an error, and the process lives on, if an operation throws when its client leaves', async () => {
  const before = failures().length;
  const { socket } = open(service);
  socket.write(byHand(service).create('{"id":1,"name":"throws when its client leaves"}', 'Expect: 100-continue'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await until(() => failures().length > before);
  expect(await isAlive()).toBe(true);
  expect((await sendRaw(service.url, byHand(service).LAST)).statuses).toEqual([404]);
});

test('a service that stops by a signal exits with 0 although its resources throw then', async () => {
  const before = failures().length;
  expect(await service.stop()).toBe(0);
  expect(failures().slice(before)).toMatchObject([{ place: 'resources' }]);
});

test('a service stops in order with 70 if something fails in a promise of the module', async () => {
  const own = await startService({}, ROOT, MAIN);
  expect((await createItem(own, '{"id":1,"name":"wakes a promise of the module"}')).status).toBe(200);
  expect(await own.ended).toBe(70);
  expect(own.stderr()).toContain('something failed in an unknown place: the log has its stack');
  const lines = own.log().filter(({ msg }) => !['request', MESSAGE].includes(String(msg)));
  expect(lines.slice(-3)).toMatchObject([
    { level: 'fatal', msg: 'something failed in an unknown place', err: { message: 'failed unawaited' } },
    { level: 'info', msg: 'stopping' },
    { level: 'info', msg: 'stopped' },
  ]);
});
