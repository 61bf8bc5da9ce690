import { expect, test } from '@jest/globals';
import { entityTag } from 'trellis';
import { startApp, YAML } from '../../support/app.ts';
import { itemOperations, items } from '../../services/items/index.ts';

const COMMON = `'400': { $ref: '#/components/responses/BadRequest' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        default: { $ref: '#/components/responses/Failure' }`;
const FIELD = '{ schema: { type: string } }';
const got = `      responses:
        '200':
          description: the count
          headers: { ETag: ${FIELD}, X-Count: ${FIELD} }
          content: { application/json: { schema: { type: integer, format: int64 } } }
        ${COMMON}`;
const unless = `        '304': { description: the same, headers: { etag: ${FIELD} } }`;
const yaml = YAML.replace(
  'paths:\n',
  `paths:
  /count:
    get:
      operationId: getCount
${got}
${unless}
    post:
      operationId: addOne
${got}
${unless}
  /total:
    get:
      operationId: getTotal
${got}
`,
);
const reply = () => Promise.resolve({ status: 200, headers: { ETag: entityTag(7n), 'X-Count': '7' }, body: 7n });
const app = await startApp({
  service: { ...items, operations: {} },
  yaml,
  operations: { ...itemOperations, getCount: reply, addOne: reply, getTotal: reply },
});
const ask = async (tags: string, path = '/count', method = 'GET') => {
  const headers = { Authorization: `Bearer ${app.token}`, 'If-None-Match': tags };
  const response = await fetch(app.url + path, { method, headers });
  const text = await response.text();
  const { status, headers: fields } = response;
  return [status, text, fields.get('etag'), fields.get('x-count'), fields.get('content-type')];
};

test.each(['"7"', 'W/"7"', '"6", "7"', '*'])('If-None-Match with the current tag gets 304: %s', async (tags) => {
  expect(await ask(tags)).toEqual([304, '', '"7"', null, null]);
  expect(await ask(tags, '/count', 'HEAD')).toEqual([304, '', '"7"', null, null]);
});

test.each(['"6"', '7', '"7', ''])('If-None-Match without the current tag gets the reply: %s', async (tags) => {
  expect(await ask(tags)).toEqual([200, '7', '"7"', '7', 'application/json']);
});

test('a write, and an operation that declares no 304, answer as without If-None-Match', async () => {
  expect(await ask('"7"', '/count', 'POST')).toEqual([200, '7', '"7"', '7', 'application/json']);
  expect(await ask('"7"', '/total')).toEqual([200, '7', '"7"', '7', 'application/json']);
});
