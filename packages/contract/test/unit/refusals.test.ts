import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../src/load.ts';

/** A contract of beds, of which each test changes one text. */
const BEDS = `# Beds
openapi: 3.1.0
info: { title: Beds, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /beds/newest:
    get:
      operationId: newestBed
      responses: { '200': &done { description: done }, default: &failed { $ref: '#/components/responses/Failed' } }
  /beds/{bed-id}:
    get:
      operationId: getBed
      parameters:
        - { name: bed-id, in: path, required: true, schema: { $ref: '#/components/schemas/Id' } }
        - { name: limit, in: query, schema: { type: integer, format: int64, default: 20, maximum: 100 } }
        - { name: after, in: query, schema: { $ref: '#/components/schemas/Season' } }
        - { name: name, in: query, schema: { type: string } }
        - { name: corner, in: query, schema: { type: object, additionalProperties: false, properties: { north: { type: integer } } } }
        - { name: filter, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Filter' } }
        - { name: X-Since, in: header, schema: { type: integer } }
        - { name: X-Note, in: header, schema: { type: string } }
      responses: { '200': *done, default: *failed }
    put:
      operationId: putBed
      parameters: [{ name: bed-id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content: { application/json: { schema: true }, application/vnd.beds+json: { schema: { $ref: '#/components/schemas/Short' } } }
      responses: { '200': *done, default: *failed }
  /weather: { get: { operationId: getWeather, responses: { '204': *done, default: *failed } } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  responses:
    Failed: { description: failed, content: { application/json: { schema: { $ref: '#/components/schemas/Reason' } } } }
  schemas:
    Id: { type: integer, format: int64 }
    Season: { type: string, enum: [spring, summer, autumn] }
    Filter: { type: object, additionalProperties: false, properties: { by: { type: string } } }
    Reason: { type: object, properties: { reason: { type: string } } }
    Short: { $ref: '#/components/schemas/Short/$defs/text', maxLength: 3, $defs: { text: { type: string } } }
`;

/** The contract with one text replaced, which it must contain. */
function changed(from: string, to: string): string {
  expect(BEDS).toContain(from);
  return BEDS.replace(from, () => to);
}

function lineOf(text: string): number {
  return BEDS.slice(0, BEDS.indexOf(text)).split('\n').length;
}

describe('refused contracts', () => {
  const [version, security] = ['openapi: 3.1.0', 'security: [{ bearerAuth: [] }]'];
  const limit = 'schema: { type: integer, format: int64, default: 20, maximum: 100 }';
  const [season, reason] = ['Season: { type: string, enum: [spring, summer, autumn] }', 'reason: { type: string }'];
  const getBed = `openapi.yaml:${lineOf('operationId: getBed') - 1}:5, get /beds/{bed-id}`;
  const reply = 'content: { application/json: { schema: {';
  const newest = '  /beds/newest:\n    get:';
  const noPattern = 'pattern does not compile: SyntaxError: Invalid regular expression';
  test.each([
    ['invalid YAML', version, 'openapi: [3.1.0', ': this is not YAML: '],
    [
      'an alias without an anchor',
      version,
      `${version}\nx-a: *none`,
      'openapi.yaml:3:6: *none has no anchor before it',
    ],
    ['a key that repeats', version, `${version}\n${version}`, 'openapi.yaml:3:1: the map has openapi twice: '],
    [
      'a key that repeats as a text',
      version,
      `${version}\nx-a: { 200: a, '200': b }`,
      'openapi.yaml:3:16: the map has 200',
    ],
    ['an alias inside its own anchor', reason, 'reason: &a { items: *a }', '*a contains itself: refer to it by $ref'],
    ['a tag', reason, 'reason: !env a', 'JSON has no tag !env: leave it out'],
    ['a version without quotes', version, 'openapi: 3.0', 'openapi.yaml:2:1 must be OpenAPI 3.1: `trellis adopt`'],
    ['another version of OpenAPI', version, 'openapi: 3.0.3', 'openapi.yaml:2:1 must be OpenAPI 3.1: `trellis adopt`'],
    ['a later version of OpenAPI', version, 'openapi: 3.2.0', 'openapi.yaml:2:1 must be OpenAPI 3.1: write'],
    ['no operationId', 'operationId: getBed', 'summary: x', `${getBed}: the operationId is missing`],
    [
      'one operationId on two operations',
      'operationId: getBed',
      'operationId: putBed',
      'another operation has the operationId putBed',
    ],
    [
      'the operationId __proto__',
      'operationId: getBed',
      'operationId: __proto__',
      `${getBed}: no object can have a member __proto__: choose another operationId`,
    ],
    [
      'a field that OpenAPI lacks',
      'responses:',
      'answers:',
      `openapi.yaml:${lineOf('responses:')}:7: the field answers of an Operation Object is not supported: correct its name, or leave it out`,
    ],
    [
      'a wrong value of a field',
      'operationId: getBed',
      'operationId: 5',
      `openapi.yaml:${lineOf('operationId: getBed')}:7: operationId must be a string`,
    ],
    [
      'a merge key',
      'responses:',
      '<<: { deprecated: true }\n      responses:',
      `openapi.yaml:${lineOf('responses:')}:7: << merges maps in YAML 1.1 only: write the members out, or refer to them by $ref`,
    ],
    [
      'a $ref to a missing schema',
      'schemas/Season',
      'schemas/Sort',
      `openapi.yaml:${lineOf('schemas/Season')}:47: $ref leads to #/components/schemas/Sort, which is not in the document`,
    ],
    [
      'a $ref to another document',
      "'#/components/schemas/Season'",
      'kinds.yaml',
      'kinds.yaml, which is not in the document: bundle all files into one',
    ],
    [
      'a circle of $refs',
      "schemas/Short/$defs/text', maxLength",
      "schemas/Short', maxLength",
      `openapi.yaml:${lineOf('Short: {')}:5: a schema must not refer to itself for the same`,
    ],
    ['the number .nan', season, 'Season: { const: .nan }', ':15: JSON has no number NaN'],
    ['the number .inf in a list', season, 'Season: { enum: [1, .inf] }', ':25: JSON has no number Infinity'],
    ...['!!binary aGk=', '!!set { a }', '!!timestamp 2026-02-28'].map(
      (value) =>
        [
          `the value ${value}`,
          season,
          `Season: { default: ${value} }`,
          `openapi.yaml:${lineOf(season)}:15: JSON has no such value: write a map, a list, or a string in quotes`,
        ] as const,
    ),
    [
      'the security scheme basic',
      'scheme: bearer',
      'scheme: basic',
      `openapi.yaml:${lineOf('scheme: bearer')}:48: scheme must be bearer: the service checks only`,
    ],
    [
      'a scope that contains a space',
      security,
      'security: [{ bearerAuth: [beds read] }]',
      ':4:12, get /beds/newest: a scope must be printable ASCII without spaces',
    ],
    ['scopes of more than 900 characters', security, `security: [{ bearerAuth: [a, ${'b'.repeat(899)}] }]`, ':4:12'],
    ['an undeclared security scheme', security, 'security: [{ other: [] }]', 'the security scheme other must be'],
    [
      'a form',
      'application/vnd.beds+json',
      'multipart/form-data',
      'the media type multipart/form-data is not supported, as no range of types, form, parts or stream is: write application',
    ],
    [
      'two media types in a reply',
      reply,
      `${reply} } }, application/hal+json: { schema: {`,
      'a reply can have only one media type',
    ],
    [
      'a media type without a schema',
      'application/json: { schema: true }',
      'application/json: {}',
      'application/json must have a schema',
    ],
    [
      'a parameter in a cookie',
      'after, in: query',
      'after, in: cookie',
      'in must be path, query or header: cookies are not read',
    ],
    [
      'a parameter without a schema',
      limit,
      `${reply} } } }`,
      'content is not supported: describe the parameter by a schema',
    ],
    ['an invalid pattern', season, "Season: { type: string, pattern: '[' }", noPattern],
    ['an invalid pattern in a reply', reason, "reason: { type: string, pattern: '[' }", noPattern],
    [
      'a parameter twice',
      'name: after, in: query',
      'name: limit, in: query',
      'parameter limit: the parameter is declared twice',
    ],
    [
      'one header in two spellings',
      'name: X-Note, in: header',
      'name: x-since, in: header',
      'parameter x-since: the parameter is declared twice',
    ],
    [
      'a name that two parameters read',
      '{ north: { type',
      '{ limit: { type',
      'the parameter corner and another one both read limit in the',
    ],
    [
      'a member that two parameters read',
      'name: name, in: query',
      'name: "filter[by]", in: query',
      'filter[by] and another one both read filter[by] in the',
    ],
    [
      'an undeclared variable',
      '/beds/{bed-id}:',
      '/beds/{id}:',
      'the path has {id}: declare a parameter id with in: path',
    ],
    [
      'a path without its parameter',
      '/beds/{bed-id}:',
      '/beds/each:',
      'the path lacks {bed-id}: write it into the path, or',
    ],
    [
      'two paths that match the same requests',
      '  /weather:',
      "  /beds/{id}: { $ref: '#/paths/~1beds~1{bed-id}' }\n  /weather:",
      '/beds/{id}: the path /beds/{bed-id} matches the same requests of get: join the two',
    ],
    [
      'a path item that refers to itself',
      newest,
      `  /x: { $ref: '#/paths/~1x' }\n${newest}`,
      '$ref leads to #/paths/~1x, and from there to nothing',
    ],
    [
      'a path item beside its $ref',
      newest,
      `  /x: { $ref: '#/paths/~1weather', get: {} }\n${newest}`,
      'OpenAPI ignores get beside $ref: leave it out',
    ],
  ])('the service refuses to start, and says why, for a contract with %s', async (_name, from, to, message) => {
    await expect(loadContract(changed(from, to))).rejects.toThrow(
      expect.objectContaining({
        name: 'ContractError',
        // Each message begins with the place in the contract.
        message: expect.stringMatching(
          new RegExp(`^(?=openapi\\.yaml\\b)(?!.*\\[object).*${RegExp.escape(message)}`, 's'),
        ),
      }),
    );
  });
});

describe('loadContract', () => {
  test('accepts the bounds of int64 as minimum and maximum', async () => {
    const bounds = 'Id: { type: integer, format: int64, minimum: -9223372036854775808, maximum: 9223372036854775807 }';
    await expect(loadContract(changed('Id: { type: integer, format: int64 }', bounds))).resolves.toBeDefined();
  });

  test('requires no token where the contract declares no security', async () => {
    const securityOf = async (yaml: string) =>
      (await loadContract(yaml)).operations.find(({ id }) => id === 'getBed')?.security;
    expect(await securityOf(changed('security: [{ bearerAuth: [] }]\npaths', 'paths'))).toEqual([]);
    expect(await securityOf(BEDS)).toEqual([[]]);
  });

  test('finds no operations in a contract without paths', async () => {
    const { operations } = await loadContract('{ openapi: 3.1.0, info: { title: x, version: 1.0.0 }, components: {} }');
    expect(operations).toEqual([]);
  });
});
