import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Contract, ContractOperation } from '../../src/contract/contract.ts';
import { ErrorNumber, Refusal } from '../../src/contract/errors.ts';
import { loadContract } from '../../src/contract/load.ts';
import { VOCABULARY } from '../../src/contract/vocabulary.ts';
import { prove } from '../../scripts/proof/prove.ts';
import { ROOT } from '../support/service.ts';

/** A contract whose requests and replies have a body with this schema, in YAML. */
function contractOf(schema: string, parameters = '', headers = ''): Promise<Contract> {
  const content = `content: { application/json: { schema: ${schema} } }`;
  return loadContract(`
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /things:
    post:
      operationId: addThing
      parameters: [${parameters}]
      requestBody: { required: true, ${content} }
      responses:
        '200': { description: a thing, headers: { ${headers} }, ${content} }
        default: { description: a failure, content: { application/json: { schema: {} } } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  schemas: { Short: { type: string, maxLength: 3 }, Shown: { type: string, readOnly: true }, Entity: { type: object, required: [id, createdAt], properties: { id: { type: string, readOnly: true }, createdAt: { type: string, readOnly: true } } }, Thing: { type: object, properties: { of: { $ref: '#/components/schemas/Thing' }, id: { type: integer, format: int64 } } } }
`);
}

/** The contract with the validators of another one. */
function validatedBy(contract: Contract, other: Contract): Contract {
  return changed(contract, (operation, at) => ({
    ...operation,
    validator: other.operations[at]?.validator ?? operation.validator,
  }));
}

function changed(
  contract: Contract,
  change: (operation: ContractOperation, at: number) => ContractOperation,
): Contract {
  return { ...contract, operations: contract.operations.map(change) };
}

/** For each keyword that a value can break: a schema with it, and the same without it. */
const KEYWORDS: Readonly<Record<string, readonly [schema: string, without: string]>> = {
  $ref: ["{ $ref: '#/components/schemas/Short' }", '{ type: string }'],
  allOf: ['{ allOf: [{ type: string }, { minLength: 2 }] }', '{ type: string }'],
  anyOf: ['{ anyOf: [{ type: string }, { type: boolean }] }', '{}'],
  oneOf: [
    '{ type: number, oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }',
    '{ type: number, anyOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }',
  ],
  not: ['{ type: integer, not: { const: 7 } }', '{ type: integer }'],
  if: ['{ type: integer, if: { minimum: 10 }, then: { multipleOf: 10 } }', '{ type: integer, multipleOf: 10 }'],
  then: ['{ type: integer, if: { minimum: 10 }, then: { multipleOf: 10 } }', '{ type: integer, if: { minimum: 10 } }'],
  else: ['{ type: integer, if: { minimum: 10 }, else: { multipleOf: 10 } }', '{ type: integer, if: { minimum: 10 } }'],
  dependentSchemas: ['{ type: object, dependentSchemas: { a: { required: [b] } } }', '{ type: object }'],
  properties: ['{ type: object, properties: { a: false } }', '{ type: object }'],
  patternProperties: ['{ type: object, patternProperties: { "^x-": { type: string } } }', '{ type: object }'],
  additionalProperties: ['{ type: object, additionalProperties: false }', '{ type: object }'],
  unevaluatedProperties: [
    '{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }',
    '{ allOf: [{ properties: { a: {} } }] }',
  ],
  propertyNames: ['{ type: object, propertyNames: { maxLength: 4 } }', '{ type: object }'],
  items: ['{ type: array, items: { type: string } }', '{ type: array, items: {} }'],
  prefixItems: ['{ type: array, prefixItems: [{ type: string }] }', '{ type: array }'],
  contains: ['{ type: array, contains: { const: 5 } }', '{ type: array }'],
  type: ['{ type: string }', '{}'],
  enum: ['{ enum: [1, { a: false }] }', '{}'],
  const: ['{ const: { a: false } }', '{}'],
  multipleOf: ['{ type: number, multipleOf: 0.01 }', '{ type: number }'],
  maximum: ['{ type: integer, format: int64, maximum: 9223372036854775400 }', '{ type: integer, format: int64 }'],
  exclusiveMaximum: ['{ type: number, exclusiveMaximum: 0.3 }', '{ type: number }'],
  minimum: ['{ type: integer, minimum: 3 }', '{ type: integer }'],
  exclusiveMinimum: ['{ type: number, exclusiveMinimum: 3 }', '{ type: number }'],
  maxLength: ['{ type: string, maxLength: 3 }', '{ type: string }'],
  minLength: ['{ type: string, minLength: 3 }', '{ type: string }'],
  pattern: ["{ type: string, pattern: '^[a-z]{2,}$' }", '{ type: string }'],
  maxItems: ['{ type: array, maxItems: 1000 }', '{ type: array }'],
  minItems: ['{ type: array, minItems: 3 }', '{ type: array }'],
  uniqueItems: [
    '{ type: array, uniqueItems: true, items: { type: object } }',
    '{ type: array, items: { type: object } }',
  ],
  maxContains: ['{ type: array, contains: { const: 5 }, maxContains: 2 }', '{ type: array, contains: { const: 5 } }'],
  minContains: ['{ type: array, contains: { const: 5 }, minContains: 2 }', '{ type: array, contains: { const: 5 } }'],
  maxProperties: ['{ type: object, maxProperties: 3 }', '{ type: object }'],
  minProperties: ['{ type: object, minProperties: 2 }', '{ type: object }'],
  required: ['{ type: object, required: [a] }', '{ type: object }'],
  dependentRequired: ['{ type: object, dependentRequired: { a: [b] } }', '{ type: object }'],
  format: ['{ type: string, format: date-time }', '{ type: string }'],
  readOnly: ['{ properties: { a: { readOnly: true, type: string } } }', '{ properties: { a: { type: string } } }'],
  writeOnly: ['{ properties: { a: { writeOnly: true, type: string } } }', '{ properties: { a: { type: string } } }'],
};
/** Keywords that make no value invalid. */
const SILENT = ['$defs', 'default', 'discriminator', 'x-pattern-message', 'x-error-numbers'];

test.each(['openapi.yaml', 'test/garden/openapi.yaml'])('prove finds that the validator keeps %s', async (path) => {
  prove(await loadContract(readFileSync(join(ROOT, path), 'utf8')));
});

test('KEYWORDS has each keyword that can make a value invalid', () => {
  const kept = Object.entries(VOCABULARY.Schema).filter(([name, { is }]) => is === 'kept' && !SILENT.includes(name));
  expect(Object.keys(KEYWORDS).sort()).toEqual(kept.map(([name]) => name).sort());
});

/** For these, the error names a keyword inside or around them. */
const NAMED_BY_OTHERS = [
  ...['$ref', 'allOf', 'if', 'then', 'else', 'dependentSchemas', 'patternProperties', 'items', 'prefixItems'],
  ...['readOnly', 'writeOnly'],
];

test.each(Object.entries(KEYWORDS))(
  'prove accepts a validator that keeps %s, and refuses one that ignores it',
  async (keyword, [schema, without]) => {
    const [contract, other] = await Promise.all([contractOf(schema), contractOf(without)]);
    prove(contract);
    prove(other);
    const named = NAMED_BY_OTHERS.includes(keyword) ? '' : ` ${keyword}: `;
    expect(() => {
      prove(validatedBy(contract, other));
    }).toThrow(
      new RegExp(
        `openapi\\.yaml:\\d+:\\d+.*${named}.*: addThing, (?:request|reply 200): the validator (?:accepts|refuses) `,
      ),
    );
  },
);

const PARAMETERS = `
        { name: after, in: query, required: true, schema: { type: integer, format: int64, maximum: 9223372036854775400 } },
        { name: tags, in: query, schema: { type: array, minItems: 1, maxItems: 3, uniqueItems: true, items: { type: string } } },
        { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer, format: int64 }, maxItems: 2 } },
        { name: filter, in: query, style: deepObject, schema: { type: object, required: [a], additionalProperties: false, properties: { a: { type: string }, b: { type: boolean } } } },
        { name: price, in: query, schema: { type: number, multipleOf: 0.01, minimum: 0 } },
        { name: limit, in: query, schema: { type: integer, format: int32, default: 20, minimum: 1 } },
        { name: X-Names, in: header, schema: { type: array, items: { enum: [a, b] } } }`;
const HEADERS = 'X-Total: { required: true, schema: { type: integer, format: int64 } }';
const BODY =
  '{ type: object, properties: { name: { type: [string, "null"], maxLength: 5 }, of: { $ref: "#/components/schemas/Thing" } } }';

describe('prove, for parameters, headers and recursive bodies,', () => {
  const contract = contractOf(BODY, PARAMETERS, HEADERS);

  test('accepts the validator', async () => {
    prove(await contract);
  });

  const broken: Readonly<
    Record<string, readonly [change: (operation: ContractOperation) => ContractOperation, says: RegExp]>
  > = {
    'rounds an int64': [
      (operation) => ({
        ...operation,
        readParameters: (sent) => {
          const { query, ...others } = operation.readParameters(sent);
          const after = typeof query['after'] === 'bigint' ? BigInt(Number(query['after'])) : query['after'];
          return { ...others, query: { ...query, ...(after !== undefined && { after }) } };
        },
      }),
      /addThing, request: the validator fails on .*: it becomes \{.*"after":\d+/,
    ],
    'does not read + as a space': [
      (operation) => ({
        ...operation,
        readParameters: (sent) => operation.readParameters({ ...sent, query: sent.query.replaceAll('+', '%2B') }),
      }),
      /: it becomes /,
    ],
    'accepts unknown parameters': [
      (operation) => ({
        ...operation,
        readParameters: ({ query, ...sent }) =>
          operation.readParameters({
            ...sent,
            query: query
              .split('&')
              .filter((pair) => !pair.startsWith('member'))
              .join('&'),
          }),
      }),
      /additionalProperties: false: addThing, request: the validator accepts .*"member"/,
    ],
    'ignores the headers of replies': [
      (operation) => ({
        ...operation,
        validator: {
          ...operation.validator,
          reply: (status, _headers, body) => {
            operation.validator.reply(status, { 'X-Total': 1n }, body);
          },
        },
      }),
      /addThing, reply 200: the validator accepts \{"headers":\{/,
    ],
    throws: [
      (operation) => ({
        ...operation,
        validator: {
          ...operation.validator,
          request: (request) => {
            if (Array.isArray(request.query['tags'])) throw new TypeError('a.valueOf is not a function');
            operation.validator.request(request);
          },
        },
      }),
      /addThing, request: the validator fails on .*: TypeError: a\.valueOf is not a function/,
    ],
  };
  test.each(Object.entries(broken))('refuses a validator that %s', async (_does, [change, says]) => {
    const sabotaged = changed(await contract, change);
    expect(() => {
      prove(sabotaged);
    }).toThrow(says);
  });
});

test.each([
  [
    '{ type: string, minLength: 5, maxLength: 3 }',
    'minLength: 5: addThing, request: no valid value was found that it judges',
  ],
  [
    '{ allOf: [{ type: string }, { type: integer }] }',
    'type: "string": addThing, request: no valid value was found that it judges',
  ],
  [
    '{ anyOf: [{}, { type: string, maxLength: 3 }] }',
    'anyOf: [{},{"type":"string","maxLength":3}]: addThing, request: no value was found that breaks it',
  ],
  ["{ type: string, pattern: '' }", 'pattern: "": addThing, request: no value was found that breaks it'],
  [
    "{ type: string, pattern: '^(?=.*[0-9])(?=.*[a-z]).{4}$' }",
    'no valid value was found that it judges: add one to `examples`, or leave it out',
  ],
])('prove refuses the schema %s with the message "%s"', async (schema, says) => {
  const contract = await contractOf(schema);
  expect(() => {
    prove(contract);
  }).toThrow(says);
});

test.each([
  "{ type: string, pattern: '^(?=.*[A-Z])(?=.*[0-9]).{8,}$' }",
  "{ type: string, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', minLength: 3, maxLength: 63 }",
  "{ type: string, format: uri, pattern: '^https://', maxLength: 2048 }",
  '{ type: string, anyOf: [{ format: ipv4 }, { format: ipv6 }] }',
  '{ type: number, minimum: 0.1, maximum: 0.3, multipleOf: 0.1 }',
  '{ anyOf: [{ type: "null" }, { type: integer, format: int64, minimum: 1 }] }',
  '{ type: array, minItems: 10, uniqueItems: true, items: { required: [a], properties: { a: { type: integer, minimum: 1 } } } }',
  '{ type: array, items: { type: integer, minimum: 0 }, contains: { multipleOf: 7, minimum: 7 }, minContains: 2, maxContains: 3, maxItems: 8 }',
  '{ type: object, maxProperties: 3, propertyNames: { pattern: "^[a-z]{1,8}$" }, additionalProperties: { type: number } }',
  '{ properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }',
  '{ properties: { a: { enum: [x, y] }, b: { type: string } }, if: { properties: { a: { const: x } } }, then: { required: [b] }, else: { properties: { b: false } } }',
  '{ oneOf: [{ required: [a, b], properties: { a: { const: x }, b: { type: integer } } }, { required: [a], properties: { a: { const: y }, c: { items: { maxLength: 3 }, minItems: 2 } } }] }',
  '{ allOf: [{ $ref: "#/components/schemas/Thing" }, { required: [name], properties: { name: { type: string } } }], unevaluatedProperties: false }',
  '{ type: object, required: [of], properties: { of: { anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Thing" }] } } }',
  '{ type: object, properties: { a: { not: {} }, b: false } }',
  '{ type: object, dependentSchemas: { a: false } }',
  '{ type: array, prefixItems: [{ type: string }], items: false }',
  '{ type: object, properties: { a: {} }, required: [], minProperties: 0 }',
  '{ type: array, items: { type: string }, uniqueItems: false, minItems: 0 }',
  '{ if: { type: string }, then: false, else: { type: integer } }',
  '{ required: [id], properties: { id: { type: string, readOnly: true }, name: { type: string } } }',
  '{ required: [secret], properties: { secret: { type: string, writeOnly: true } } }',
  '{ allOf: [{ $ref: "#/components/schemas/Entity" }, { properties: { name: { type: string } } }] }',
  '{ allOf: [{ $ref: "#/components/schemas/Entity" }, { required: [id, name] }], properties: { name: { type: string } } }',
  '{ allOf: [{ $ref: "#/components/schemas/Entity" }, { dependentRequired: { name: [id] } }], properties: { name: { type: string } } }',
  '{ allOf: [{ $ref: "#/components/schemas/Entity" }, { required: [id, name], properties: { id: { type: string }, name: { type: string } } }] }',
  '{ anyOf: [{ required: [id, name] }, { required: [id, code] }], allOf: [{ $ref: "#/components/schemas/Entity" }] }',
  '{ properties: { of: { $ref: "#/components/schemas/Shown" } }, required: [of] }',
])('prove finds test values for %s', async (schema) => {
  prove(await contractOf(schema));
});

test('prove tests nested schemas only as deep as a request may nest', async () => {
  const nested = Array.from({ length: 34 }).reduce<string>(
    (of) => `{ type: object, properties: { of: ${of} } }`,
    '{ type: string }',
  );
  prove(await contractOf(nested));
});

test('prove skips arrays that a query spells like an object', async () => {
  const schema = '{ type: object, properties: { a: { type: string } } }';
  prove(await contractOf('{}', `{ name: filter, in: query, explode: false, schema: ${schema} }`));
});

test('prove uses an example if it finds no string for a pattern', async () => {
  prove(await contractOf("{ type: string, pattern: '^(?=.*[0-9])(?=.*[a-z]).{4}$', examples: [a1b2] }"));
});

test.each<[schema: string, does: string, isRefused: (body: unknown) => boolean, says: string]>([
  [
    '{ type: number, multipleOf: 0.01 }',
    'divides doubles',
    (body) => !Number.isInteger(Number(body) / 0.01),
    'refuses',
  ],
  [
    '{ type: array, uniqueItems: true, items: { type: integer, format: int64 } }',
    'rounds an int64',
    (body) =>
      Array.isArray(body) &&
      body.every((each) => typeof each === 'bigint') &&
      new Set(body.map(Number)).size < body.length,
    'refuses',
  ],
  ['{ const: { a: false } }', 'finds no two objects equal', (body) => typeof body === 'object', 'refuses'],
  ['{ type: string, maxLength: 3 }', 'counts UTF-16 code units', (body) => String(body).length > 3, 'refuses'],
])('prove refuses, for %s, a validator that %s', async (schema, _does, isRefused, says) => {
  const contract = changed(await contractOf(schema), (operation) => ({
    ...operation,
    validator: {
      ...operation.validator,
      request: (request) => {
        if (isRefused(request.body)) throw new Refusal(ErrorNumber.contractBroken, 'sabotage');
        operation.validator.request(request);
      },
    },
  }));
  expect(() => {
    prove(contract);
  }).toThrow(
    new RegExp(`openapi\\.yaml:\\d+:\\d+ .*: addThing, request: the validator ${says} .*, which is valid: sabotage`),
  );
});

describe('prove names the place of an invalid example or default:', () => {
  test.each([
    [
      '{ type: string, maxLength: 3, example: oak tree }',
      'openapi.yaml:10:69, example: "oak tree" is not valid by its schema',
    ],
    ['{ type: string, maxLength: 3, examples: [oak, oak tree] }', 'examples: "oak tree" is not valid'],
    ['{ type: string }, example: 5', 'example: 5 is not valid'],
    ['{ type: string }, examples: { one: { value: 5 } }', 'examples, one: 5 is not valid'],
    [
      '{ required: [a], properties: { a: { readOnly: true, type: integer } } }, example: { a: 5 }',
      'example: {"a":5} is not valid',
    ],
  ])('%s', async (schema, says) => {
    const contract = await contractOf(schema);
    expect(() => {
      prove(contract);
    }).toThrow(says);
  });

  test.each([
    ['{ name: a, in: query, schema: { type: integer }, example: many }', '', 'example: "many" is not valid'],
    ['', 'X-Total: { schema: { type: integer, default: many } }', 'default: "many" is not valid'],
    ['', 'X-Total: { schema: { type: integer }, example: many }', 'example: "many" is not valid'],
  ])('in the parameter "%s" or the header "%s"', async (parameters, headers, says) => {
    const contract = await contractOf('{}', parameters, headers);
    expect(() => {
      prove(contract);
    }).toThrow(says);
  });
});
