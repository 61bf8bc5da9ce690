import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { adopted, at, type Data, documentWith } from '../../support/adopted.ts';
import { Answers } from '../../../tools/adopt/answers.ts';
import { sourceOf } from '../../../tools/adopt/read.ts';
import { Adoption } from '../../../tools/adopt/work.ts';

const POST = ['paths', '/books', 'post'];
const TITLE = ['components', 'schemas', 'Book', 'properties', 'title'];
const SCHEME = '#/components/securitySchemes/token';
const json = { schema: { type: 'object' } };
const GONE = {
  operationId: 'removeBooks',
  requestBody: { required: true, content: { 'application/json': json } },
  responses: { '204': { description: 'Gone' }, default: { description: 'Failed' } },
};
const failure = (...names: readonly string[]) => ({
  description: 'Failed',
  content: {
    'application/json': {
      schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
    },
  },
});

test.each<[key: string, path: readonly string[], before: unknown, answers: Readonly<Record<string, unknown>>]>([
  ['formats', TITLE, { type: 'string', format: 'isbn' }, { 'leave-out': { type: 'string' } }],
  ['patterns', TITLE, { type: 'string', pattern: '(?i)^a' }, { 'leave-out': { type: 'string' } }],
  ['patterns', TITLE, { type: 'string', pattern: '(a+)+$' }, { 'leave-out': { type: 'string' } }],
  ['fields', TITLE, { type: 'string', optional: true }, { 'leave-out': { type: 'string' } }],
  ['fields', TITLE, { type: 'text', minLength: 1 }, { 'leave-out': { minLength: 1 } }],
  [
    'fields',
    ['components', 'securitySchemes', 'token'],
    { type: 'oauth2', flows: { implicit: {}, password: { tokenUrl: '/token', scopes: {} } } },
    { 'leave-out': { type: 'oauth2', flows: { password: { tokenUrl: '/token', scopes: {} } } } },
  ],
  ['fields', ['externalDocs'], { url: 'no url' }, { 'leave-out': undefined }],
  [
    'references',
    TITLE,
    { $ref: '#/components/schemas/None', description: 'Why' },
    { 'leave-out': { description: 'Why' } },
  ],
  ['references', TITLE, { $ref: 'none.yaml#/Title' }, { 'leave-out': {} }],
  ['references', TITLE, { $ref: 'https://none.example/title.yaml' }, { 'leave-out': {} }],
  ['references', [...POST, 'responses', '404'], { $ref: 'none.yaml' }, { 'leave-out': { description: 'Not Found' } }],
  ['references', [...POST, 'parameters'], [{ $ref: 'none.yaml' }], { 'leave-out': [] }],
  [
    'parameters',
    [...POST, 'parameters'],
    [
      { name: 'a', in: 'cookie', schema: { type: 'string' } },
      { name: 'b', in: 'query', schema: { type: 'string' } },
      { name: 'c', in: 'query', content: { 'application/json': {} } },
      { description: 'Open', name: 'd', in: 'query', schema: { type: 'object' } },
    ],
    { 'leave-out': [{ name: 'b', in: 'query', schema: { type: 'string' } }] },
  ],
  [
    'parameters',
    [...POST, 'parameters'],
    [
      {
        name: 'filter',
        in: 'query',
        style: 'deepObject',
        schema: {
          type: 'object',
          properties: { ids: { type: 'array', items: { type: 'string' } }, title: { type: 'string' } },
        },
      },
    ],
    {
      'leave-out': [
        {
          name: 'filter',
          in: 'query',
          style: 'deepObject',
          schema: { type: 'object', properties: { title: { type: 'string' } } },
        },
      ],
    },
  ],
  [
    'parameters',
    [...POST, 'responses', '201', 'headers'],
    { 'X-A': { schema: { type: 'object' } }, 'X-B': { schema: { type: 'string' } } },
    { 'leave-out': { 'X-B': { schema: { type: 'string' } } } },
  ],
  [
    'parameters',
    ['paths', '/books/{id}'],
    {
      get: {
        operationId: 'getBook',
        responses: { '204': { description: 'None' }, default: { description: 'Failed' } },
      },
      parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
    },
    {
      'leave-out': expect.objectContaining({
        get: expect.objectContaining({
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        }),
      }),
    },
  ],
  [
    'repeated-parameters',
    [...POST, 'parameters'],
    [
      { name: 'A', in: 'header', schema: { type: 'integer' } },
      { name: 'a', in: 'header', schema: { type: 'string' } },
    ],
    {
      first: [{ name: 'A', in: 'header', schema: { type: 'integer' } }],
      last: [{ name: 'a', in: 'header', schema: { type: 'string' } }],
    },
  ],
  [
    'ignored-bodies',
    ['paths', '/books', 'delete'],
    GONE,
    {
      'leave-out': expect.not.objectContaining({ requestBody: expect.anything() }),
      keep: expect.objectContaining({ requestBody: GONE.requestBody }),
    },
  ],
  [
    'defaults',
    [...POST, 'parameters'],
    [{ name: 'a', in: 'query', schema: { type: 'integer', default: 'one' } }],
    { 'leave-out': [{ name: 'a', in: 'query', schema: { type: 'integer' } }] },
  ],
  [
    'media-types',
    [...POST, 'responses', '201', 'content'],
    { 'application/json; v=1': json },
    { json: { 'application/json': json } },
  ],
  [
    'media-types',
    [...POST, 'requestBody', 'content'],
    { 'text/csv': json, 'application/json': json, 'image/png': {} },
    { json: { 'application/json': json, 'image/png': {} } },
  ],
  [
    'media-types',
    [...POST, 'responses', '201', 'content'],
    { 'application/vnd.book+json': json, 'application/json': json },
    { json: { 'application/json': json } },
  ],
  [
    'media-types',
    [...POST, 'responses', '201', 'content'],
    { 'image/png': {}, 'text/plain': {}, 'image/*': {} },
    { json: { 'image/png': {} } },
  ],
  ['media-types', [...POST, 'responses', '201', 'content'], { '*/*': json }, { json: { 'application/json': json } }],
  [
    'media-types',
    [...POST, 'responses', '404'],
    { description: 'Unknown', content: { 'text/html': json } },
    { json: { description: 'Unknown' } },
  ],
  [
    'media-types',
    [...POST, 'requestBody', 'content'],
    { 'application/json; charset=utf-8': json, 'application/json': json, 'application/vnd.book+json': json },
    { json: { 'application/json': json, 'application/vnd.book+json': json } },
  ],
  [
    'servers',
    ['servers'],
    [
      { url: 'https://a.example?v=0' },
      { url: 'https://a.example/v1' },
      { url: 'https://b.example/v2' },
      { url: 'http://localhost/v1' },
    ],
    {
      '/v1': [{ url: 'https://a.example/v1' }, { url: 'http://localhost/v1' }],
      '/v2': [{ url: 'https://b.example/v2' }],
    },
  ],
  ['servers', ['servers'], [{ url: 'https://a.example/{where}?x' }], { '/': [{ url: '/' }] }],
  [
    'security',
    ['components', 'securitySchemes', 'token'],
    { type: 'http', scheme: 'basic' },
    { bearerAuth: undefined },
  ],
  [
    'defaults',
    TITLE,
    { anyOf: [{ type: 'string', default: 'Emma' }, { type: 'null' }] },
    { 'leave-out': { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  ],
  [
    'examples',
    TITLE,
    { type: 'string', examples: [1, 'Emma'] },
    { 'leave-out': { type: 'string', examples: ['Emma'] } },
  ],
  [
    'status-422',
    [...POST, 'responses'],
    { '422': failure('a') },
    {
      both: expect.objectContaining({ '400': failure('a'), '422': failure('a') }),
      '400': expect.not.objectContaining({ '422': failure('a') }),
    },
  ],
  [
    'failure-headers',
    [...POST, 'responses', '400'],
    { ...failure('a'), headers: { 'X-Trace': { required: true, schema: { type: 'string' } } } },
    { optional: expect.objectContaining({ headers: { 'X-Trace': { required: false, schema: { type: 'string' } } } }) },
  ],
  [
    'error-body',
    [...POST, 'responses'],
    { '404': failure('a'), '409': failure('b'), '410': failure('b') },
    {
      'shape-2': expect.objectContaining({ default: { $ref: '#/components/responses/Failure' } }),
      'shape-1': expect.objectContaining({ default: { $ref: '#/components/responses/Failure' } }),
    },
  ],
])('asks for %s once, at %j', (key, path, before, answers) => {
  const yaml = documentWith(path, before);
  const first = adopted(yaml);
  const told = [...first.open, ...first.made];
  expect([told, first.refusals]).toEqual([[expect.stringMatching(new RegExp(`^${key}: .*\n.*:\\d+:\\d+[ :,]`))], []]);
  // What keeps the meaning is made unless it is answered.
  expect(first.open.length).toBe(['examples', 'status-422', 'error-body'].includes(key) ? 0 : 1);
  for (const answer of Object.keys(answers)) expect(told.join()).toContain(`\n  ${key}: ${answer} (`);
  const [, made = ''] = new RegExp(`\n  ${key}: (\\S+) \\(`).exec(told.join()) ?? [];
  if (first.open.length === 0) expect(at(first.document, path)).toEqual(answers[made]);
  for (const [answer, after] of Object.entries(answers)) {
    const made = adopted(yaml, `${key}: ${answer}\n`);
    expect(made).toMatchObject({ refusals: [], open: [], asked: `${key}: ${answer}\n` });
    expect(at(made.document, path)).toEqual(after);
    expect(adopted(made.text)).toMatchObject({ edits: [], open: [], refusals: [], text: made.text });
  }
});

test('replaces several security schemes by the one that the answer names', () => {
  const schemes = { basic: { type: 'http', scheme: 'basic' }, token: { type: 'http', scheme: 'bearer' } };
  const yaml = documentWith(['components', 'securitySchemes'], schemes);
  const made = adopted(yaml.replace('- token: []', '- basic: []\n  - {}'), 'security: token');
  expect(made).toMatchObject({ open: [], refusals: [], document: { security: [{ token: [] }, {}] } });
  expect(made.document['components']?.['securitySchemes']).toEqual({ token: schemes.token });
});

test('names the operations that demand two schemes together, and the header that is no longer read', () => {
  const schemes = {
    tenant: { type: 'apiKey', in: 'header', name: 'X-Tenant' },
    token: { type: 'http', scheme: 'bearer' },
  };
  const yaml = documentWith(['components', 'securitySchemes'], schemes).replace(
    '- token: []',
    '- token: []\n    tenant: []',
  );
  const document = parse(yaml) as Data;
  Object.assign(document['paths'] ?? {}, { '/open': { get: { security: [], responses: {} } } });
  Object.assign(document['paths'] ?? {}, { '/own': { get: { security: [{ tenant: [] }], responses: {} } } });
  const { asked } = adopted(stringify(document));
  expect(asked.match(/^# (?:books|security: t).*/gm)).toEqual([
    expect.stringMatching(/^# books\.yaml:\d+:1 post \/books: token and tenant$/),
    expect.stringMatching(/^# books\.yaml:\d+:5 token \(http, bearer\)$/),
    expect.stringMatching(/^# books\.yaml:\d+:5 tenant \(apiKey, header\)$/),
    expect.stringMatching(/^# books\.yaml:\d+:7 get \/own: tenant$/),
    expect.stringMatching(/^# security: token \(.* and the service no longer reads the header X-Tenant\)$/),
    expect.stringMatching(/^# security: tenant \(.* and the service no longer reads Authorization: Bearer\)$/),
  ]);
});

test('asks about a body of a DELETE of 3.0 that is not JSON only when it is to be kept', () => {
  const yaml = documentWith(['paths', '/books', 'delete'], { ...GONE, requestBody: { content: { 'image/*': {} } } });
  const { open, refusals } = adopted(yaml, 'ignored-bodies: leave-out');
  expect([open, refusals]).toEqual([[], []]);
  expect(adopted(yaml, 'ignored-bodies: keep').open).toEqual([
    expect.stringMatching(/^operations: .*\n.*: image\/\*\n/),
  ]);
});

test('keeps the scopes of a scheme when `security` chooses another scheme in its place', () => {
  const schemes = { other: { type: 'http', scheme: 'basic' }, token: { type: 'http', scheme: 'bearer' } };
  const yaml = documentWith(['components', 'securitySchemes'], schemes);
  const securityOf = (security: string) =>
    adopted(yaml.replace('- token: []', security), 'security: token').document['security'];
  expect(securityOf('- other: [admin]')).toEqual([{ token: ['admin'] }]);
  expect(securityOf('- other: [admin]\n    token: [read]')).toEqual([{ token: ['admin', 'read'] }]);
  expect(securityOf('- other: [admin]\n  - token: [read]')).toEqual([{ token: ['read'] }]);
});

test.each([
  ['none.yaml#/token', 'which is not there, or is not YAML: put'],
  ['https://host/api.yaml#/token', 'and adopt never reaches the network: save'],
  ['#/components/securitySchemes/none', 'where the document has no object: add'],
])('never leaves out a security scheme with the dangling $ref %s, and replaces it by bearerAuth', ($ref, why) => {
  const yaml = documentWith(['components', 'securitySchemes'], { token: { $ref }, same: { $ref: SCHEME } });
  const { open } = adopted(yaml, 'references: leave-out\nfields: leave-out\n');
  expect(open).toEqual([expect.stringContaining(`token (${$ref}, ${why}`)]);
  const made = adopted(yaml, 'security: bearerAuth');
  expect(made).toMatchObject({ open: [], refusals: [], document: { security: [{ bearerAuth: [] }] } });
  expect(at(made.document, ['components', 'securitySchemes'])).toEqual({
    bearerAuth: { type: 'http', scheme: 'bearer' },
  });
});

test('replaces a security scheme that has more members than its $ref by another scheme', () => {
  const real = { type: 'http', scheme: 'bearer' };
  const schemes = { token: { $ref: '#/components/securitySchemes/real', type: 'http' }, real };
  const made = adopted(documentWith(['components', 'securitySchemes'], schemes), 'security: real');
  expect(made).toMatchObject({ open: [], refusals: [], document: { security: [{ real: [] }] } });
});

test('changes 422 to 400 in a path that another path refers to', () => {
  const document = parse(documentWith([...POST, 'responses', '422'], failure('a'))) as Data;
  Object.assign(document['paths'] ?? {}, { '/tomes': { $ref: '#/paths/~1books' } });
  const made = adopted(stringify(document), 'status-422: 400');
  expect(at(made.document, [...POST, 'responses', '400'])).toEqual(failure('a'));
});

test.each([
  ['/v1', ['/v1']],
  ['/', ['/']],
])('tells the one path of servers, which the answer %s may change', (answer, urls) => {
  const yaml = documentWith(['servers'], [{ url: '/v1' }], '3.1.0');
  const { questions } = new Adoption(sourceOf(yaml).document, new Answers('decisions.yaml', '', 'books.yaml'));
  expect(questions.get('servers')).toMatchObject({
    made: 'as written',
    what: 'operations are mounted at the path of servers',
  });
  const { open, text, document } = adopted(yaml, `servers: ${answer}\n`);
  expect([open, (document['servers'] as unknown as Data[]).map(({ url }) => url)]).toEqual([[], urls]);
  if (answer === '/v1') expect(text).toBe(adopted(yaml).text);
});

test('asks where operations are mounted when servers name several paths', () => {
  const yaml = documentWith(
    ['servers'],
    [{ url: 'https://mock.example/rest/Books/1.0' }, { url: 'https://books.example/' }],
  );
  expect(adopted(yaml).open).toEqual([
    expect.stringMatching(/^servers: .*\n(?:.*\n)+ {2}servers: \/rest\/Books\/1\.0 \(.*\n {2}servers: \/ \(/),
  ]);
  const { open, document } = adopted(yaml, 'servers: /\n');
  expect([open, document['servers']]).toEqual([[], [{ url: 'https://books.example/' }]]);
});

test('takes as the shape of undeclared failures the component that all declared ones refer to', () => {
  const own = (status: number) => ({
    description: 'Failed',
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { error: { const: status } } }] },
      },
    },
  });
  const yaml = documentWith([...POST, 'responses'], {
    '204': { description: 'Done' },
    '404': own(404),
    '409': own(409),
  });
  const { made, open, document } = adopted(yaml);
  expect([made.length, open]).toEqual([1, []]);
  expect(at(document, ['components', 'responses', 'Failure', 'content', 'application/json'])).toEqual({
    schema: { $ref: '#/components/schemas/Error' },
  });
});

test('puts all operations below the path of the answer, when one has the path of a page of the service', () => {
  const yaml = documentWith(['paths', '/docs'], { get: { responses: { default: { description: 'Read' } } } });
  const made = adopted(yaml.replace('- url: /v1', '- url: /'), 'servers: /api');
  expect(made).toMatchObject({ open: [], refusals: [], document: { servers: [{ url: '/api' }] } });
});

test('refuses an answer that is none of the choices, with its line', () => {
  const yaml = documentWith(TITLE, { type: 'string', format: 'isbn' });
  const { refusals } = adopted(yaml, '# Why\nformats: keep\n');
  expect(refusals).toEqual(['decisions.yaml:2:1: formats must be leave-out, not keep']);
});

test.each<[what: RegExp, path: readonly string[], before: unknown]>([
  [
    /^openapi\.yaml:\d+:\d+, post \/books, requestBody: text\/csv is neither JSON nor a text or bytes, and the service has no other bodies: describe /,
    [...POST, 'requestBody', 'content'],
    { 'text/csv': json },
  ],
  [
    /^openapi\.yaml:\d+:\d+, post \/books, response 201: image\/png /,
    [...POST, 'responses', '201', 'content'],
    { 'image/png': json },
  ],
])('refuses bodies of other kinds where all operations have such: %s', (what, path, before) => {
  expect(adopted(documentWith(path, before)).refusals).toEqual([expect.stringMatching(what)]);
});

test.each([
  ['any bytes', { schema: { type: 'string', format: 'binary' } }],
  ['bytes by a reference', { schema: { $ref: '#/components/schemas/Bytes' } }],
  ['an image', { schema: { type: 'string', contentMediaType: 'image/png' } }],
])('takes a body */* of %s as bytes', (_, media) => {
  const bytes = { type: 'string', format: 'binary' };
  const document = parse(documentWith(['components', 'schemas', 'Bytes'], bytes)) as Data;
  const responses = at(document, [...POST, 'responses', '201']) as Data;
  Object.assign(responses, { content: { '*/*': media } });
  const made = adopted(stringify(document), 'media-types: json');
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(at(made.document, [...POST, 'responses', '201', 'content'])).toEqual({ 'application/octet-stream': media });
});
