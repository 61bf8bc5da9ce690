import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashToken, makeToken } from '../../src/auth/token.ts';
import { operations } from '../../src/operations/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { THINGS } from '../support/contracts.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../support/raw.ts';
import { blocks } from '../support/readme.ts';
import { createPlant, type Service, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;
const TOO_MANY = {
  error: 42900,
  message: 'too many requests: try again after the seconds of Retry-After',
};

/** A service where each token may send so many requests in an hour. */
function limitedTo(requests: number, options: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  return startApp({ rateLimit: { requests, windowMs: HOUR_MS }, ...options });
}

function plant(id: number): string {
  return JSON.stringify({ id, name: 'x' });
}

async function create(app: { url: string; token: string }, body: string): Promise<[number, string | null]> {
  const response = await createPlant(app, body);
  await response.text();
  return [response.status, response.headers.get('ratelimit')?.replace(/; t=.*/, '') ?? null];
}

async function addToken({ store, url }: TestApp, name: string): Promise<{ url: string; token: string }> {
  const token = makeToken();
  await store.tokens.add({ name, hash: hashToken(token) });
  return { url, token };
}

describe('a limit of 5 requests in 2 s', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT: '5/2s' });
  });

  test('lets exactly 5 pass, says truthfully when the next one will, and ends with the process', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => createPlant(service, plant(id))));
    const [refused, ...more] = answers.filter(({ status }) => status !== 200);
    expect(more).toEqual([]);
    expect(refused?.status).toBe(429);
    expect(await refused?.json()).toEqual(TOO_MANY);
    const wait = Number(refused?.headers.get('retry-after'));
    expect([1, 2]).toContain(wait);
    expect(answers.map(({ headers }) => headers.get('ratelimit')?.replace(/; t=.*/, '')).toSorted()).toEqual(
      [0, 0, 1, 2, 3, 4].map((left) => `"caller"; r=${left}`),
    );
    await sleep(wait * 1000);
    expect(await create(service, plant(7))).toEqual([200, '"caller"; r=4']);
    expect(await service.stop()).toBe(0);
    expect(service.log()).toContainEqual(expect.objectContaining({ caller: 'first', status: 429, error: 42900 }));
  });
});

describe('a limit by token', () => {
  test('counts for each token by itself', async () => {
    const app = await limitedTo(2);
    const other = await addToken(app, 'other');
    for (const each of [app, other]) {
      expect([await create(each, VALID), await create(each, VALID), await create(each, VALID)]).toEqual([
        [200, '"caller"; r=1'],
        [200, '"caller"; r=0'],
        [429, '"caller"; r=0'],
      ]);
    }
  });

  test('counts whatever reached the operation: replays, what is refused, and failures; not other paths and methods', async () => {
    const failing = () => Promise.reject(new Error('sabotage'));
    const app = await limitedTo(5, { operations: { createPlant: operations.createPlant } });
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=4']);
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=3']);
    expect(await create(app, 'x')).toEqual([400, '"caller"; r=2']);
    const headers = { Authorization: `Bearer ${app.token}` };
    for (const [path, status] of [
      ['/plants', 405],
      ['/none', 404],
      ['/openapi.json', 200],
    ] as const) {
      const response = await fetch(app.url + path, { headers });
      expect([response.status, response.headers.get('ratelimit'), response.headers.get('ratelimit-policy')]).toEqual([
        status,
        null,
        null,
      ]);
    }
    expect(await create(app, VALID.replace('x', 'y'))).toEqual([400, '"caller"; r=1']);
    expect(await create(await limitedTo(1, { operations: { createPlant: failing } }), VALID)).toEqual([
      500,
      '"caller"; r=0',
    ]);
  });

  test('counts requests that come without waiting for answers; nothing of those beyond is stored', async () => {
    const app = await limitedTo(9);
    // A token that is known does not have to be waited for: all of them can be counted at once.
    expect(await create(app, plant(99))).toEqual([200, '"caller"; r=8']);
    const { HOST, AUTH, post } = byHand(app);
    const creates = Array.from({ length: 20 }, (_, id) => {
      const body = plant(id);
      return post(HOST, AUTH, JSON_TYPE, `Content-Length: ${body.length}`) + body;
    });
    const { text } = await sendRaw(app.url, creates.join(''), `GET / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`);
    const statuses = (count: number, status: string) => Array.from({ length: count }, () => status);
    expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual([...statuses(8, '200'), ...statuses(12, '429'), '404']);
    expect((await app.plants()).map(({ id }) => id)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 99n]);
  });

  test('counts each by itself of those that come in one packet', async () => {
    const app = await limitedTo(3);
    await create(app, VALID);
    const { HOST, AUTH, post } = byHand(app);
    const empty = post(HOST, AUTH, JSON_TYPE, 'Content-Length: 0');
    const { text } = await sendRaw(
      app.url,
      empty + empty + empty + `GET / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`,
    );
    expect(text.match(/(?<=HTTP\/1\.1 )\d+|r=\d/g)).toEqual(['400', 'r=1', '400', 'r=0', '429', 'r=0', '404']);
  });

  test('keeps the connection of one that is beyond, and was whole', async () => {
    const app = await limitedTo(1);
    await create(app, VALID);
    const { HOST, AUTH, post } = byHand(app);
    const whole = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${VALID.length}`) + VALID;
    const { text } = await sendRaw(app.url, whole + whole, `GET / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`);
    expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['429', '429', '404']);
  });

  test('does not read the body of one that is beyond', async () => {
    const app = await limitedTo(1);
    const { HOST, AUTH, post } = byHand(app);
    await create(app, VALID);
    for (const expectation of [[], ['Expect: 100-continue']]) {
      const head = post(HOST, AUTH, JSON_TYPE, ...expectation, 'Content-Length: 1000000000');
      const answer = await sendRaw(app.url, head, '{');
      expect([answer.status, answer.headers['connection'], JSON.parse(answer.body)]).toEqual([429, 'close', TOO_MANY]);
      expect(answer.text).not.toContain('100 Continue');
      expect(answer.ms).toBeLessThan(2000);
    }
  });

  test('counts nobody who has no valid token, and a token that is revoked gets 401', async () => {
    const app = await limitedTo(1);
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => create({ url: app.url, token: makeToken() }, VALID)),
    );
    expect(new Set(answers.map(String))).toEqual(new Set(['401,']));
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=0']);
    expect(await create(app, VALID)).toEqual([429, '"caller"; r=0']);
    await app.store.tokens.revoke('tests');
    await sleep(1000);
    expect(await create(app, VALID)).toEqual([401, null]);
  });

  test('leaves operations alone that need no token', async () => {
    const thing = () => Promise.resolve({ status: 204 });
    const things = { newestThing: thing, getThing: thing, putThing: thing };
    const { url } = await limitedTo(1, { yaml: THINGS, operations: things });
    for (let time = 0; time < 3; time++) expect((await fetch(`${url}/things/newest`)).status).toBe(204);
  });

  test('is told as the README shows it', async () => {
    const service = await startService({ RATE_LIMIT: '600/60s' });
    const { headers } = await createPlant(service, VALID);
    const sent = ['RateLimit-Policy', 'RateLimit'].map((name) => `${name}: ${headers.get(name) ?? ''}\n`);
    expect(blocks('Rate limits', 'console')).toEqual([sent.join('').replace('; t=59', '; t=60')]);
    await service.stop();
  });

  test('is not there unless it is set', async () => {
    const app = await startApp();
    expect(await create(app, VALID)).toEqual([200, null]);
  });
});
