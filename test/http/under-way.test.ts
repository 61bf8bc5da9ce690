import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { MOST_UNDER_WAY } from '../../src/http/under-way.ts';
import { startApp } from '../support/app.ts';
import { byHand, JSON_TYPE, VALID } from '../support/raw.ts';
import { createPlant } from '../support/service.ts';

test('clients that do not wait get no more of a turn of the event loop than may be under way', async () => {
  const app = await startApp();
  const { hostname, port } = new URL(app.url);
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      return socket.resume();
    }),
  );
  // A first request each, so that the service has taken every connection.
  const request = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n';
  await Promise.all(
    clients.map((socket) => {
      socket.write(request);
      return once(socket, 'data');
    }),
  );
  const answered = app.log.length;
  const ended = Promise.all(clients.map((socket) => once(socket, 'close')));
  // The system has all of it before the service, which is in this process, has a turn.
  for (const socket of clients) socket.end(request.repeat(1000));
  await ended;
  const { length } = app.log.slice(answered).filter(({ status }) => status === 404);
  expect(length).toBeGreaterThan(MOST_UNDER_WAY / 2);
  expect(length).toBeLessThan(2 * MOST_UNDER_WAY);
});

test('a request that is refused as too much is under way keeps its connection, if it came whole', async () => {
  const done = Promise.withResolvers<{ status: number; body: object }>();
  const app = await startApp({ operations: { createPlant: () => done.promise } });
  const { HOST, AUTH, post } = byHand(app);
  const waiting = Array.from({ length: MOST_UNDER_WAY }, () => createPlant(app, VALID));
  const isBusy = async () => JSON.stringify(await (await fetch(`${app.url}/none`)).json()).includes('busy');
  while (!(await isBusy()));
  const whole = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${String(VALID.length)}`) + VALID;
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const closed = once(socket, 'close');
  const answers: string[] = [];
  try {
    for (const request of [whole, whole, whole.slice(0, -1)]) {
      socket.write(request);
      const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [unknown];
      answers.push(String(answer).replaceAll(/^HTTP\/1\.1 (\d+)[^]*Connection: ([\w-]+)[^]*/g, '$1 $2'));
    }
  } finally {
    done.resolve({ status: 200, body: { name: 'x' } });
    expect((await Promise.all(waiting)).filter(({ status }) => status !== 200)).toEqual([]);
  }
  expect(answers).toEqual(['503 keep-alive', '503 keep-alive', '503 close']);
});
