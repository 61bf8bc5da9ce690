import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../../src/contract-error.ts';
import { loadContract } from '../../../src/load.ts';
import { type ObjectKind, VOCABULARY } from '../../../src/rules/vocabulary.ts';

type Node = Record<string, unknown>;

/** A document with one object of each kind, and these objects by kind. */
function documentOf(): { readonly document: Node; readonly objects: Readonly<Record<ObjectKind, Node>> } {
  const branch = { type: 'object', required: ['kind'], properties: { kind: { const: 'Branch' } } };
  const discriminator = { propertyName: 'kind' };
  const schema: Node = { description: 'a thing' };
  const mediaType = { schema };
  const content = { 'application/json': mediaType };
  const header: Node = { schema: { type: 'string' } };
  const either = { 'application/json': { schema: { $ref: '#/components/schemas/Either' } } };
  const response = { description: 'a thing', headers: { 'X-Note': header }, content: either };
  const failure = { description: 'it has failed', content: { 'application/json': { schema: {} } } };
  const parameter = { name: 'limit', in: 'query', schema: { type: 'integer' } };
  const requirement = { bearerAuth: [] };
  const operation = {
    operationId: 'putThing',
    security: [requirement],
    parameters: [parameter],
    requestBody: { content },
    responses: { 200: response, default: failure },
  };
  const scheme = { type: 'http', scheme: 'bearer' };
  const server = { url: '/' };
  const components = {
    securitySchemes: { bearerAuth: scheme },
    schemas: { Branch: branch, Either: { oneOf: [{ $ref: '#/components/schemas/Branch' }], discriminator } },
  };
  const item = { put: operation };
  const info = { title: 'Things', version: '1.0.0' };
  const document = { openapi: '3.1.0', info, servers: [server], paths: { '/things': item }, components };
  return {
    document,
    objects: {
      OpenAPI: document,
      Info: info,
      Server: server,
      Components: components,
      'Path Item': item,
      Operation: operation,
      Parameter: parameter,
      'Request Body': operation.requestBody,
      'Media Type': mediaType,
      Response: response,
      Header: header,
      'Security Scheme': scheme,
      'Security Requirement': requirement,
      Schema: schema,
      Discriminator: discriminator,
    },
  };
}

/** The members that apply a schema by a keyword. */
const beneath = (keyword: string, schema: Node): Node => ({
  ...(keyword === 'then' || keyword === 'else' ? { if: {} } : {}),
  [keyword]: keyword.endsWith('Of') ? [schema] : keyword === 'dependentSchemas' ? { a: schema } : schema,
});

/** Loads the document with these members added to its object of a kind. */
async function load(kind: ObjectKind, members: Node): Promise<unknown> {
  const { document, objects } = documentOf();
  Object.assign(objects[kind], members);
  return loadContract(JSON.stringify(document, undefined, 1));
}

test('loadContract accepts the document of these tests', async () => {
  await expect(load('Schema', {})).resolves.toBeDefined();
});

const UNDECLARED = 'which this closed object does not declare: add it to properties, or remove it from required';
const TOKENS = 'the service checks only tokens: write type: http and scheme: bearer, or type: apiKey and in: header';

describe('refused fields', () => {
  const kinds = (Object.keys(VOCABULARY) as ObjectKind[]).filter((kind) => kind !== 'Security Requirement');
  const rows = kinds.flatMap((kind) =>
    Object.entries(VOCABULARY[kind]).flatMap(([name, { is, how }]) => (is === 'refused' ? [{ kind, name, how }] : [])),
  );
  /** Values that the schema of OpenAPI allows: loadContract checks by that schema first. */
  const VALUES: Readonly<Record<string, unknown>> = {
    servers: [{ url: '/' }],
    content: { 'text/event-stream': {} },
    encoding: { part: {} },
    allowEmptyValue: true,
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  };

  test.each(rows)('loadContract refuses, with place and cure, $name in a $kind Object', async ({ kind, name, how }) => {
    const sentence = new RegExp(`^openapi\\.yaml:\\d+:\\d+: ${RegExp.escape(`${name} is not supported: ${how}`)}$`);
    const others = name === 'content' ? { schema: undefined } : {};
    await expect(load(kind, { ...others, [name]: VALUES[name] ?? 'x' })).rejects.toThrow(sentence);
  });

  test.each<[Node, string]>([
    [{ type: 'http', scheme: 'basic' }, `scheme must be bearer: ${TOKENS}`],
    [{ type: 'mutualTLS' }, 'type must be http or oauth2 or openIdConnect or apiKey'],
    [{ type: 'apiKey', in: 'query', name: 'key' }, 'in must be header, as logs keep urls, and browsers send'],
    [{ name: 'sid', in: 'cookie', type: 'apiKey' }, 'in must be header, as logs keep urls, and browsers send'],
    [{ type: 'apiKey', in: 'header', name: 'Authorization' }, 'name must not be Authorization: write type: http and'],
    ...['User-Agent', 'cookie', 'Host', 'Accept', 'Sec-Fetch-Site', 'X-Request-Id', 'Content-Type', 'a b'].map(
      (name): [Node, string] => [
        { type: 'apiKey', in: 'header', name },
        `name must be a header field that clients do not send by themselves: write X-API-Key, say, in place of ${name}`,
      ],
    ),
  ])('loadContract refuses, with place and cure, the security scheme %j', async (bearerAuth, sentence) => {
    await expect(load('Components', { securitySchemes: { bearerAuth } })).rejects.toThrow(sentence);
  });

  test.each<[string, ObjectKind, Node]>([
    ['a callback', 'Operation', { callbacks: { grown: { $ref: 'other.yaml' } } }],
    [
      'a default reply of a callback',
      'Operation',
      { callbacks: { grown: { '{$url}': { post: { responses: { default: { $ref: 'other.yaml' } } } } } } },
    ],
    ['a webhook', 'OpenAPI', { webhooks: { grown: { $ref: 'other.yaml' } } }],
    ['an example', 'Media Type', { examples: { one: { $ref: 'other.yaml' } } }],
    ['a link', 'Response', { links: { next: { $ref: 'other.yaml' } } }],
  ])('loadContract refuses, with place and cure, a $ref to another file in %s', async (_name, kind, members) => {
    const sentence = '$ref leads to other.yaml, which is not in the document: bundle all files into one';
    await expect(load(kind, members)).rejects.toThrow(sentence);
  });

  test.each(['Schema', 'Discriminator'] as const)(
    'loadContract refuses, with place and cure, an unknown field in a %s Object',
    async (kind) => {
      const sentence = `the field colour of a ${kind} Object is not supported: correct its name, or leave it out`;
      await expect(load(kind, { colour: 'red' })).rejects.toThrow(sentence);
    },
  );

  test.each<[ObjectKind, Node, string]>([
    ['Schema', { 'x-eov-type': 'string' }, 'the field x-eov-type of a Schema Object is not supported'],
    ['Schema', { type: 'date' }, 'type must be one or more of null, boolean'],
    ['Schema', { type: ['string', 'string'] }, 'type must be one or more of'],
    ['Schema', { type: ['string', null] }, 'type must have "null" in quotes'],
    ['Schema', { properties: { 'x-a': { nullable: true } } }, 'nullable is not supported'],
    ['Schema', { type: 'string', 'x-pattern-message': 'must be short' }, 'must stand beside a pattern'],
    ['Response', { headers: { 'x-a': { schema: { nullable: true } } } }, 'nullable is not supported'],
    ['Components', { parameters: { 'x-a': { name: 'a', in: 'cookie', schema: {} } } }, 'in must be path, query or'],
    ['Schema', { $ref: '#/info' }, 'the field version of a Schema Object is not supported'],
    [
      'Schema',
      { $ref: '#/components/schemas/%' },
      '$ref leads to #/components/schemas/%, which is not in the document',
    ],
    ['Schema', { properties: null }, 'properties must be a map of Schema Objects'],
    ['Schema', { items: [] }, 'items must be a Schema Object'],
    ['Schema', { dependentRequired: null }, 'dependentRequired must be a map of names to lists of names'],
    ['Schema', { dependentRequired: { a: 'b' } }, 'dependentRequired must be a map of names to lists of names'],
    ['Discriminator', { mapping: { Branch: 5 } }, 'mapping must be a map of values to schemas'],
    ['Schema', { minLength: '3' }, 'minLength must be an integer of at least 0'],
    ['Schema', { maxItems: 1.5 }, 'maxItems must be an integer'],
    ['Schema', { minimum: '3' }, 'minimum must be a number'],
    [
      'Schema',
      { maximum: JSON.rawJSON('9223372036854775808') },
      'maximum goes beyond ±9007199254740991, where doubles do not hold every integer: add format: int64',
    ],
    [
      'Schema',
      { const: { id: [JSON.rawJSON('9007199254740993')] }, format: 'int32' },
      'const goes beyond ±9007199254740991',
    ],
    [
      'Schema',
      { properties: { a: { type: 'integer', default: JSON.rawJSON('9007199254740993') } } },
      'default goes beyond ±9007199254740991, where doubles do not hold every integer: add format: int64',
    ],
    [
      'Schema',
      {
        properties: {
          a: {
            type: 'object',
            properties: { b: { type: 'array' } },
            default: { b: [JSON.rawJSON('9007199254740993')] },
          },
        },
      },
      'default goes beyond ±9007199254740991',
    ],
    ['Schema', { multipleOf: 0 }, 'multipleOf must be a number above 0'],
    ['Schema', { uniqueItems: 'yes' }, 'uniqueItems must be true or false'],
    ['Schema', { required: 'name' }, 'required must be a list of strings'],
    ['Schema', { enum: 'name' }, 'enum must be a list'],
    ['Schema', { enum: [] }, 'enum must be a list of at least one value'],
    ['Schema', { required: ['a'], additionalProperties: false }, `required names a, ${UNDECLARED}`],
    [
      'Schema',
      { required: ['a', 'b1'], properties: { a: {} }, patternProperties: { '^b$': {} }, additionalProperties: false },
      `required names b1, ${UNDECLARED}`,
    ],
    [
      'Schema',
      { required: ['b'], allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      `required names b, ${UNDECLARED}`,
    ],
    [
      'Schema',
      { required: ['b'], allOf: [{ properties: { a: {} }, additionalProperties: false }] },
      `required names b, ${UNDECLARED}`,
    ],
    ['Schema', { pattern: '[' }, 'pattern does not compile'],
    ['Schema', { 'x-error-numbers': ['gone'] }, 'x-error-numbers must be a map of numbers to their meanings'],
    ['Schema', { patternProperties: { '[': true } }, 'patternProperties does not compile'],
    ['Schema', { format: 'colour' }, 'format colour is not supported: use one of int32, int64'],
    [
      'Schema',
      { format: 'int64', type: 'string' },
      'format int64 must stand beside type: integer: write it, or, for digits in a text, a pattern in place of the format',
    ],
    ...['properties', 'patternProperties', 'dependentSchemas', '$defs'].map((keyword): [ObjectKind, Node, string] => [
      'Schema',
      { [keyword]: JSON.parse('{"__proto__":true}') as Node },
      `${keyword} must be without __proto__`,
    ]),
    [
      'Schema',
      { dependentRequired: JSON.parse('{"__proto__":[]}') as Node },
      'dependentRequired must be without __proto__',
    ],
    ['Schema', { required: ['__proto__'] }, 'required must be without __proto__'],
    ['Schema', { properties: { a: 3 } }, 'a must be a Schema Object'],
    ['Schema', { allOf: {} }, 'allOf must be a list of Schema Objects'],
    ['Schema', { $ref: 'things.yaml#/Thing' }, '$ref leads to things.yaml#/Thing, which is not in the document'],
    ['Schema', { $ref: '#/components/schemas/None' }, 'which is not in the document: bundle all files'],
    ['Schema', { default: 3 }, 'only a parameter or a member of an object can have a default'],
    ...['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'not', 'contains'].map(
      (keyword): [ObjectKind, Node, string] => [
        'Schema',
        beneath(keyword, { properties: { a: { default: 3 } } }),
        'it must not stand beneath anyOf',
      ],
    ),
    ['Schema', { properties: { a: { type: 'integer', default: 'many' } } }, 'default must be an integer'],
    ['Parameter', { schema: { type: 'integer', default: 'many' } }, 'default must be an integer'],
    [
      'Schema',
      { properties: { a: { default: {}, $ref: '#/paths/~1things/put/requestBody/content/application~1json/schema' } } },
      'a default must not contain itself',
    ],
    ...['not', 'if', 'then', 'else', 'dependentSchemas', 'contains', 'propertyNames'].map(
      (keyword): [ObjectKind, Node, string] => [
        'Schema',
        beneath(keyword, { type: 'integer', format: 'int64' }),
        'format: int64 must not stand beneath',
      ],
    ),
    [
      'Schema',
      {
        anyOf: [{ properties: { a: { type: 'string' } } }, {}],
        unevaluatedProperties: { type: 'integer', format: 'int64' },
      },
      'format: int64 must not stand beneath',
    ],
    [
      'Schema',
      { unevaluatedProperties: { type: 'array', items: { type: 'integer', format: 'int64' } } },
      'format: int64 must not stand beneath',
    ],
    [
      'Schema',
      { unevaluatedProperties: { type: 'object', properties: { a: { default: 3 } } } },
      'it must not stand beneath anyOf',
    ],
    ['Schema', { readOnly: true }, 'readOnly and writeOnly must stand in a member of an object'],
    [
      'Schema',
      { properties: { a: { readOnly: true, writeOnly: true } } },
      'readOnly must not be combined with its opposite: the member could never be sent',
    ],
    ['Schema', { discriminator: { propertyName: 'kind' } }, 'a discriminator must stand beside oneOf or anyOf'],
    ['Schema', { oneOf: [{}], discriminator: { propertyName: 'kind' } }, 'each branch must be a $ref'],
    [
      'Discriminator',
      { mapping: { branch: '#/components/schemas/Branch' } },
      '#/components/schemas/Branch must require kind, and allow only const: branch for it, as the discriminator says',
    ],
    [
      'Server',
      { url: 'https://{region}.example:{port}', variables: { port: { default: '80' } } },
      'url has {region} without a default: add variables: { region: { default: … } }',
    ],
    ['Parameter', { name: '__proto__' }, 'name must be without __proto__'],
    ['Parameter', { in: 'cookie' }, 'in must be path, query or header: cookies are not read'],
    ['Parameter', { style: 'pipeDelimited' }, 'style pipeDelimited is not supported in query: use form or deepObject'],
    ['Parameter', { in: 'path', required: true, style: 'label' }, 'style label is not supported in path: use simple'],
    ['Parameter', { schema: {} }, 'the parameter limit must have a type'],
    ['Parameter', { schema: { anyOf: [{ maxLength: 3 }, { type: 'integer' }] } }, 'must have a type'],
    ['Parameter', { schema: { type: 'null' } }, 'the parameter limit must have a type'],
    ['Parameter', { schema: { type: ['string', 'array'] } }, 'must be of type array only'],
    ['Parameter', { schema: { type: 'array', items: { type: 'array' } } }, 'must have items that are strings'],
    [
      'Parameter',
      { schema: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'object' } } },
      'must have items that are strings',
    ],
    [
      'Parameter',
      { style: 'deepObject', schema: { type: 'object', additionalProperties: { type: 'array' } } },
      'must have members that are strings',
    ],
    [
      'Parameter',
      { schema: { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: false } },
      'accepts names in the query by a pattern: name each member under properties',
    ],
    ['Parameter', { in: 'header', name: 'set-cookie' }, 'a request has no header Set-Cookie: remove the parameter'],
    ['Parameter', { in: 'header', name: 'X Note' }, 'the name X Note is not valid for a header field'],
    ['Response', { headers: { 'X Note': { schema: {} } } }, 'the name X Note is not valid for a header field'],
    [
      'Operation',
      {
        parameters: [
          { name: 'x-a', in: 'header', schema: {} },
          { name: 'X-A', in: 'header', schema: {} },
        ],
      },
      'the parameter is declared twice: leave one out',
    ],
    [
      'Response',
      { content: { 'application/json': { schema: {} }, 'application/a+json': { schema: {} } } },
      'a reply can have only one media type: leave the others out',
    ],
    [
      'Operation',
      { requestBody: undefined, 'x-max-body-bytes': 9 },
      'x-max-body-bytes needs a requestBody: declare one, or leave it out',
    ],
    ['Parameter', { in: 'path', required: true }, 'the path lacks {limit}: write it into the path, or remove the'],
    [
      'OpenAPI',
      { paths: { '/things/{id}': { get: { operationId: 'getThing', responses: { default: { description: 'x' } } } } } },
      'the path has {id}: declare a parameter id with in: path',
    ],
    ['Parameter', { in: 'path' }, 'is not valid OpenAPI 3.1'],
    [
      'OpenAPI',
      { externalDocs: { url: 'our docs' } },
      '/externalDocs/url must match format "uri-reference": percent-encode it, as in /my%20terms',
    ],
    ['Info', { contact: { email: 'us' } }, 'must match format "email": write one such as name@example.com'],
    [
      'Components',
      { examples: { 'a b': {} } },
      '/components/examples must match pattern "^[a-zA-Z0-9._-]+$": a b: name it by letters, digits, dots',
    ],
    ['Components', { examples: { a: { val: 1 } } }, 'must NOT have unevaluated properties: val: leave it out'],
    [
      'Operation',
      { callbacks: { grown: { '{$url}': { parameters: [{ name: 'a', in: 'mind', schema: {} }] } } } },
      'in must be equal to one of the allowed values: query, header, path, cookie',
    ],
    [
      'Operation',
      {
        parameters: [
          { name: 'filter[limit]', in: 'query', schema: { type: 'string' } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
        ],
      },
      'the parameter filter[limit] and another one both read filter[limit] in the query',
    ],
    ['Parameter', { style: 'deepObject' }, 'must be an object to have the style deepObject'],
    [
      'Parameter',
      { schema: { type: 'object' } },
      'accepts any name in the query: name its members under properties, and',
    ],
    [
      'Parameter',
      { schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } } },
      'accepts any name in the query: name its members under properties, and',
    ],
    ['Response', { headers: { 'Content-Type': { schema: {} } } }, 'OpenAPI ignores the header Content-Type'],
    ...[
      ...['Content-Length', 'transfer-encoding', 'Connection', 'Keep-Alive', 'Proxy-Connection', 'Upgrade', 'TE'],
      ...['Trailer', 'Date', 'Content-Encoding', 'X-Content-Type-Options', 'Access-Control-Allow-Origin'],
    ].map((name): [ObjectKind, Node, string] => [
      'Response',
      { headers: { [name]: { schema: { type: 'string' } } } },
      `the header ${name} is for HTTP and the service to send, not for an operation: leave it out`,
    ]),
    [
      'Response',
      { headers: { 'X-Note': { schema: {} }, 'x-note': { schema: {} } } },
      'the headers X-Note and x-note are the same: leave one out',
    ],
    ['Header', { schema: { type: 'array' } }, 'the header X-Note must be a string, a number'],
    ['Response', { content: { 'image/*': { schema: {} } } }, 'the media type image/* is not supported'],
    ['Security Scheme', { type: 'mutualTLS', scheme: undefined }, 'type must be http'],
    ['Security Scheme', { scheme: 'basic' }, 'scheme must be bearer: the service checks only tokens'],
    ['Security Requirement', { other: [] }, 'the security scheme other must be declared'],
  ])('loadContract refuses, with place and cure, a %s Object with %j', async (kind, members, sentence) => {
    const error: unknown = await load(kind, members).catch((refusal: unknown) => refusal);
    if (!(error instanceof ContractError)) throw error;
    expect(error.message).toContain(sentence);
    // Each says where, and what to do: by a rule, or behind a colon.
    for (const { at, said } of error.all) {
      expect(at).toMatch(/^openapi\.yaml:\d+:\d+/);
      expect(said).toMatch(/ must |: \S/);
    }
  });
});

describe('accepted fields', () => {
  test.each<[ObjectKind, Node]>([
    ['Schema', { 'x-note': 'for people' }],
    [
      'Security Scheme',
      {
        ...{ type: 'oauth2', scheme: undefined },
        flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } },
      },
    ],
    ['Info', { termsOfService: '', contact: { url: 'www.example.com' } }],
    ['OpenAPI', { externalDocs: { url: '../docs' } }],
    ['Operation', { externalDocs: { url: '../docs' } }],
    [
      'Schema',
      {
        anyOf: [
          { type: 'array', items: { $ref: '#/paths/~1things/put/requestBody/content/application~1json/schema' } },
          { additionalProperties: { $ref: '#/paths/~1things/put/requestBody/content/application~1json/schema' } },
        ],
      },
    ],
    ['Schema', { properties: { a: { readOnly: true, type: 'string' }, b: { default: 3, type: 'integer' } } }],
    [
      'Schema',
      {
        properties: {
          a: {
            type: 'object',
            properties: { id: { type: 'integer', format: 'int64' } },
            default: { id: JSON.rawJSON('9007199254740993') },
          },
        },
      },
    ],
    ['Parameter', { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }],
    ['Parameter', { in: 'header', name: 'Accept', schema: { nullable: true } }],
    ['Parameter', { schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } }],
    ['Parameter', { style: 'deepObject', schema: { type: 'object' } }],
    ['Parameter', { schema: { type: 'array', items: { type: 'integer' } }, explode: false }],
    ['Path Item', { 'x-a': 'any text' }],
    ['OpenAPI', { webhooks: { grown: { post: { responses: { default: { description: 'noted' } } } } } }],
    ['Media Type', { examples: { one: { value: { $ref: 'https://users.example/1' } } } }],
    ['Schema', { 'x-note': { $ref: 'https://users.example/1' }, examples: [{ $ref: 'https://users.example/1' }] }],
    ['Schema', { required: ['a'], properties: { a: {} }, additionalProperties: false }],
    ['Schema', { required: ['ab'], patternProperties: { '^a': {} }, unevaluatedProperties: false }],
    ['Schema', { required: ['a'], anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false }],
    [
      'Operation',
      {
        callbacks: {
          grown: { '{$request.body#/url}': { post: { responses: { default: { description: 'noted' } } } } },
        },
      },
    ],
  ])('loadContract accepts a %s Object with %j', async (kind, members) => {
    await expect(load(kind, members)).resolves.toBeDefined();
  });
});
