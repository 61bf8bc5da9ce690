import { describe, expect, test } from '@jest/globals';
import { StoreUnavailable } from '../../../src/storage/store-errors.ts';
import { itemOperations } from '../../services/items/index.ts';
import { type RawAnswer, sendRaw, VALID } from '../../support/raw.ts';
import { startApp, type TestApp, YAML } from '../../support/app.ts';

const ORIGIN = 'https://app.example';
const app = await startApp({ corsOrigins: [ORIGIN, 'http://localhost:8080'] });

/** The CORS header fields of a reply, and Vary. */
function permission({ headers }: RawAnswer): Record<string, string> {
  const fields = Object.entries(headers).filter(([name]) => /^access-control-|^vary$/.test(name));
  return Object.fromEntries(fields.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

const READABLE = {
  'allow-origin': ORIGIN,
  'expose-headers': 'Idempotent-Replayed,RateLimit,RateLimit-Policy,X-Request-Id,WWW-Authenticate,Retry-After',
  vary: 'Origin',
};
const HIDDEN = { vary: 'Origin' };

async function ask(
  { url }: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  body = '',
): Promise<RawAnswer> {
  const { host } = new URL(url);
  const all = { Host: host, Connection: 'close', 'Content-Length': String(body.length), ...fields };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return sendRaw(url, `${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}

const withToken = ({ token }: Pick<TestApp, 'token'>, origin = ORIGIN) => ({
  Origin: origin,
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
});
const preflight = (origin: string) => ({
  Origin: origin,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type',
});

describe('listed origins', () => {
  test.each([
    ['200', 'POST', '/items', withToken(app), VALID],
    ['400', 'POST', '/items', withToken(app), '{'],
    ['401', 'POST', '/items', { Origin: ORIGIN }, VALID],
    ['405', 'GET', '/items', { Origin: ORIGIN }, ''],
    ['405', 'OPTIONS', '/items', { Origin: ORIGIN }, ''],
    ['404', 'GET', '/none', { Origin: ORIGIN }, ''],
    ['400', 'GET', '/items', { Origin: ORIGIN, Host: 'two, hosts' }, ''],
    ['200', 'GET', '/openapi.json', { Origin: ORIGIN }, ''],
    ['200', 'GET', '/openapi.yaml', { Origin: ORIGIN }, ''],
  ])('a page of a listed origin may read the answer %s to %s %s', async (status, method, path, fields, body) => {
    const answer = await ask(app, method, path, fields, body);
    const vary = path.startsWith('/openapi.') ? 'Origin, Accept-Encoding' : 'Origin';
    expect([String(answer.status), permission(answer)]).toEqual([status, { ...READABLE, vary }]);
  });

  test('a page of a listed origin may read the answers 429, 500 and 503', async () => {
    const failures = [new Error('sabotage'), new StoreUnavailable('away')];
    const failing = await startApp({
      beside: app,
      corsOrigins: [ORIGIN],
      rateLimit: { requests: 2, windowMs: 60_000 },
      operations: { createItem: () => Promise.reject(failures.shift() ?? new Error('another')) },
    });
    for (const status of [500, 503, 429]) {
      const answer = await ask(failing, 'POST', '/items', withToken(failing), VALID);
      expect([answer.status, permission(answer)]).toEqual([status, READABLE]);
    }
  });

  test('a page of a listed origin gets 400 for a preflight request without a Host', async () => {
    const { text } = await sendRaw(
      app.url,
      `OPTIONS /items HTTP/1.1\r\nOrigin: ${ORIGIN}\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a page of a listed origin learns what it may send from a preflight request, on any path and without a token', async () => {
    for (const path of ['/items', '/none', '/openapi.json']) {
      const answer = await ask(app, 'OPTIONS', path, preflight(ORIGIN));
      expect([answer.status, answer.body, permission(answer)]).toEqual([
        204,
        '',
        {
          ...READABLE,
          'allow-methods': 'GET,HEAD,POST',
          'allow-headers': 'Authorization,Content-Type,Content-Encoding,X-Request-Id,Traceparent,Tracestate,Baggage',
          'max-age': '600',
        },
      ]);
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(answer.headers).toHaveProperty('x-request-id');
    }
  });

  test('a page of a listed origin may send the header fields of CORS_HEADERS too, from an app in a web view', async () => {
    const { url } = await startApp({
      corsOrigins: ['capacitor://localhost'],
      corsHeaders: ['X-Requested-With'],
      beside: app,
    });
    const { headers } = await ask({ url }, 'OPTIONS', '/items', preflight('capacitor://localhost'));
    expect([headers['access-control-allow-origin'], headers['access-control-allow-headers']]).toEqual([
      'capacitor://localhost',
      expect.stringMatching(/,Baggage,X-Requested-With$/),
    ]);
  });

  test('a page of a listed origin may use the methods and header fields that the operations declare', async () => {
    const count = '{ name: X-Count, in: header, schema: { type: string } }';
    const total = 'headers: { X-Total: { schema: { type: integer } } }';
    const responses = `{ '204': { description: done, ${total} }, default: { $ref: '#/components/responses/Failure' } }`;
    const methods = ['put', 'delete'].map(
      (method) => `    ${method}: { operationId: ${method}Bed, parameters: [${count}], responses: ${responses} }\n`,
    );
    const done = () => Promise.resolve({ status: 204 });
    const { url } = await startApp({
      beside: app,
      yaml: YAML.replace('url: /\n', 'url: /v1:b\n').replace('paths:\n', `$&  /beds/1:\n${methods.join('')}`),
      operations: { ...itemOperations, putBed: done, deleteBed: done },
      corsOrigins: ['*'],
      basePath: '/api',
    });
    const answer = await ask({ url }, 'OPTIONS', '/api/v1:b/beds/1', preflight(ORIGIN));
    expect(permission(answer)).toMatchObject({
      'allow-methods': expect.stringMatching(/^GET,HEAD,(?=.*PUT)(?=.*DELETE)/),
      'allow-headers': expect.stringMatching(/^Authorization,.*,X-Count/),
      'expose-headers': expect.stringContaining('X-Total'),
    });
  });
});

describe('other origins', () => {
  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'null',
    ORIGIN.toUpperCase(),
  ])('a page of another origin may neither send a preflight request nor read a reply: %s', async (origin) => {
    const asked = await ask(app, 'OPTIONS', '/items', preflight(origin));
    expect([asked.status, permission(asked)]).toEqual([405, HIDDEN]);
    expect((await ask(app, 'OPTIONS', '/none', preflight(origin))).status).toBe(404);
    const answer = await ask(app, 'POST', '/items', withToken(app, origin), VALID);
    expect([answer.status, permission(answer)]).toEqual([200, HIDDEN]);
  });

  test('a page of another origin cannot use a cached reply to a listed origin, as each reply has Vary: Origin', async () => {
    expect(permission(await ask(app, 'GET', '/', {}))).toEqual(HIDDEN);
    const file = await ask(app, 'GET', '/openapi.json', { Origin: ORIGIN });
    expect(file.text.match(/^Vary: .*/gm)).toEqual(['Vary: Origin, Accept-Encoding']);
  });
});

test('CORS_ORIGINS=* lets pages of any origin read replies', async () => {
  const open = await startApp({ corsOrigins: ['*'], beside: app });
  for (const origin of [ORIGIN, 'null']) {
    expect(permission(await ask(open, 'POST', '/items', withToken(open, origin), VALID))).toEqual({
      'allow-origin': '*',
      'expose-headers': READABLE['expose-headers'],
    });
    expect((await ask(open, 'OPTIONS', '/items', preflight(origin))).status).toBe(204);
  }
});

test('without CORS_ORIGINS, replies have no CORS header fields', async () => {
  const closed = await startApp({ beside: app });
  const asked = await ask(closed, 'OPTIONS', '/items', preflight(ORIGIN));
  expect([asked.status, permission(asked)]).toEqual([405, {}]);
  expect(permission(await ask(closed, 'POST', '/items', withToken(closed), VALID))).toEqual({});
});

test('a preflight request with a body gets Connection: close', async () => {
  const fields = { ...preflight(ORIGIN), Connection: 'keep-alive', 'Content-Length': '1000000000' };
  const answer = await ask(app, 'OPTIONS', '/items', fields, '{');
  expect([answer.status, answer.headers['connection']]).toEqual([204, 'close']);
});
