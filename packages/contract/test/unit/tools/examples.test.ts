import { describe, expect, test } from '@jest/globals';
import { requireFittingExamples } from '../../../tools/examples.ts';
import { examine } from '../../../src/load.ts';

const ID = '{ type: string, format: uuid, example: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10 }';
const UUID = 'must match format "uuid"';

/** An operation whose reply has a default, which no request has. */
const MORE = `  /more:
    get:
      operationId: getMore
      responses:
        '200':
          description: More.
          content:
            application/json:
              schema:
                { type: object, default: { id: 7 }, properties: { id: ${ID} } }
        default: { description: It has failed. }`;

interface Parts {
  readonly body?: string;
  readonly reply?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly schema?: string;
  readonly others?: string;
}

/** A contract with one example in each place, of which some are replaced. */
const contractOf = ({
  body = 'example: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, secret: s }',
  reply = 'examples: { one: { $ref: "#/components/examples/One" } }',
  parameter = 'example: 9223372036854775807',
  header = 'example: 2026-02-28T12:00:00Z',
  schema = 'example: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, made: 2026-02-28, secret: s }',
  others = '',
}: Parts) => `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: createThing
      parameters:
        - { name: after, in: query, schema: { type: integer, format: int64 }, ${parameter} }
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' }, ${body} }
      responses:
        '200':
          description: The thing.
          headers: { X-At: { schema: { type: string, format: date-time }, ${header} } }
          content:
            application/json: { schema: { $ref: '#/components/schemas/Thing' }, ${reply} }
        default: { description: It has failed. }
${others}
components:
  examples:
    One: { value: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, made: 2026-02-28 } }
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [id]
      properties:
        id: ${ID}
        made: { type: string, format: date, readOnly: true }
        secret: { type: string, writeOnly: true, maxLength: 9 }
        seen: { type: integer, format: int64 }
      ${schema}
`;

const judging = (parts: Parts) => () => {
  const examined = examine(contractOf(parts));
  requireFittingExamples(examined);
  examined.found.requireNone(false);
};

test('accepts each example that is valid in its place', () => {
  expect(judging({})).not.toThrow();
});

describe('refused examples', () => {
  test.each<[string, Parts, string]>([
    ['in a body, against a format', { body: 'example: { id: not-a-uuid }' }, `openapi.yaml:11:79: example.id ${UUID}`],
    [
      'in a body, with a readOnly member',
      { body: 'example: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, made: 2026-02-28 }' },
      'openapi.yaml:11:79: example.made is not allowed',
    ],
    [
      'in a body, as one of several',
      { body: 'examples: { a: { value: { id: not-a-uuid } } }' },
      `openapi.yaml:11:96: example.id ${UUID}`,
    ],
    [
      'in a body, beyond the range of int64',
      { body: 'example: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, seen: 9223372036854775808 }' },
      'openapi.yaml:11:79: example.seen must be an integer from',
    ],
    [
      'in a reply, with a writeOnly member',
      { reply: 'example: { id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10, secret: s }' },
      'openapi.yaml:17:81: example.secret is not allowed',
    ],
    [
      'in a reply, behind a $ref',
      { others: '#', reply: 'examples: { one: { $ref: "#/components/examples/Two" } }' },
      '$ref leads to #/components/examples/Two, which is not in the document',
    ],
    [
      'of a parameter, beyond the range of int64',
      { parameter: 'example: 9223372036854775808' },
      'openapi.yaml:8:79: example must be an integer from',
    ],
    [
      'of a header, against a format',
      { header: "example: '2026-02-30T12:00:00Z'" },
      'openapi.yaml:15:75: example must match format "date-time"',
    ],
    [
      'of a schema, against a format',
      { schema: 'example: { id: not-a-uuid }' },
      `openapi.yaml:33:7: example.id ${UUID}`,
    ],
    [
      'of a schema, as one of several',
      { schema: 'examples: [{ id: 3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10 }, 5]' },
      'openapi.yaml:33:64: example must be an object',
    ],
    ['as a default that only replies have', { others: MORE }, 'openapi.yaml:28:33: default.id must be a string'],
  ])('an example is refused with its place: %s', (_name, parts, sentence) => {
    expect(judging(parts)).toThrow(sentence);
  });

  test('an example is refused with its place, beside all other refused examples, each in a line of its own', () => {
    const parts = { body: 'example: { id: x }', reply: 'example: { id: y }', schema: 'example: { id: z }' };
    const lines = [11, 17, 33].map((line) => expect.stringMatching(new RegExp(`^openapi\\.yaml:${line}:`)));
    let message = '';
    try {
      judging(parts)();
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n')).toEqual(expect.arrayContaining(lines));
  });
});

test('holds examples to the schemas that are compiled for messages, and operations with one reply to one schema', () => {
  const other = MORE.replace('/more', '/others').replace('getMore', 'getOthers');
  const reply = 'content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }';
  const examined = examine(
    contractOf({ others: [MORE, other].join('\n').replaceAll('It has failed. }', `It has failed., ${reply}`) }),
  );
  const { components, names } = examined.compilers.reply.translation;
  const having = (text: string) => Object.values(components).filter((each) => JSON.stringify(each).includes(text));
  const [referring, all] = [having('"required":["headers","body"]').length, names.length];
  expect(having('"made":{')).toHaveLength(1);
  requireFittingExamples(examined);
  expect([having('"made":{').length, names.length > all, referring]).toEqual([1, true, 4]);
});
