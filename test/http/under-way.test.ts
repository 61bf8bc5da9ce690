import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { MAX } from '../../src/http/bounds.ts';
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
  expect(length).toBeGreaterThan(MAX.underWay / 2);
  expect(length).toBeLessThan(2 * MAX.underWay);
});

test('a request that is refused as too much is under way keeps its connection', async () => {
  const done = Promise.withResolvers<{ status: number; body: object }>();
  let taken = 0;
  const take = () => {
    taken++;
    return done.promise;
  };
  const app = await startApp({ operations: { createPlant: take } });
  const { HOST, AUTH, post } = byHand(app);
  const waiting = Array.from({ length: MAX.underWay }, () => createPlant(app, VALID));
  while (taken < MAX.underWay) await new Promise((resolve) => setTimeout(resolve, 5));
  const whole = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${VALID.length}`) + VALID;
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const closed = once(socket, 'close');
  const answers: string[] = [];
  try {
    for (const request of [whole, whole]) {
      socket.write(request);
      const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [unknown];
      answers.push(String(answer).replaceAll(/^HTTP\/1\.1 (\d+)[^]*Connection: ([\w-]+)[^]*/g, '$1 $2'));
    }
  } finally {
    done.resolve({ status: 200, body: { name: 'x' } });
    expect((await Promise.all(waiting)).filter(({ status }) => status !== 200)).toEqual([]);
  }
  expect(answers).toEqual(['503 keep-alive', '503 keep-alive']);
});
