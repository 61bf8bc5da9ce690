import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { startApp, YAML } from '../../../support/app.ts';

interface Node {
  [name: string]: Node;
}

/** The service of items, whose request or reply has this schema. */
async function startWith(part: 'requestBody' | 'reply', schema: object, body: unknown = {}) {
  const document = parse(YAML) as Node;
  const post = document['paths']?.['/items']?.['post'];
  const content = (part === 'reply' ? post?.['responses']?.['200'] : post?.['requestBody'])?.['content'];
  Object.assign(content?.['application/json'] ?? {}, { schema });
  const createItem = () => Promise.resolve({ status: 200, body });
  const app = await startApp({ yaml: stringify(document), operations: { createItem } });
  const send = async (text: string) => {
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${app.url}/items`, { method: 'POST', headers, body: text });
    return { status: response.status, body: await response.json(), line: await app.lineOf(response) };
  };
  return send;
}

const BRANCHES = {
  anyOf: [...Array.from({ length: 200 }, (_, index) => ({ type: 'object', required: [`k${index}`] })), {}],
};
const LIST = { type: 'array', items: BRANCHES };
const NEW_ITEM = '{"id":1,"name":"a"}';
const empty = (count: number) => Array.from({ length: count }, () => ({}));

test('a request that takes too much work to check gets 40099, and the log has the line of its schema', async () => {
  const send = await startWith('requestBody', LIST, { name: 'a' });
  expect((await send(JSON.stringify(empty(10)))).status).toBe(200);
  const { status, body, line } = await send(JSON.stringify(empty(20_000)));
  expect([status, body]).toEqual([
    400,
    { error: 40099, message: 'the request takes too much work to check: send fewer or shorter values' },
  ]);
  expect(line['reason']).toMatch(/^openapi\.yaml:\d+:\d+: the schemas that apply here take more work/);
});

test('a request may cost more the longer it is', async () => {
  const send = await startWith('requestBody', LIST, { name: 'a' });
  const text = JSON.stringify(empty(170));
  expect((await send(text)).body).toMatchObject({ error: 40099 });
  expect((await send(text.padEnd(65_000))).status).toBe(200);
});

test('a request and what its defaults add to it share what the request may cost', async () => {
  const of = (members: object) => ({ type: 'array', items: { ...BRANCHES, properties: { a: members } } });
  const text = JSON.stringify(empty(100));
  expect((await (await startWith('requestBody', of({}), { name: 'a' }))(text)).status).toBe(200);
  const refused = await (await startWith('requestBody', of({ default: 1 }), { name: 'a' }))(text);
  expect(refused.body).toMatchObject({ error: 40099 });
});

test('a reply that takes too much work to check is 500, and the log has the line of its schema', async () => {
  const send = await startWith('reply', LIST, empty(20_000));
  const { status, body, line } = await send(NEW_ITEM);
  expect([status, body]).toMatchObject([500, { error: 50000 }]);
  expect(JSON.stringify(line)).toMatch(/the reply of createItem cannot be checked: openapi\.yaml:\d+:\d+: the schemas/);
});

test('a long reply of simple values is sent', async () => {
  const send = await startWith(
    'reply',
    { type: 'array', items: { type: 'string', maxLength: 5 } },
    Array<string>(200_000).fill('chair'),
  );
  expect((await send(NEW_ITEM)).status).toBe(200);
});
