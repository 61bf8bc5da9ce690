import { expect, test } from '@jest/globals';
import { Derivation } from '../../../../../contract/tools/derivation/messages.ts';
import { readOpenApi } from '../../../../../contract/src/schema/document.ts';
import { VOCABULARY } from '../../../../../contract/src/rules/vocabulary.ts';
import type { Verdict } from '../../../../testing/derived/judge.ts';
import { judgeOf } from '../../../support/judge.ts';

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
  maximum: ['{ type: integer, maximum: 3 }', '{ type: integer }'],
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

test('KEYWORDS has each keyword that can make a value invalid', () => {
  const kept = Object.entries(VOCABULARY.Schema).filter(([name, { is }]) => is === 'kept' && !SILENT.includes(name));
  expect(Object.keys(KEYWORDS).sort()).toEqual(kept.map(([name]) => name).sort());
});

/** A contract whose requests and replies have a body with this schema, in YAML. */
function derivationOf(schema: string, others = ''): Derivation {
  const content = `content: { application/json: { schema: ${schema} } }`;
  return new Derivation(
    readOpenApi(`
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: addThing
      requestBody: { required: true, ${content} }
      responses: { '200': { description: a thing, ${content} } }
components:
  schemas: { Short: { type: string, maxLength: 3 }, ${others} }
`),
  );
}

/** The messages in both directions, and a judge of each. */
async function messagesOf(derivation: Derivation): Promise<[messages: readonly unknown[], judge: Verdict][]> {
  const [request] = derivation.ofRequests({ id: 'addThing' });
  const [reply] = derivation.ofReplies({ id: 'addThing' });
  if (request === undefined || reply === undefined) throw new Error('the contract has no messages');
  return [
    [request.messages.map(({ parts }) => parts), await judgeOf(request.schema, derivation.requests.document)],
    [reply.messages, await judgeOf(reply.schema, derivation.replies.document)],
  ];
}

test.each(Object.entries(KEYWORDS))(
  'derives a message that only %s makes invalid, and a valid one',
  async (_keyword, [schema, without]) => {
    const [own, other] = await Promise.all([schema, without].map((each) => messagesOf(derivationOf(each))));
    const found = own?.flatMap(([messages, judge], direction) => {
      const lenient = other?.[direction]?.[1] ?? (() => []);
      const isKept = messages.filter((each) => judge(each).length === 0).length > 0;
      return messages.filter((each) => isKept && judge(each).length > 0 !== lenient(each).length > 0);
    });
    expect(found?.length).toBeGreaterThan(0);
  },
);

test.each([
  "{ type: string, pattern: '^(?=.*[A-Z])(?=.*[0-9]).{8,}$' }",
  "{ type: string, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', minLength: 3, maxLength: 63 }",
  "{ type: string, format: uri, pattern: '^https://', maxLength: 2048 }",
  "{ type: string, pattern: '^(?=.*[0-9])(?=.*[a-z]).{4}$', examples: [a1b2] }",
  '{ type: number, minimum: 0.1, maximum: 0.3, multipleOf: 0.1 }',
  '{ type: array, minItems: 10, uniqueItems: true, items: { required: [a], properties: { a: { type: integer, minimum: 1 } } } }',
  '{ type: array, items: { type: integer, minimum: 0 }, contains: { multipleOf: 7, minimum: 7 }, minContains: 2, maxContains: 3, maxItems: 8 }',
  '{ type: object, maxProperties: 3, propertyNames: { pattern: "^[a-z]{1,8}$" }, additionalProperties: { type: number } }',
  '{ properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }',
  '{ properties: { a: { enum: [x, y] }, b: { type: string } }, if: { properties: { a: { const: x } } }, then: { required: [b] }, else: { properties: { b: false } } }',
  '{ type: array, prefixItems: [{ type: string }], items: false }',
  '{ required: [id], properties: { id: { type: string, readOnly: true }, name: { type: string } } }',
])('derives valid and invalid messages for %s', async (schema) => {
  for (const [messages, judge] of await messagesOf(derivationOf(schema))) {
    const verdicts = messages.map((each) => judge(each).length === 0);
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
  }
});

test('the derivation ends for 8 schemas that each contain all of them', () => {
  const names = Array.from({ length: 8 }, (_, index) => `S${index}`);
  const members = names.map((name) => `${name}: { $ref: '#/components/schemas/${name}' }`).join(', ');
  const ring = names.map((name) => `${name}: { type: object, properties: { ${members} } }`).join(', ');
  const derivation = derivationOf("{ $ref: '#/components/schemas/S0' }", ring);
  expect(derivation.ofRequests({ id: 'addThing' })[0]?.messages.length).toBeGreaterThan(100);
});
