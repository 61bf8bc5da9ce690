import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken } from '../../../src/auth/token.ts';
import type { Caller } from '../../../src/auth/caller.ts';
import { addToken, startApp } from '../../support/app.ts';
import { byHand, JSON_TYPE, sendRaw } from '../../support/raw.ts';
import type { Handler } from '../../../src/service.ts';

const OPERATIONS = {
  readAll: '',
  readOpen: 'security: []',
  readOptional: 'security: [{}, { bearerAuth: [admin] }]',
  readPlain: 'security: [{ bearerAuth: [] }]',
  readAny: 'security: [{ bearerAuth: [admin] }, { bearerAuth: [] }]',
  readEither: 'security: [{ bearerAuth: [a, b] }, { bearerAuth: [admin] }]',
  readMaybe: 'security: [{ bearerAuth: [] }, {}]',
};
const YAML = `
openapi: 3.1.0
info: { title: Scopes, version: 1.0.0 }
security: [{ bearerAuth: [read] }]
paths:
${Object.entries(OPERATIONS)
  .map(
    ([id, security]) => `
  /${id}:
    get:
      operationId: ${id}
      ${security}
      responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } }`,
  )
  .join('')}
  /write:
    post:
      operationId: write
      security: [{ bearerAuth: [write] }]
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
      responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } }
components:
  responses: { Failure: { description: it has failed, content: { application/json: { schema: { type: object } } } } }
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`;

let called: (Caller | undefined)[] = [];
const operation: Handler = (_request, { caller }) => {
  called.push(caller);
  return Promise.resolve({ status: 204 });
};
const operations = Object.fromEntries([...Object.keys(OPERATIONS), 'write'].map((id) => [id, operation]));
const app = await startApp({ yaml: YAML, operations });
let tokens = 0;

/** Sends a token with these scopes, or no token if they are undefined, and returns the answer. */
async function answerTo(id: keyof typeof OPERATIONS, scopes: string | undefined) {
  const name = `token-${++tokens}`;
  const { token } = await addToken(app, name, scopes?.split(' ').filter(Boolean));
  called = [];
  const headers = scopes === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`${app.url}/${id}`, { headers });
  const text = await response.text();
  return { name, response, text, status: response.status, challenge: response.headers.get('www-authenticate') };
}

describe('scopes', () => {
  test.each<[keyof typeof OPERATIONS, string | undefined, number, string?]>([
    ['readAll', 'read', 204],
    ['readAll', 'write read', 204],
    ['readAll', '', 403, 'read'],
    ['readAll', 'READ', 403, 'read'],
    ['readAll', 'rea reads', 403, 'read'],
    ['readAll', undefined, 401],
    ['readPlain', '', 204],
    ['readPlain', undefined, 401],
    ['readAny', '', 204],
    ['readAny', undefined, 401],
    ['readEither', 'a b', 204],
    ['readEither', 'admin', 204],
    ['readEither', 'a', 403, 'a b'],
    ['readEither', 'b read', 403, 'a b'],
    ['readOpen', undefined, 204],
    ['readOptional', undefined, 204],
    ['readOptional', 'admin', 204],
    ['readOptional', 'read', 403, 'admin'],
    ['readMaybe', undefined, 204],
    ['readMaybe', '', 204],
  ])(
    'the scopes of a token decide the answer: %s with the scopes %j gets %i',
    async (id, scopes, status, ...[missing]) => {
      const answer = await answerTo(id, scopes);
      expect(answer.status).toBe(status);
      expect(called).toHaveLength(status === 204 ? 1 : 0);
      if (missing === undefined) return;
      expect(answer.challenge).toBe(`Bearer realm="api", error="insufficient_scope", scope="${missing}"`);
      expect(JSON.parse(answer.text)).toEqual({
        error: 40300,
        message: `the access token must have the scope ${missing}`,
      });
      const { caller, error, reason } = await app.lineOf(answer.response);
      expect([caller, error, reason]).toEqual([answer.name, 40300, `the token ${answer.name} lacks scope`]);
    },
  );
});

describe('callers', () => {
  test('an operation gets its caller with the scopes of the token', async () => {
    await answerTo('readAll', 'read write');
    const name = `token-${tokens}`;
    expect(called).toEqual([{ key: `token ${name}`, name, subject: undefined, scopes: new Set(['read', 'write']) }]);
  });

  test('an operation gets no caller where the contract has no security for it, even if the client sends a token', async () => {
    for (const scopes of [undefined, 'admin']) {
      expect((await answerTo('readOpen', scopes)).status).toBe(204);
      expect(called).toEqual([undefined]);
    }
  });

  test('an operation gets a caller where a token is optional, if the client sends one', async () => {
    for (const id of ['readOptional', 'readMaybe'] as const) {
      for (const [scopes, expected] of [
        [undefined, []],
        ['admin', ['admin']],
      ] as const) {
        const { name, status } = await answerTo(id, scopes);
        const callers = called.map((caller) => caller && [caller.name, ...caller.scopes]);
        expect([status, callers]).toEqual([204, [scopes === undefined ? undefined : [name, ...expected]]]);
      }
    }
  });
});

test.each(['Bearer unknown', 'Bearer', 'Bearer ', '', 'Basic eDp5', 'Bearer a, Bearer b'])(
  'an operation with an optional token refuses the header Authorization: %s',
  async (authorization) => {
    for (const id of ['readOptional', 'readMaybe'] as const) {
      called = [];
      const { status } = await sendRaw(
        app.url,
        byHand(app).request(`GET /${id}`, `Authorization: ${authorization}`, 'Connection: close'),
      );
      expect([status, called]).toEqual([401, []]);
    }
  },
);

test('an operation with an optional token limits the requests of callers, and not those without a token', async () => {
  const limited = await startApp({
    beside: app,
    yaml: YAML,
    operations,
    rateLimit: { requests: 1, windowMs: 3_600_000 },
  });
  const { url, token } = await addToken(limited, 'limited', []);
  const statusOf = async (headers = {}) => (await fetch(`${url}/readMaybe`, { headers })).status;
  const headers = { Authorization: `Bearer ${token}` };
  const statuses = [await statusOf(headers), await statusOf(headers), await statusOf(), await statusOf()];
  expect(statuses).toEqual([204, 429, 204, 204]);
});

describe('missing scopes', () => {
  test('a request whose token lacks a scope is refused before its body is read', async () => {
    const { request, AUTH } = byHand(await addToken(app, 'early', ['read']));
    const answer = await sendRaw(app.url, request('POST /write', AUTH, JSON_TYPE, 'Content-Length: 1000000'));
    expect([answer.status, answer.headers['connection']]).toEqual([403, 'close']);
  });

  test('a request whose token lacks a scope is refused if the token lost the scope 1 s before the end of the body', async () => {
    const client = await addToken(app, 'losing', ['write']);
    const { request, AUTH } = byHand(client);
    called = [];
    const head = request(
      'POST /write',
      AUTH,
      JSON_TYPE,
      'Content-Length: 2',
      'Expect: 100-continue',
      'Connection: close',
    );
    const answer = await sendRaw(app.url, head, async (socket) => {
      // The service asks for the body once it knows the token.
      await once(socket, 'data');
      const hash = hashToken(client.token);
      await app.store.tokens.delete(hash);
      await app.store.tokens.add({ name: 'losing', hash, scopes: ['read'] });
      await sleep(1000);
      socket.write('{}');
    });
    expect([answer.statuses, called]).toEqual([[100, 403], []]);
  });

  test('a request whose token lacks a scope does not count towards the rate limit of its caller', async () => {
    const limited = await startApp({
      beside: app,
      yaml: YAML,
      operations,
      rateLimit: { requests: 1, windowMs: 3_600_000 },
    });
    const { url, token } = await addToken(limited, 'reader', ['read']);
    const statusOf = async (id: string) =>
      (await fetch(`${url}/${id}`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await statusOf('readEither'), await statusOf('readAll'), await statusOf('readEither')]).toEqual([
      403, 204, 403,
    ]);
    expect(await statusOf('readAll')).toBe(429);
  });
});
