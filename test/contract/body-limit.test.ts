import { describe, expect, test } from '@jest/globals';
import { DEFAULT_BODY_BYTES, MAX_BODY_BYTES, readBodyLimit } from '../../src/contract/body-limit.ts';
import { type Content, type DeclaredOperation, follower, readOpenApi } from '../../src/contract/document.ts';

/** Reads the limit of an operation whose body has this schema. Strings of `Text` have up to 10 characters. */
function limitOf(schema: string, extension = ''): number {
  const document = readOpenApi(`openapi: 3.1.0
operation: {${extension}}
content:
  application/json: { schema: ${schema} }
components:
  schemas:
    Text: { type: string, maxLength: 10 }
    Tree:
      type: object
      properties: { name: { type: string, maxLength: 100 }, trees: { maxItems: 9, items: { $ref: '#/components/schemas/Tree' } } }
`) as unknown as { readonly operation: DeclaredOperation; readonly content: Content };
  return readBodyLimit(document.operation, document.content, follower(document), 'here');
}

function expectLargest(schema: string, bytes: number): void {
  expect(limitOf(schema, `x-max-body-bytes: ${bytes}`)).toBe(bytes);
  const what = `a body that the schema allows has up to ${bytes} bytes, the limit is ${bytes - 1}`;
  expect(() => limitOf(schema, `x-max-body-bytes: ${bytes - 1}`)).toThrow(
    `openapi.yaml:4:3, here, application/json: ${what}: declare x-max-body-bytes: ${bytes}, or lower maxItems or maxLength`,
  );
}

const TEXT = '🌱'.repeat(10);

describe('the limit of a body', () => {
  test.each([
    ['{ type: string, maxLength: 10 }', TEXT],
    ["{ $ref: '#/components/schemas/Text' }", TEXT],
    ["{ anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Text' }] }", TEXT],
    ["{ oneOf: [{ type: string, maxLength: 2 }, { $ref: '#/components/schemas/Text' }] }", TEXT],
    ['{ enum: [tree, [1, 2, 3], herb] }', [1, 2, 3]],
    ['{ const: { a: 1 } }', { a: 1 }],
    ['{ type: integer, minimum: -100, maximum: 9 }', -100],
    ['{ type: integer, format: int32 }', -(2 ** 31)],
    ['{ type: array, maxItems: 3, items: { type: boolean } }', [false, false, false]],
    ["{ type: array, maxItems: 2, items: { $ref: '#/components/schemas/Text' } }", [TEXT, TEXT]],
    ['{ prefixItems: [{ type: boolean }], items: { const: 12 }, maxItems: 3 }', [false, 12, 12]],
    ['{ prefixItems: [{ type: boolean }, { type: boolean }], items: false }', [false, false]],
    ["{ properties: { a: { $ref: '#/components/schemas/Text' }, 'ü': { const: 1 } } }", { a: TEXT, ü: 1 }],
    ['{ properties: { a: { const: 1 }, b: { const: 12 } }, maxProperties: 1 }', { b: 12 }],
    ['{ properties: { a: { const: 1 }, b: { type: string, maxLength: 99, readOnly: true } } }', { a: 1 }],
    [
      '{ properties: { a: { const: 1 } }, maxProperties: 3, propertyNames: { maxLength: 1 }, additionalProperties: { type: boolean } }',
      { a: 1, '🌱': false, '🍀': false },
    ],
    ['{ properties: { a: { const: 1 } }, maxProperties: 3, additionalProperties: false }', { a: 1 }],
  ])('must have room for the largest value of %s', (schema, largest) => {
    expectLargest(schema, Buffer.byteLength(JSON.stringify(largest)));
  });

  test.each([
    ['{ allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] }', 7 + 7],
    ['{ properties: { a: { const: 1 } }, then: { properties: { b: { const: 2 } } }, else: { maxLength: 9 } }', 7 + 38],
    ['{ properties: { a: { const: 1 } }, dependentSchemas: { a: { properties: { b: { const: 2 } } } } }', 7 + 7],
  ])('must have room for the sum of all subschemas that apply: %s', (schema, bytes) => {
    expectLargest(schema, bytes);
  });

  test('is 64 KiB by default', () => {
    expect(limitOf(`{ type: string, maxLength: ${(DEFAULT_BODY_BYTES - 4) / 4} }`)).toBe(65_536);
    expect(() => limitOf('{ type: array, maxItems: 1000, items: { type: string, maxLength: 20 } }')).toThrow(
      'has up to 83001 bytes, the limit is 65536: declare x-max-body-bytes: 83001, or lower maxItems or maxLength',
    );
  });

  test('cannot be raised above 1 MiB: the message then asks for a lower maxItems or maxLength', () => {
    const schema = '{ type: array, maxItems: 1000000000, items: { type: string, maxLength: 1000 } }';
    expect(() => limitOf(schema, `x-max-body-bytes: ${MAX_BODY_BYTES}`)).toThrow(
      'has up to 4003000000001 bytes, the limit is 1048576: lower maxItems or maxLength',
    );
  });

  test.each([
    ['{}'],
    ['true'],
    ['{ type: string }'],
    ['{ type: number }'],
    ['{ type: integer, minimum: 0 }'],
    ['{ type: array, items: { type: string, maxLength: 100000 } }'],
    ['{ type: object, additionalProperties: { type: string, maxLength: 100000 } }'],
  ])('is not compared with a schema without bounds: %s', (schema) => {
    expect(limitOf(schema, 'x-max-body-bytes: 2')).toBe(2);
  });

  test('must have room for one copy of a schema that contains itself', () => {
    const schema = "{ $ref: '#/components/schemas/Tree' }";
    expect(limitOf(schema)).toBe(65_536);
    expect(() => limitOf(schema, 'x-max-body-bytes: 400')).toThrow(/has up to 4\d\d bytes/);
  });
});

test.each(['0', '1.5', '1048577', '-1', '64 KiB', 'null'])('x-max-body-bytes cannot be %s', (limit) => {
  expect(() => limitOf('{}', `x-max-body-bytes: ${limit}`)).toThrow(
    'openapi.yaml:2:1, here: x-max-body-bytes must be an integer from 1 to 1048576',
  );
});
