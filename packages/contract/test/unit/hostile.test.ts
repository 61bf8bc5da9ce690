import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../src/contract-error.ts';
import { loadContract } from '../../src/load.ts';

const FAILS = 'default: { description: failed, content: { application/json: { schema: { type: object } } } }';

/** A contract whose operation sends a body of the schema `First`. */
function contractOf(schemas: string, others = ''): string {
  const content = "content: { application/json: { schema: { $ref: '#/components/schemas/First' } } }";
  return `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
${others}paths:
  /things:
    post: { operationId: add, requestBody: { ${content} }, responses: { '204': { description: done }, ${FAILS} } }
components:
  schemas:
${schemas}`;
}

const nested = (levels: number, before: string, inner: string, after: string) =>
  contractOf(`    First: ${before.repeat(levels)}${inner}${after.repeat(levels)}\n`);

/** `First` leads to `S1`, that to `S2`, and so on. */
const chain = (schemaOf: (reference: string) => string, length = 2000) =>
  contractOf(
    `    First: ${schemaOf("{ $ref: '#/components/schemas/S1' }")}\n` +
      Array.from({ length }, (_, index) => {
        const next = schemaOf(`{ $ref: '#/components/schemas/S${index + 2}' }`);
        return `    S${index + 1}: ${index + 1 < length ? next : '{ type: string }'}\n`;
      }).join(''),
  );

/** Each line has the one before nine times. */
const laughs = 'abcdefgh'
  .split('')
  .map(
    (name, index, names) =>
      `x-${name}: &${name} [${
        index === 0
          ? '1'
          : Array(9)
              .fill(`*${names[index - 1] ?? ''}`)
              .join()
      }]\n`,
  )
  .join('');

async function refusalsOf(yaml: string): Promise<readonly string[]> {
  try {
    await loadContract(yaml);
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.all.map(({ message }) => message);
  }
}

const TOO_DEEP = /^openapi\.yaml:\d+:\d+: nested too deeply: use at most 100 levels, /;
const TOO_LONG =
  /^openapi\.yaml:\d+:\d+: more than 100 schemas apply to one value here, .*: refer to the last one directly$/;
const CIRCLE = /^openapi\.yaml:\d+:\d+: \$ref leads in a circle: /;

describe('hostile contracts', () => {
  test.each<[string, string, RegExp]>([
    ['objects in objects, 1000 deep', nested(1000, '{ properties: { a: ', '{}', ' } }'), TOO_DEEP],
    [
      'lists in lists, 101 deep',
      contractOf('    First: {}\n', `x-a: ${'['.repeat(100)}${']'.repeat(100)}\n`),
      TOO_DEEP,
    ],
    [
      'an example that is 1000 deep',
      nested(1, '{ example: ', `${'['.repeat(1000)}${']'.repeat(1000)}`, ' }'),
      TOO_DEEP,
    ],
    ['a chain of 200 references', chain((next) => next, 200), TOO_LONG],
    ['a chain of 200 schemas in allOf', chain((next) => `{ allOf: [${next}] }`, 200), TOO_LONG],
    [
      'a chain of 2000 members',
      chain((next) => `{ type: object, properties: { a: ${next} } }`),
      /^openapi\.yaml:5:5, post \/things: this is too large to compile: /,
    ],
    [
      'aliases for 43 million values',
      contractOf('    First: {}\n', laughs),
      /^openapi\.yaml:\d+:1: this stands for more than 5000000 values: /,
    ],
    [
      'a pattern whose groups nest 60 times',
      contractOf(`    First: { pattern: "${'(a|b|'.repeat(60)}${')'.repeat(60)}" }\n`),
      /^openapi\.yaml:\d+:\d+: the pattern .* (?:is too large to tell how its|may take) time /,
    ],
    [
      'a link that refers to itself',
      contractOf("    First: {}\n  links: { a: { $ref: '#/components/links/a' } }\n"),
      CIRCLE,
    ],
    [
      'a schema that no operation uses and that refers to itself',
      contractOf("    First: {}\n    Other: { $ref: '#/components/schemas/Other' }\n"),
      CIRCLE,
    ],
    [
      'an apiKey in a header that no request can have',
      contractOf('    First: {}\n  securitySchemes: { key: { type: apiKey, in: header, name: __proto__ } }\n'),
      /^openapi\.yaml:\d+:\d+: name must be without __proto__$/,
    ],
    [
      'a text in place of an operation',
      contractOf('    First: {}\n').replace(/post: .*/, 'post: add'),
      /^openapi\.yaml:5:5: post must be an Operation Object: write a map of its fields there$/,
    ],
    ['an empty text', '', /^openapi\.yaml:1:1 must be OpenAPI 3\.1: /],
    ['a text in place of a document', 'openapi', /^openapi\.yaml:1:1 must be OpenAPI 3\.1: /],
    ['two documents', 'openapi: 3.1.0\n---\nopenapi: 3.1.0\n', /^openapi\.yaml:2:1: a second document begins here: /],
  ])('loadContract refuses with one line, instead of another error, %s', async (_what, yaml, refusal) => {
    expect(await refusalsOf(yaml)).toEqual([expect.stringMatching(refusal)]);
  });
});

describe('odd contracts', () => {
  test.each([
    ['lists in lists, 100 deep', contractOf('    First: {}\n', `x-a: ${'['.repeat(99)}${']'.repeat(99)}\n`)],
    ['a chain of 90 references', chain((next) => next, 90)],
    ['a chain of 90 members', chain((next) => `{ type: object, properties: { a: ${next} } }`, 90)],
    [
      'an alias that is used 200 times',
      contractOf('    First: {}\n', `x-a: [&a [1], ${Array(200).fill('*a').join()}]\n`),
    ],
    ['an anchor that is defined twice', contractOf('    First: {}\n', 'x-a: [&a 1, *a, &a 2, *a]\n')],
  ])('loadContract accepts %s', async (_what, yaml) => {
    expect(await refusalsOf(yaml)).toEqual([]);
  });
});
