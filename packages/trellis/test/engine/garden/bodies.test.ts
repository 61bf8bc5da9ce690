import { describe, expect, test } from '@jest/globals';
import { startGarden } from '../../services/garden/garden.ts';

const { app, seen, call } = await startGarden();
const BIG = '9007199254740993';

const post = (target: string, body: string, type = 'application/json') =>
  call('POST', target, { body, headers: { 'Content-Type': type } });

describe('bodies', () => {
  test.each<[type: string, body: string, understood: unknown]>([
    ['application/json', 'null', null],
    ['application/json', 'false', false],
    ['application/json', '""', ''],
    ['application/json', '1.50', 1.5],
    ['application/json; charset=utf-8', '[{"a":null}]', [{ a: null }]],
    ['application/vnd.garden.string+json', '"🌱🌱"', '🌱🌱'],
    ['application/vnd.garden.integer+json', BIG, 9007199254740993n],
    ['application/vnd.garden.array+json', '[true,false]', [true, false]],
    ['APPLICATION/vnd.Garden.array+json; v=2', '[]', []],
  ])('an operation gets the data of a body with the type %s: %s', async (type, body, understood) => {
    const { status } = await post('/notes', body, type);
    expect([status, seen[0]?.body]).toEqual([200, understood]);
  });

  test('an operation gets int64 as bigint at any depth of a body, other numbers as they are, and defaults', async () => {
    const body = `{"id":${BIG},"size":1.5,"parts":[{"id":1,"size":${BIG},"parts":[{"id":-${BIG}}]}]}`;
    const { text } = await call('PUT', '/beds/1', { body });
    const inner = { id: -9007199254740993n, age: 7n };
    const middle = { id: 1n, size: 9007199254740993n, parts: [inner], age: 7n };
    expect(seen[0]?.body).toEqual({ id: 9007199254740993n, size: 1.5, parts: [middle], age: 7n });
    expect(text).toContain(
      `"size":1.5,"parts":[{"id":1,"size":${BIG},"parts":[{"id":-${BIG},"age":7}],"age":7}],"age":7}`,
    );
  });

  test('an operation gets defaults of any type, also inside members that the client sent', async () => {
    await post('/rules', '{"default":{}}');
    expect(seen[0]?.body).toEqual({ default: { int64: 9007199254740993n, list: [1], inner: { b: 'c' } } });
    await post('/rules', '{"default":{"int64":1,"list":[],"inner":{}}}');
    expect(seen[0]?.body).toEqual({ default: { int64: 1n, list: [], inner: { b: 'c' } } });
  });

  test('an operation gets a new copy of each default', async () => {
    for (let time = 0; time < 2; time++) {
      await post('/rules', '{"default":{}}');
      const { list } = (seen[0]?.body as { default: { list: unknown[] } }).default;
      expect(list).toEqual([1]);
      list.push(2);
    }
  });

  test('an operation gets undefined, if the client leaves out an optional body', async () => {
    const { status, text } = await call('PUT', '/beds/5');
    expect([status, text, seen[0]?.body]).toEqual([200, '{"id":5}', undefined]);
    expect((await call('POST', '/notes')).text).toContain('body is missing');
  });
});

test('a number beyond the range of doubles is refused', async () => {
  expect((await post('/notes', '[1e400]')).text).toContain('body has a number beyond the range of a double');
});

test('a body is validated by the schema of its media type', async () => {
  const message = async (type: string, body: string) => (await post('/notes', body, type)).text;
  expect(await message('application/vnd.garden.string+json', '"abc"')).toContain('body must not have more than 2 char');
  expect(await message('application/vnd.garden.string+json', '1')).toContain('body must be a string');
  expect(await message('application/vnd.garden.integer+json', '1.5')).toContain('body must be an integer');
  expect(await message('application/vnd.garden.array+json', '[1]')).toContain('body.0 must be a boolean');
  expect(await message('application/vnd.garden.none+json', '[1]')).toContain('the media type of the body must be');
});

describe('a discriminator', () => {
  test.each([
    ['{"kind":"bee","wings":9007199254740993}', { kind: 'bee', wings: 9007199254740993n }],
    ['{"length":1.5,"kind":"worm"}', { kind: 'worm', length: 1.5 }],
  ])('selects the branch for %s', async (body, understood) => {
    const { status, text } = await post('/visitors', body);
    expect([status, text, seen[0]?.body]).toEqual([200, body, understood]);
  });

  test.each([
    ['{"wings":4}', 'body.kind is required'],
    ['{"kind":null,"wings":4}', 'body.kind '],
    ['{"kind":"ant","wings":4}', 'body.kind '],
    ['{"kind":"bee"}', 'body.wings is required'],
    ['{"kind":"worm","wings":4}', 'body.wings is not allowed'],
    ['null', 'body '],
  ])('refuses %s, in a request and in a reply', async (body, message) => {
    const { status, text } = await post('/visitors', body);
    expect([status, text, seen]).toEqual([400, expect.stringContaining(message), []]);
    const reply = { status: 200, body: JSON.parse(body) as unknown };
    expect((await call('POST', '/visitors', { body: '{"kind":"worm"}', reply })).status).toBe(500);
  });
});

describe('the service', () => {
  test('sends a readOnly property only in replies, and accepts a writeOnly one only in requests', async () => {
    const { status, text } = await post(
      '/members',
      '{"name":"Ada","secret":"x","friends":[{"name":"B","secret":"y"}]}',
    );
    expect([status, text]).toEqual([201, '{"id":9223372036854775807,"name":"Ada","joined":"2026-02-28"}']);
    const friends = [{ name: 'B', secret: 'y', hint: 'none' }];
    expect(seen[0]?.body).toEqual({ name: 'Ada', secret: 'x', hint: 'none', friends });
  });

  test.each([
    ['{"id":1,"name":"Ada","secret":"x"}', 'body.id '],
    ['{"joined":"2026-02-28","name":"Ada","secret":"x"}', 'body.joined '],
    ['{"name":"Ada"}', 'body.secret is required'],
    ['{"name":"Ada","secret":"x","friends":[{"id":1,"name":"B","secret":"y"}]}', 'body.friends.0.id '],
  ])('refuses a request with a readOnly property, or without a required writeOnly one: %s', async (body, message) => {
    const { status, text } = await post('/members', body);
    expect([status, text, seen]).toEqual([400, expect.stringContaining(message), []]);
  });

  test.each([
    [{ id: 1n, name: 'Ada', secret: 'x' }, '{"id":1,"name":"Ada"}'],
    [{ id: 1n, name: 'Ada', hint: 'x' }, '{"id":1,"name":"Ada"}'],
    [
      { id: 1n, name: 'Ada', friends: [{ id: 2n, name: 'B', secret: 'y' }] },
      '{"id":1,"name":"Ada","friends":[{"id":2,"name":"B"}]}',
    ],
  ])('sends no writeOnly property that the operation returns: %p', async (body, due) => {
    const reply = { status: 201, body };
    const { status, text } = await call('POST', '/members', { body: '{"name":"Ada","secret":"x"}', reply });
    expect([status, text]).toEqual([201, due]);
  });

  test('sends no reply without a required readOnly property', async () => {
    const reply = { status: 201, body: { name: 'Ada' } };
    const { status, requestId } = await call('POST', '/members', { body: '{"name":"Ada","secret":"x"}', reply });
    expect(status).toBe(500);
    expect(JSON.stringify(await app.lineOf(requestId))).toContain('id is required');
  });
});

test('a body may be as large as its operation declares', async () => {
  expect((await post('/notes', JSON.stringify('x'.repeat(99_998)))).status).toBe(200);
  expect((await post('/notes', JSON.stringify('x'.repeat(99_999)))).text).toContain('body is larger than 100000 bytes');
  expect((await post('/rules', JSON.stringify({ anything: 'x'.repeat(65_536) }))).text).toContain(
    'body is larger than 65536 bytes',
  );
});
