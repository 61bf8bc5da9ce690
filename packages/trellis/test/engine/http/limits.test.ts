import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { makeToken } from '../../../src/auth/token.ts';
import { inTime } from '../../support/in-time.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../../support/raw.ts';
import { blocks } from '../../support/readme.ts';
import { createItem, startInstance } from '../../support/service.ts';
import { addToken, startApp, type TestApp, YAML } from '../../support/app.ts';
import { itemOperations, itemsIn } from '../../services/items/index.ts';

const HOUR_MS = 3_600_000;

/** The answer to a caller over its limit, with the same wait in the message and in Retry-After. */
function tooMany(retryAfter = '') {
  return {
    error: 42900,
    message: `too many requests: try again in ${retryAfter} second${retryAfter === '1' ? '' : 's'}`,
  };
}

const unlimited = await startApp();

/** A service that accepts this number of requests of each token in an hour. */
function limitedTo(requests: number, options: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  return startApp({ rateLimit: { requests, windowMs: HOUR_MS }, beside: unlimited, ...options });
}

function item(id: number): string {
  return JSON.stringify({ id, name: 'x' });
}

async function create(app: { url: string; token: string }, body: string): Promise<[number, string | null]> {
  const response = await createItem(app, body);
  await response.text();
  return [response.status, response.headers.get('ratelimit')?.replace(/; t=.*/, '') ?? null];
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('a limit of 5 requests in 2 s accepts exactly 5, and the next one after the time in Retry-After', async () => {
  // A busy machine may need more than the 2 s for these requests.
  const [service, answers] = await inTime(async () => {
    const limited = await startInstance({ RATE_LIMIT: '5/2s' });
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => createItem(limited, item(id))));
    expect(all.some(({ status }) => status === 429)).toBe(true);
    return [limited, all] as const;
  });
  const [refused, ...more] = answers.filter(({ status }) => status !== 200);
  expect(more).toEqual([]);
  expect(refused?.status).toBe(429);
  const retryAfter = refused?.headers.get('retry-after') ?? '';
  expect(await refused?.json()).toEqual(tooMany(retryAfter));
  const wait = Number(retryAfter);
  expect([1, 2]).toContain(wait);
  expect(answers.map(({ headers }) => headers.get('ratelimit')?.replace(/; t=.*/, '')).toSorted()).toEqual(
    [0, 0, 1, 2, 3, 4].map((left) => `"caller"; r=${left}`),
  );
  await sleep(wait * 1000);
  expect(await create(service, item(7))).toEqual([200, '"caller"; r=4']);
  expect(await service.stop()).toBe(0);
  expect(service.log()).toContainEqual(expect.objectContaining({ caller: 'first', status: 429, error: 42900 }));
});

describe('the limiter', () => {
  test('counts each token separately', async () => {
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

  test('counts replays, refusals and failures of the operation, but not other paths and methods', async () => {
    const failing = () => Promise.reject(new Error('sabotage'));
    const app = await limitedTo(5, { operations: { ...itemOperations } });
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=4']);
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=3']);
    expect(await create(app, 'x')).toEqual([400, '"caller"; r=2']);
    const headers = { Authorization: `Bearer ${app.token}` };
    for (const [path, status] of [
      ['/items', 405],
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
    expect(await create(await limitedTo(1, { operations: { createItem: failing } }), VALID)).toEqual([
      500,
      '"caller"; r=0',
    ]);
  });

  test('counts each request of one packet, and stores no item beyond the limit', async () => {
    const app = await limitedTo(9, { beside: undefined });
    // After this the service knows the token, and can count all requests of the packet at once.
    expect(await create(app, item(99))).toEqual([200, '"caller"; r=8']);
    const { create: written, LAST } = byHand(app);
    const creates = Array.from({ length: 12 }, (_, id) => written(item(id)));
    const empty = written('');
    const { text } = await sendRaw(app.url, empty + creates.join('') + LAST);
    const taken = [6, 5, 4, 3, 2, 1, 0].flatMap((left) => ['200', `r=${left}`]);
    const beyond = Array.from({ length: 5 }, () => ['429', 'r=0']).flat();
    expect(text.match(/(?<=HTTP\/1\.1 )\d+|r=\d/g)).toEqual(['400', 'r=7', ...taken, ...beyond, '404']);
    expect((await itemsIn(app.store)).map(({ id }) => id)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 99n]);
  });

  test('keeps the connection when it refuses a complete request, and closes it instead of reading a body', async () => {
    const app = await limitedTo(1);
    await create(app, VALID);
    const { HOST, AUTH, post, create: written, LAST } = byHand(app);
    const { statuses } = await sendRaw(app.url, written(VALID) + written(VALID) + LAST);
    expect(statuses).toEqual([429, 429, 404]);
    for (const expectation of [[], ['Expect: 100-continue']]) {
      const head = post(HOST, AUTH, JSON_TYPE, ...expectation, 'Content-Length: 1000000000');
      await inTime(async () => {
        const answer = await sendRaw(app.url, head, '{');
        expect([answer.statuses, answer.headers['connection']]).toEqual([[429], 'close']);
        expect(JSON.parse(answer.body)).toEqual(tooMany(answer.headers['retry-after']));
        expect(answer.ms).toBeLessThan(2000);
      });
    }
  });

  test('does not count requests without a valid token', async () => {
    const app = await limitedTo(1);
    for (let times = 0; times < 5; times++) {
      const unknown = Array.from({ length: 10 }, () => create({ url: app.url, token: makeToken('item-store') }, VALID));
      expect(new Set((await Promise.all(unknown)).map(String))).toEqual(new Set(['401,']));
    }
    expect(await create(app, VALID)).toEqual([200, '"caller"; r=0']);
    expect(await create(app, VALID)).toEqual([429, '"caller"; r=0']);
  });

  test('is not affected when the system clock is set back', async () => {
    const now = Date.now.bind(Date);
    await inTime(async () => {
      jest.restoreAllMocks();
      const app = await limitedTo(1, { rateLimit: { requests: 1, windowMs: 1000 } });
      expect((await createItem(app, VALID)).status).toBe(200);
      jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
      const refused = await createItem(app, VALID);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      await sleep(1000);
      expect((await createItem(app, VALID)).status).toBe(200);
    });
  });

  test('does not limit operations that need no token', async () => {
    const responses = "{ '204': { description: free }, default: { $ref: '#/components/responses/Failure' } }";
    const { url } = await limitedTo(1, {
      yaml: YAML.replace(
        'paths:\n',
        `$&  /free: { get: { operationId: free, security: [], responses: ${responses} } }\n`,
      ),
      operations: { ...itemOperations, free: () => Promise.resolve({ status: 204 }) },
    });
    for (let time = 0; time < 3; time++) expect((await fetch(`${url}/free`)).status).toBe(204);
  });

  test('sends the header fields that the manual shows', async () => {
    const { headers } = await createItem(
      await limitedTo(600, { rateLimit: { requests: 600, windowMs: 60_000 } }),
      VALID,
    );
    const sent = ['RateLimit-Policy', 'RateLimit'].map((name) => `${name}: ${headers.get(name) ?? ''}\n`);
    expect(blocks('configuration', 'Rate limits', 'console')).toEqual([sent.join('').replace(/t=5\d/, 't=60')]);
  });

  test('sends no header fields if RATE_LIMIT is unset', async () => {
    expect(await create(unlimited, VALID)).toEqual([200, null]);
  });
});
