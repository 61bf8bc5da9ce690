import { beforeEach, describe, expect, test } from '@jest/globals';
import { byHand, type RawAnswer, sendRaw } from '../../support/raw.ts';
import { startApp, YAML } from '../../support/app.ts';
import { itemOperations } from '../../services/items/index.ts';

const operation = (method: string, id: string, security = '') => `
    ${method}:
      operationId: ${id}
      ${security}
      responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } }`;

let calls = 0;
const count = () => {
  calls++;
  return Promise.resolve({ status: 204 });
};
const paths = `
  /things:${['get', 'put', 'delete'].map((method) => operation(method, `${method}Things`)).join('')}
  /open:${operation('post', 'postOpen', 'security: []')}
  /optional:${operation('post', 'mayPost', 'requestBody: { content: { application/json: { schema: {} } } }')}
  /required:${operation('post', 'mustPost', 'requestBody: { required: true, content: { application/json: { schema: {} } } }')}`;
const app = await startApp({
  yaml: YAML.replace('\npaths:', `\npaths:${paths}`),
  operations: {
    ...itemOperations,
    getThings: count,
    putThings: count,
    deleteThings: count,
    postOpen: count,
    mayPost: count,
    mustPost: count,
  },
});
const { request, AUTH, LAST } = byHand(app);

/** The body of the first answer. */
const bodyOf = ({ body, headers }: RawAnswer) =>
  JSON.parse(body.slice(0, Number(headers['content-length']))) as unknown;
const NOT_ALLOWED = { error: 40010, message: 'body is not allowed' };
const CHUNKED = 'Transfer-Encoding: chunked';

beforeEach(() => {
  calls = 0;
});

describe('refused bodies', () => {
  test.each(['GET /things', 'HEAD /things', 'PUT /things', 'DELETE /things', 'POST /open'])(
    'an operation without a requestBody refuses a body of %s',
    async (line) => {
      const answer = await sendRaw(app.url, `${request(line, AUTH, 'Content-Length: 2')}{}`, LAST);
      expect([answer.status, calls]).toEqual([400, 0]);
      if (!line.startsWith('HEAD')) expect(bodyOf(answer)).toEqual(NOT_ALLOWED);
    },
  );

  test('an operation without a requestBody refuses a body sent in chunks', async () => {
    const answer = await sendRaw(app.url, `${request('DELETE /things', AUTH, CHUNKED)}2\r\n{}\r\n0\r\n\r\n`, LAST);
    expect([bodyOf(answer), calls]).toEqual([NOT_ALLOWED, 0]);
  });

  test('an operation without a requestBody refuses a body that has not arrived, and closes the connection', async () => {
    const answer = await sendRaw(app.url, request('DELETE /things', AUTH, 'Content-Length: 1000000000'));
    expect([bodyOf(answer), calls]).toEqual([NOT_ALLOWED, 0]);
    expect(answer.headers['connection']).toBe('close');
  });

  test('an operation without a requestBody refuses a body that the client would send after 100 Continue', async () => {
    const fields = ['Content-Length: 2', 'Expect: 100-continue'];
    const answer = await sendRaw(app.url, request('PUT /things', AUTH, ...fields));
    expect([answer.statuses, bodyOf(answer), calls]).toEqual([[400], NOT_ALLOWED, 0]);
  });

  test('an operation without a requestBody refuses a body only after it knows the caller', async () => {
    const answer = await sendRaw(app.url, `${request('GET /things', 'Content-Length: 2')}{}`);
    expect(answer.status).toBe(401);
  });
});

test.each([
  ['a Content-Length of 0', 'Content-Length: 0', ''],
  ['no chunk', CHUNKED, '0\r\n\r\n'],
])('a request with %s has no body', async (_name, field, sent) => {
  for (const line of ['GET /things', 'DELETE /things', 'POST /open']) {
    const answer = await sendRaw(app.url, request(line, AUTH, field) + sent, LAST);
    expect(answer.statuses).toEqual([204, 404]);
  }
  expect(calls).toBe(3);
});

test('an empty chunked body needs no Content-Type, and is none: only one with a chunk does', async () => {
  const sent = async (path: string, chunks: string) =>
    bodyOrStatus(await sendRaw(app.url, request(`POST /${path}`, AUTH, CHUNKED) + chunks, LAST));
  const bodyOrStatus = (answer: RawAnswer) => (answer.statuses[0] === 204 ? 204 : bodyOf(answer));
  expect([await sent('optional', '0\r\n\r\n'), calls]).toEqual([204, 1]);
  expect(await sent('required', '0\r\n\r\n')).toMatchObject({ error: 40002 });
  expect(await sent('optional', '2\r\n{}\r\n0\r\n\r\n')).toMatchObject({ error: 40003 });
  expect(calls).toBe(1);
});
