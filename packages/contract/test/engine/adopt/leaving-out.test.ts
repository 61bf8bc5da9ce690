import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { adopted, at, type Data, documentWith } from '../../support/adopted.ts';

const POST = ['paths', '/books', 'post'];
const TITLE = ['components', 'schemas', 'Book', 'properties', 'title'];
const json = { schema: { type: 'object' } };
const PARAMETER = { name: 'a', in: 'query', required: true, schema: { type: 'array', items: { type: 'string' } } };

test.each<[path: readonly string[], before: unknown]>([
  [['security'], { token: [] }],
  [['security'], null],
  [[...POST, 'security'], null],
  [[...POST, 'requestBody'], null],
  [['paths', '/books', 'get'], null],
  [[...POST, 'security'], 'token'],
  [['servers'], { url: '/v1' }],
  [[...POST, 'parameters'], { a: PARAMETER }],
  [['paths', '/books', 'parameters'], { a: PARAMETER }],
  [['paths', '/books/{id}'], { get: { operationId: 'b', parameters: { a: PARAMETER }, responses: {} } }],
  [[...POST, 'requestBody'], [json]],
  [[...POST, 'requestBody', 'required'], 'true'],
  [[...POST, 'responses'], ['200']],
  [[...POST, 'responses', '201', 'content'], [json]],
])('refuses a wrong part without which the document would mean another thing, at %j', (path, before) => {
  const { refusals, open } = adopted(documentWith(path, before), 'fields: leave-out\n');
  expect([open, refusals.length]).toEqual([[], 1]);
});

test.each([
  { style: 'pipeDelimited', explode: false },
  { style: 'spaceDelimited', explode: false },
  { explode: 'no' },
  { required: 'yes' },
])('asks whether to leave out a parameter whose %j the service does not read', (said) => {
  const yaml = documentWith([...POST, 'parameters'], [{ ...PARAMETER, ...said }]);
  expect(adopted(yaml, 'fields: leave-out\n').open).toEqual([expect.stringMatching(/^parameters: /)]);
  const { document, refusals } = adopted(yaml, 'parameters: leave-out\n');
  expect([refusals, at(document, [...POST, 'parameters'])]).toEqual([[], []]);
});

test('leaves out a parameter with all references to it, and keeps an example that looks like such a reference', () => {
  const $ref = '#/components/parameters/C';
  const yaml = documentWith(['components', 'parameters'], {
    C: { name: 'c', in: 'cookie', schema: { type: 'string' } },
    B: { $ref },
    A: { $ref: '#/components/parameters/B' },
  });
  const document = parse(yaml) as Data;
  const media = { ...json, example: { $ref, k: 1 }, examples: { one: { value: { $ref } } } };
  Object.assign(at(document, POST) as object, { parameters: [{ $ref: '#/components/parameters/A' }] });
  Object.assign(at(document, [...POST, 'responses', '201']) as object, { content: { 'application/json': media } });
  const made = adopted(stringify(document), 'parameters: leave-out\n');
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(at(made.document, [...POST, 'parameters'])).toEqual([]);
  expect(made.document['components']?.['parameters']).toEqual({});
  expect(at(made.document, [...POST, 'responses', '201', 'content', 'application/json'])).toEqual(media);
});

test.each(['type', '$ref'])('asks about a schema whose %s has no value: without it, the schema allows more', (name) => {
  const { open } = adopted(documentWith(TITLE, { [name]: null, description: 'Why' }, '3.1.0'));
  expect(open).toEqual([expect.stringMatching(new RegExp(String.raw`^fields: .*\n.*: ${RegExp.escape(name)} must `))]);
});

test('refuses a $ref that leads nowhere, when operations would be left out with it', () => {
  const yaml = documentWith(['paths', '/x'], { $ref: '#/components/none/None' });
  const { refusals, open } = adopted(yaml, 'references: leave-out\nfields: leave-out\n');
  expect([open, refusals]).toEqual([[], [expect.stringContaining('$ref leads to #/components/none/None')]]);
});

test('asks about a $ref of a request body that leads nowhere, and says that the service would not read the body', () => {
  const yaml = documentWith([...POST, 'requestBody'], { $ref: '#/components/requestBodies/None' });
  expect(adopted(yaml).open).toEqual([expect.stringMatching(/reads no such parameter and no such body/)]);
  const { document, refusals } = adopted(yaml, 'references: leave-out\n');
  expect([refusals, at(document, [...POST, 'requestBody'])]).toEqual([[], undefined]);
});

test('adds no const to the branches of a discriminator that is left out because one branch is no component', () => {
  const oneOf = [{ $ref: '#/components/schemas/Book' }, { type: 'object', properties: { title: { type: 'string' } } }];
  const yaml = documentWith([...POST, 'requestBody', 'content', 'application/json', 'schema'], {
    oneOf,
    discriminator: { propertyName: 'title' },
  });
  const { document, refusals } = adopted(yaml, 'discriminators: const\n');
  expect(refusals).toEqual([]);
  expect(at(document, [...POST, 'requestBody', 'content', 'application/json', 'schema'])).toEqual({ oneOf });
  expect(at(document, TITLE)).toEqual({ type: 'string' });
});

test.each<[key: string, example: unknown, type: string, left: readonly unknown[]]>([
  ['parameters', { a: 1 }, 'object', []],
  ['examples', 5, 'string', [{ name: 'f', in: 'query', schema: { type: 'string' } }]],
])('asks about %s when the first member of a parameter is the example %j', (key, example, type, left) => {
  const yaml = documentWith([...POST, 'parameters'], [{ example, name: 'f', in: 'query', schema: { type } }]);
  const { open, made } = adopted(yaml);
  expect([...open, ...made]).toEqual([expect.stringMatching(new RegExp(`^${key}: `))]);
  const { document, refusals } = adopted(yaml, `${key}: leave-out\n`);
  expect([refusals, at(document, [...POST, 'parameters'])]).toEqual([[], left]);
});

test('keeps an example that is refused only by a default that is left out', () => {
  const content = { schema: { $ref: '#/components/schemas/Book' }, example: { title: 'Emma' } };
  const book = {
    type: 'object',
    properties: { title: { type: 'string' }, tags: { type: 'array', minItems: 1, default: [] } },
  };
  const document = parse(documentWith(['components', 'schemas', 'Book'], book)) as Data;
  Object.assign(at(document, [...POST, 'requestBody', 'content']) as object, { 'application/json': content });
  const made = adopted(stringify(document), 'defaults: leave-out\n');
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(at(made.document, [...POST, 'requestBody', 'content', 'application/json'])).toEqual(content);
});

test('keeps the comment of an item when the item before it is left out', () => {
  const yaml = documentWith(TITLE, 'here', '3.1.0').replace(
    'title: here',
    'title:\n          type: string\n          examples:\n            - one # first\n            - 5 # bad\n            - two # second',
  );
  expect(adopted(yaml, 'examples: leave-out\n').text).toBe(yaml.replace('            - 5 # bad\n', ''));
});

const SVG = { content: { 'image/svg+xml': { schema: { type: 'object' } } } };
const FORM = { 'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/Form' } } };

test('asks about operations with bodies of other kinds, and leaves each out with its path when it is the last', () => {
  const document = parse(documentWith(['components', 'requestBodies', 'Form'], { content: FORM })) as Data;
  const paths = document['paths'] ?? {};
  const done = { '204': { description: 'Done' }, default: { description: 'Failed' } };
  Object.assign(paths['/books'] ?? {}, {
    put: { operationId: 'setBooks', requestBody: { $ref: '#/components/requestBodies/Form' }, responses: done },
    get: { operationId: 'seeBooks', responses: { ...done, '200': { description: 'Seen', ...SVG } } },
  });
  Object.assign(paths, {
    '/forms': { post: { operationId: 'send', requestBody: { content: FORM }, responses: done } },
    '/socket': {
      get: { operationId: 'talk', responses: { '101': { description: 'Talk' }, default: { description: 'Failed' } } },
    },
    '/failures': { get: { operationId: 'fail', responses: { ...done, '404': { description: 'None', ...SVG } } } },
  });
  // Nothing else leads to this component, which is refused.
  Object.assign(document['components']?.['schemas'] ?? {}, { Form: { type: 'object', $anchor: 'form' } });
  const first = adopted(stringify(document));
  expect(first.open).toEqual([
    expect.stringMatching(/^operations: /),
    expect.stringMatching(/^media-types: .*\n.* get \/failures, response 404: image\/svg\+xml \(/),
  ]);
  const told = [
    'get /books, response 200: image/svg+xml',
    'put /books, requestBody: ',
    'post /forms, requestBody: ',
    'get /socket, response 101',
  ];
  expect(first.open[0]?.match(/\d+:\d+ .*/g)).toEqual(told.map((each) => expect.stringContaining(each)));
  // Each has the line of its operation, which goes.
  const lines = stringify(document).split('\n');
  const shown = [...(first.open[0]?.matchAll(/:(\d+):\d+ (\w+) /g) ?? [])].map(([, line, method]) => [
    lines[Number(line) - 1]?.trim(),
    method,
  ]);
  expect(shown).toEqual(shown.map(([, method]) => [`${method ?? ''}:`, method]));
  const made = adopted(stringify(document), 'operations: leave-out\nmedia-types: json\n');
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(Object.entries(made.document['paths'] ?? {}).map(([path, item]) => [path, ...Object.keys(item)])).toEqual([
    ['/books', 'post'],
    ['/failures', 'get'],
  ]);
  expect(at(made.document, ['components', 'schemas', 'Form'])).toBeUndefined();
  expect(at(made.document, ['components', 'requestBodies', 'Form'])).toBeUndefined();
});

test('leaves out, with an operation, the links that lead to it, and names the line of each', () => {
  const document = parse(documentWith(['components', 'links', 'Send'], { operationId: 'send' })) as Data;
  const done = { '204': { description: 'Done', links: { Again: { operationId: 'send' } } } };
  const form = { content: { 'multipart/form-data': { schema: { type: 'object' } } } };
  const send = { operationId: 'send', requestBody: form, responses: done };
  Object.assign(document['paths'] ?? {}, { '/forms/{id}': { post: send } });
  const reply = at(document, ['paths', '/books', 'post', 'responses', '201']) as Data;
  Object.assign(reply, {
    links: {
      ById: { operationId: 'send' },
      ByPath: { operationRef: '#/paths/~1forms~1%7Bid%7D/post' },
      ByName: { $ref: '#/components/links/Send' },
      Same: { operationId: 'addBook' },
      Elsewhere: { operationRef: 'https://books.example/v1.yaml#/paths/~1forms/post' },
    },
  });
  const text = stringify(document);
  const [asks = ''] = adopted(text).open;
  const lines = text.split('\n');
  const told = [...asks.matchAll(/:(\d+):\d+ the link (\w+)/g)].map(([, line, name]) => [
    lines[Number(line) - 1]?.trim(),
    name,
  ]);
  expect(told).toEqual(['ById', 'ByPath', 'ByName', 'Send'].map((name) => [`${name}:`, name]));
  const made = adopted(text, 'operations: leave-out\n');
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(Object.keys(at(made.document, ['paths', '/books', 'post', 'responses', '201', 'links']) as Data)).toEqual([
    'Same',
    'Elsewhere',
  ]);
  expect(at(made.document, ['components', 'links', 'Send'])).toBeUndefined();
});

test.each([
  ['a form', 'requestBodies', { content: { 'multipart/form-data': { schema: { type: 'object' } } } }],
  ['a stream', 'responses', { description: 'Book', content: { 'text/event-stream': { schema: {} } } }],
  ['a scheme of security', 'securitySchemes', { type: 'http', scheme: 'basic' }],
  ['a reference that leads nowhere', 'schemas', { $ref: 'none.yaml' }],
  ['a field', 'parameters', { name: 'a', in: 'cookie', schema: { type: 'string' } }],
])(
  'leaves out %s in components that nothing leads to, with what refers to it, and asks nothing',
  (_, section, part) => {
    const document = parse(documentWith(['components', section, 'Alone'], part)) as Data;
    const kept = { type: 'object', properties: { self: { $ref: '#/components/schemas/Kept' } } };
    Object.assign(document['components']?.['schemas'] ?? {}, {
      Kept: kept,
      Other: { allOf: [{ $ref: `#/components/${section}/Alone` }] },
    });
    if (section !== 'schemas') Reflect.deleteProperty(document['components']?.['schemas'] ?? {}, 'Other');
    const made = adopted(stringify(document));
    expect(made).toMatchObject({ open: [], refusals: [] });
    expect(made.edits).toContain('a component that nothing leads to was left out, where the service would refuse it');
    expect(at(made.document, ['components', section, 'Alone'])).toBeUndefined();
    expect(made.document['components']?.['schemas']).toMatchObject({ Kept: kept });
    expect(made.document['components']?.['schemas']).not.toHaveProperty('Other');
  },
);

test('keeps a component that a percent-encoded reference leads to', () => {
  const part = { type: 'object', properties: { a: { type: 'string', format: 'isbn' } } };
  const document = parse(documentWith(['components', 'schemas', 'Page.Pet'], part)) as Data;
  const book = at(document, ['components', 'schemas', 'Book', 'properties']) as Data;
  Object.assign(book, { page: { $ref: '#/components/schemas/Page%2EPet' } });
  const made = adopted(stringify(document));
  expect(made.edits).not.toContain('a component that nothing leads to was left out, where the service would refuse it');
  expect(at(made.document, ['components', 'schemas', 'Page.Pet'])).toBeDefined();
});

test('keeps a component that only a webhook or a mapping leads to, and asks about it', () => {
  const yaml = documentWith(['components', 'schemas', 'Alone'], { type: 'string', format: 'isbn' });
  const hook = {
    post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Alone' } } } } },
  };
  const document = { ...(parse(yaml) as Data), openapi: '3.1.0', webhooks: { hook } };
  const made = adopted(stringify(document), 'formats: leave-out\n');
  expect(at(made.document, ['components', 'schemas', 'Alone'])).toEqual({ type: 'string' });
});
