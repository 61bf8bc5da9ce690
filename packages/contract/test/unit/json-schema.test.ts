import { describe, expect, test } from '@jest/globals';
import type { ContractOperation } from '../../src/message/operation.ts';
import { ContractError } from '../../src/contract-error.ts';
import { ErrorNumber, Refusal } from '../../src/refusal.ts';
import { ReplyError } from '../../src/message/faults.ts';
import { loadContract } from '../../src/load.ts';
import { validateRequest } from '../../src/request.ts';
import { VOCABULARY } from '../../src/rules/vocabulary.ts';
import { testWith } from '../support/skipping.ts';
import { noSuite, readSuite, type SuiteGroup } from './json-schema-suite.ts';

// The service applies a schema exactly as JSON Schema 2020-12 says, or refuses the contract.

/** Unlike the suite, the service fills in defaults, and does not decode punycode in hostnames. */
const LEFT_OUT = /^default: |^optional\/format\/hostname: validation of A-label/;

/** A contract with an operation for each group. Its request body and its reply have the schema of the group. */
function contractOf(groups: readonly SuiteGroup[]): string {
  const at = (index: number) => `#/components/schemas/S${index}`;
  const paths = groups.map((_, index) => {
    const body = `content: { application/json: { schema: { $ref: '${at(index)}' } } }`;
    return `
  /${index}:
    post:
      operationId: s${index}
      requestBody: { required: true, ${body} }
      responses: { '200': { description: same, ${body} }, default: { description: other, content: { application/json: { schema: {} } } } }`;
  });
  const schemas = groups.map(({ schema }, index) => `    S${index}: ${schema(at(index))}\n`);
  return `openapi: 3.1.0
info: { title: Suite, version: 1.0.0 }
paths:${paths.join('')}
components:
  schemas:
${schemas.join('')}`;
}

/** Returns, for each group, its operation or the reason why no contract can have its schema. */
async function load(groups: readonly SuiteGroup[]): Promise<(ContractOperation | ContractError)[]> {
  try {
    return [...(await loadContract(contractOf(groups))).operations];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    // Loading all schemas at once is fastest. Halving them finds those that are refused.
    if (groups.length === 1) return [error];
    const half = groups.length >> 1;
    return [...(await load(groups.slice(0, half))), ...(await load(groups.slice(half)))];
  }
}

/** Whether the service accepts a request with this body. */
function acceptsRequest(operation: ContractOperation, text: string): boolean {
  try {
    validateRequest({ path: '', query: '', headers: {} }, { mediaType: 'application/json', text }, operation);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.number === ErrorNumber.contractBroken) return false;
    throw error;
  }
}

/** Whether the service sends a reply with this body. */
function acceptsReply(operation: ContractOperation, text: string): boolean {
  try {
    operation.validator.reply(200, {}, JSON.parse(text));
    return true;
  } catch (error) {
    if (error instanceof ReplyError) return false;
    throw error;
  }
}

const group = (schema: object, valid: readonly string[], invalid: readonly string[]): SuiteGroup => ({
  name: JSON.stringify(schema),
  schema: () => JSON.stringify(schema),
  tests: [
    ...valid.map((text) => ({ name: text, text, valid: true })),
    ...invalid.map((text) => ({ name: text, text, valid: false })),
  ],
});
const one = { const: 1 };
const closed = { unevaluatedProperties: false };

/** Cases that the suite lacks: a branch counts for unevaluatedProperties only if the branch is valid. */
const OTHERS = [
  group(
    { anyOf: [{ patternProperties: { '^a': one } }, { properties: { b: true } }], ...closed },
    ['{"a":1}', '{"b":1}', '{"a":1,"b":2}', '3'],
    ['{"a":2,"b":1}', '{"c":1}'],
  ),
  group(
    {
      anyOf: [{ required: ['b'], properties: { b: true, c: true } }, {}],
      patternProperties: { '^a': true },
      ...closed,
    },
    ['{"a":1}', '{"b":1,"c":2}'],
    ['{"c":1}'],
  ),
  group(
    { oneOf: [{ required: ['c'], anyOf: [{ properties: { a: one } }] }, { properties: { b: true } }], ...closed },
    ['{"b":1}'],
    ['{"a":1}', '{"a":1,"c":1}'],
  ),
  group(
    { properties: { a: true }, dependentSchemas: { a: { properties: { b: one } } }, ...closed },
    ['{"a":1,"b":1}', '{}', '3'],
    ['{"b":1}', '{"a":1,"b":2}'],
  ),
  group({ if: { patternProperties: { '^a': one } }, then: {}, ...closed }, ['{"a":1}'], ['{"a":2}']),
  // A member's name may be empty, or one that each ordinary object inherits.
  group({ required: [''] }, ['{"":1}', '3'], ['{}', '{"a":1}']),
  group({ required: ['a', '', 'b'] }, ['{"":1,"a":1,"b":1}'], ['{"a":1,"b":1}', '{"":1,"a":1}', '{"":1}']),
  group({ not: { required: [''] } }, ['{}', '{"a":1}'], ['{"":1}', '3']),
  group({ dependentRequired: { a: [''], '': ['b'] } }, ['{}', '{"b":1}', '{"a":1,"":1,"b":1}'], ['{"a":1}', '{"":1}']),
  group({ dependentSchemas: { '': { required: ['b'] } } }, ['{}', '{"":1,"b":1}'], ['{"":1}']),
  ...['constructor', 'hasOwnProperty'].flatMap((name) => {
    const [own, other, mixed] = [`{"${name}":1}`, `{"${name}":2}`, `{"a":1,"${name}":1}`];
    return [
      group({ required: [name] }, [own], ['{}']),
      group({ not: { required: [name] } }, ['{}'], [own]),
      group({ properties: { [name]: one }, ...closed }, [own, '{}'], [other, mixed]),
      group({ anyOf: [{ properties: { b: one } }, { properties: { a: true } }], ...closed }, ['{"a":1}'], [own, mixed]),
      group({ anyOf: [{ properties: { b: one } }, {}], unevaluatedProperties: one }, [own, mixed], [other]),
      group(
        { allOf: [{ properties: { [name]: one } }], anyOf: [{ properties: { a: true } }], ...closed },
        [own, mixed],
        [other],
      ),
      group({ additionalProperties: one, anyOf: [{ properties: { a: true } }], ...closed }, [own, mixed], [other]),
      group(
        { allOf: [{ unevaluatedProperties: one }], anyOf: [{ properties: { a: true } }], ...closed },
        [own],
        [other],
      ),
      group({ properties: { a: true }, unevaluatedProperties: one }, [own, mixed], [other]),
      group({ patternProperties: { '^a': true }, unevaluatedProperties: one }, [own, mixed], [other]),
      group({ patternProperties: { '^a': true }, ...closed }, ['{"a":1}'], [own, mixed]),
      group({ patternProperties: { [name]: one }, ...closed }, [own], [other, mixed]),
      group({ not: { patternProperties: { '^a': true }, ...closed } }, [own, mixed], ['{"a":1}', '{}']),
      group({ oneOf: [{ patternProperties: { '^a': true }, ...closed }, { required: ['a'] }] }, [mixed], [own]),
    ];
  }),
  group({ patternProperties: { '^a': true }, unevaluatedProperties: one }, ['{"__proto__":1}'], ['{"__proto__":2}']),
  group({ patternProperties: { '^_': one }, ...closed }, ['{"__proto__":1}'], ['{"__proto__":2}', '{"a":1}']),
  (() => {
    // For a schema that refers to itself, Ajv learns only at run time which members are evaluated.
    const tree = (at: string) => ({
      properties: { a: true, in: { allOf: [{ $ref: at }], ...closed } },
    });
    return {
      ...group(
        tree('#'),
        ['{"constructor":1}', '{"in":{"a":1}}'],
        ['{"in":{"constructor":1}}', '{"in":{"__proto__":1}}'],
      ),
      schema: (at: string) => JSON.stringify(tree(at)),
    };
  })(),
  group(
    { if: { properties: { a: one } }, then: { required: ['a'] }, else: { properties: { b: true } }, ...closed },
    ['{"a":1}'],
    ['{"a":2}', '{"a":2,"b":1}', '{}'],
  ),
];

const REASONS = [
  'a branch beneath unevaluatedProperties must not allow members that it does not name: declare them in properties',
  ...['const', 'maximum', 'minimum'].map(
    (keyword) => `${keyword} goes beyond ±9007199254740991, where doubles do not hold every integer: add format: int64`,
  ),
  ...['properties', 'required'].map((keyword) => `${keyword} must be without __proto__`),
  // In a text of many f, a match reads the rest of the text once for each f.
  'the pattern f.*o may take time that grows with the square of a text or faster',
];

const ofSuite = readSuite().filter(({ name }) => !LEFT_OUT.test(name));
const groups = [...ofSuite, ...OTHERS];
const loaded = await load(groups);

describe('the JSON Schema Test Suite', () => {
  test.each(groups.map((each, index) => ({ ...each, index })))(
    'the service judges values as the JSON Schema Test Suite does, or refuses the schema: $name',
    ({ tests, index }) => {
      const operation = loaded[index];
      if (operation instanceof ContractError) {
        expect(index).toBeLessThan(ofSuite.length);
        return;
      }
      if (operation === undefined) throw new Error('it was not loaded');
      const valid = tests.map(({ name, valid }) => [name, valid]);
      expect(tests.map(({ name, text }) => [name, acceptsRequest(operation, text)])).toEqual(valid);
      expect(tests.map(({ name, text }) => [name, acceptsReply(operation, text)])).toEqual(valid);
    },
  );
});

test.each([
  [{ properties: { toString: one } }, 'must not declare toString, a name that each object'],
  [{ patternProperties: { '^[a-z]+$': one } }, 'must not declare constructor, a name that each object'],
  [{ required: ['b'], additionalProperties: true }, 'must not allow members that it does not name: declare them'],
  [{ allOf: [{ unevaluatedProperties: one }] }, 'must not allow members that it does not name: declare them'],
])('the service refuses the branch %j beneath unevaluatedProperties', async (branch, why) => {
  for (const schema of [
    { anyOf: [branch, {}], ...closed },
    { allOf: [{ if: branch }], unevaluatedProperties: one },
  ])
    expect(await load([group(schema, [], [])])).toEqual([
      expect.objectContaining({ message: expect.stringMatching(new RegExp(`^openapi\\.yaml:\\d+:\\d+: .*${why}`)) }),
    ]);
});

testWith(noSuite, 'the service refuses fewer than 10 schemas of the suite, all for known reasons', () => {
  const reasons = loaded.flatMap((each) =>
    each instanceof ContractError
      ? [each.message.replace(/^.*?: /, '').replace(/(?<=or faster)(?:: |, as ).*/, '')]
      : [],
  );
  expect([...new Set(reasons)].sort()).toEqual(REASONS);
  expect(reasons.length).toBeLessThan(10);
});

testWith(noSuite, 'the cases use each supported keyword, except default and those of OpenAPI', () => {
  const tried = groups.filter((_, index) => !(loaded[index] instanceof ContractError)).map(({ schema }) => schema('#'));
  const kept = Object.entries(VOCABULARY.Schema).flatMap(([keyword, { is }]) => (is === 'kept' ? [keyword] : []));
  const others = ['default', 'readOnly', 'writeOnly', 'discriminator', 'x-pattern-message', 'x-error-numbers'];
  expect(kept.filter((keyword) => !tried.some((each) => each.includes(`"${keyword}":`)))).toEqual(others);
});
