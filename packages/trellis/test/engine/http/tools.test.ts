import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GARDEN, gardenOperations } from '../../services/garden/garden.ts';
import { startApp } from '../../support/app.ts';
import { byHand, JSON_TYPE, open, sendRaw, VALID } from '../../support/raw.ts';
import { until } from '../../support/until.ts';
import type { Handler } from '../../../src/service.ts';

const NOW = new Date('2026-02-28T10:00:00Z');

let signals: AbortSignal[] = [];
afterEach(() => {
  signals = [];
});
const waits: Handler = async (_request, { signal }) => {
  signals.push(signal);
  await sleep(30_000, undefined, { signal });
  return { status: 204 };
};
const asks: Handler = (_request, { signal }) => {
  signals.push(signal);
  return Promise.resolve({ status: 204 });
};
const [begun, left] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
const asksLate: Handler = async (_request, tools) => {
  begun.resolve(undefined);
  await left.promise;
  signals.push(tools.signal, tools.signal);
  return { status: 204 };
};
const app = await startApp({
  yaml: GARDEN,
  now: () => NOW,
  operations: {
    ...gardenOperations,
    newestBed: waits,
    askGate: asks,
    mendGate: asksLate,
    addNote: (_request, { now }) => Promise.resolve({ status: 200, body: now() }),
    getWeather: (_request, { log, caller }) => {
      log.warn({ tokenOf: caller?.name }, 'it rains');
      return Promise.resolve({ status: 204, headers: { 'X-Rain': true } });
    },
  },
});
const { AUTH, request } = byHand(app);
const wait = (id: string) => request('GET /v1:b/beds/newest', `X-Request-Id: ${id}`);

test('an operation logs with the id of its request', async () => {
  const { status } = await sendRaw(
    app.url,
    request('GET /v1:b/weather', AUTH, 'X-Request-Id: wet', 'Connection: close'),
  );
  expect(status).toBe(204);
  expect(app.log.filter(({ requestId }) => requestId === 'wet')).toMatchObject([
    { level: 40, tokenOf: 'tests', msg: 'it rains' },
    { level: 30, caller: 'tests', msg: 'request' },
  ]);
});

test('an operation reads the time from the clock of the app', async () => {
  const { body } = await sendRaw(
    app.url,
    request('POST /v1:b/notes', JSON_TYPE, 'Content-Length: 2', 'Connection: close') + '{}',
  );
  expect(body).toBe('"2026-02-28T10:00:00.000Z"');
});

describe('signals', () => {
  test.each([
    ['closes the connection', 'destroy'],
    ['resets the connection', 'resetAndDestroy'],
    ['ends its side of the connection', 'end'],
  ] as const)(
    'the signal of an operation aborts when its client %s, and the log line is no error',
    async (way, end) => {
      const { socket } = open(app);
      socket.write(wait(way.replaceAll(' ', '-')));
      await until(() => signals.length > 0);
      expect(signals[0]?.aborted).toBe(false);
      socket[end]();
      await until(() => signals[0]?.aborted);
      const line = await app.lineOf(way.replaceAll(' ', '-'));
      expect(line).toMatchObject({ level: 30, operation: 'newestBed', aborted: true });
      expect(line).not.toHaveProperty('status');
      socket.destroy();
    },
  );

  test('the signal of an operation aborts when its client disconnects, for each of its requests', async () => {
    const { socket } = open(app);
    socket.write(wait('first') + wait('second') + wait('third'));
    await until(() => signals.length === 3);
    socket.destroy();
    await until(() => signals.every(({ aborted }) => aborted));
    for (const id of ['first', 'second', 'third']) expect(await app.lineOf(id)).toMatchObject({ aborted: true });
  });

  test('the signal of an operation aborts when its client disconnected before the operation asked for the signal', async () => {
    const { socket } = open(app);
    socket.write(request('PATCH /v1:b/gate', 'X-Request-Id: early', 'Content-Length: 0'));
    await begun.promise;
    socket.resetAndDestroy();
    await app.lineOf('early');
    left.resolve(undefined);
    await until(() => signals.length > 0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

test('the signal of an operation does not abort when its client leaves after the reply', async () => {
  const connection = open(app);
  for (let count = 1; count <= 3; count++) {
    connection.socket.write(request('OPTIONS /v1:b/gate'));
    await until(() => connection.received.split('HTTP/1.1 204').length > count);
  }
  connection.socket.end();
  // The service closes its side after it has seen that the client closed its own.
  await until(() => connection.socket.destroyed);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
});

test('an item is stored even if its client disconnects', async () => {
  const store = await startApp();
  const { socket } = open(store);
  socket.write(byHand(store).create(VALID), () => socket.destroy());
  await until(async () => (await store.stored()).length === 1);
});
