import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../../src/contract-error.ts';
import { loadContract } from '../../../src/load.ts';
import { contractOf, receiver } from '../values.ts';

const schemas = {
  Limit: { type: 'integer', default: 100 },
  Color: { type: 'string', enum: ['red', 'green', 'blue'], default: 'blue' },
};
const LIMIT = '#/components/schemas/Limit';
const COLOR = '#/components/schemas/Color';
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const number = (value: number) => ({ type: 'integer', default: value });

describe('refused defaults', () => {
  test.each<[string, object, string]>([
    ['a limit beside a $ref', object({ limit: { $ref: LIMIT, maximum: 50 } }), 'default must be at most 50'],
    [
      'an enum beside a $ref',
      object({ c: { $ref: COLOR, enum: ['red', 'green'] } }),
      'default must be equal to one of the allowed values: red, green',
    ],
    [
      'a required member with the name of an inherited one',
      object({ in: object({}, { required: ['constructor'], default: {} }) }),
      'default.constructor is required',
    ],
    [
      'two schemas of an object, beside a required member',
      { allOf: [object({ limit: { $ref: LIMIT } }, { required: ['a'] }), object({ limit: { maximum: 50 } })] },
      'default must be at most 50',
    ],
    [
      'two schemas of an object within an object',
      {
        allOf: [object({ in: object({ limit: { $ref: LIMIT } }) }), object({ in: object({ limit: { maximum: 50 } }) })],
      },
      'default must be at most 50',
    ],
    ['items', { type: 'array', items: object({ limit: { $ref: LIMIT, maximum: 50 } }) }, 'default must be at most 50'],
    [
      'other members',
      object({}, { additionalProperties: object({ c: { $ref: COLOR, const: 'red' } }) }),
      'must be "red"',
    ],
    [
      'a pattern',
      object({ ab: number(7) }, { patternProperties: { '^a': { maximum: 5 } } }),
      'default must be at most 5',
    ],
    [
      'an object that is closed elsewhere',
      { allOf: [object({ a: number(1) }), object({ b: true }, { additionalProperties: false })] },
      'default is not allowed',
    ],
    ['dependentRequired', object({ a: number(1) }, { dependentRequired: { a: ['b'] } }), 'b is required'],
    [
      'maxProperties',
      object({ a: number(1), b: number(2) }, { maxProperties: 1 }),
      'must not have more than 1 property',
    ],
    ['not', object({ a: number(1) }, { not: { required: ['a'] } }), 'must not be valid'],
    ['if', object({ a: number(1) }, { if: { required: ['a'] }, then: { required: ['b'] } }), 'b is required'],
  ])(
    'the service refuses to start with a default that breaks the contract of its place: %s',
    async (_name, body, sentence) => {
      const loading = loadContract(contractOf({ body: { ...body }, schemas }));
      await expect(loading).rejects.toThrow(expect.objectContaining({ name: 'ContractError' }));
      await expect(loading).rejects.toThrow(/^openapi\.yaml:1:\d+: /);
      await expect(loading).rejects.toThrow(sentence);
    },
  );

  test('the service refuses to start with a default that breaks the contract of its place: a parameter', async () => {
    const parameters = [{ name: 'limit', in: 'query', schema: { $ref: LIMIT, maximum: 50 } }];
    await expect(loadContract(contractOf({ parameters, schemas }))).rejects.toThrow('default must be at most 50');
  });

  test('a start names each default that breaks the contract of its place once, also one in a closed object', async () => {
    const wrong = { type: 'integer', maximum: 5, default: 9 };
    const body = object({ a: wrong, b: wrong, c: number(1) }, { additionalProperties: false });
    const refusal: unknown = await loadContract(contractOf({ body: { ...body } })).catch((error: unknown) => error);
    if (!(refusal instanceof ContractError)) throw refusal;
    expect(refusal.all.map(({ said }) => said)).toEqual(Array(2).fill('default must be at most 5'));
  });
});

describe('requests that defaults make invalid', () => {
  test.each<[string, object, string, string]>([
    [
      'a branch of oneOf',
      object(
        { kind: true, limit: number(100) },
        {
          required: ['kind'],
          oneOf: [object({ kind: { const: 'a' }, limit: { maximum: 50 } }), object({ kind: { const: 'b' } })],
        },
      ),
      '{"kind":"a"}',
      'body.limit must be at most 50',
    ],
    [
      'required in one branch only',
      object({ a: number(1) }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      '{"b":1}',
      'body must have exactly one of these members: a, b',
    ],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true, items: object({ a: number(1) }) },
      '[{},{"a":1}]',
      'body must not have two equal items',
    ],
    [
      'maxContains',
      { type: 'array', items: object({ a: number(1) }), contains: { required: ['a'] }, maxContains: 1 },
      '[{},{"a":1}]',
      'body must contain at least 1 and no more than 1 valid item',
    ],
  ])('an operation gets no request that its defaults make invalid: %s', async (_name, body, sent, sentence) => {
    const receive = await receiver({ body: { ...body } });
    expect(() => receive('', sent)).toThrow(
      expect.objectContaining({ name: 'Refusal', number: 40010, message: expect.stringContaining(sentence) }),
    );
    expect(() => receive('', sent)).toThrow(/^with its defaults, the request breaks the contract: /);
  });
});

describe('defaults', () => {
  test('an operation gets the default beside a $ref, and not the default of its target', async () => {
    const receive = await receiver({ body: object({ limit: { $ref: LIMIT, maximum: 50, default: 20 } }), schemas });
    expect(receive('', '{}')).toMatchObject({ body: { limit: 20 } });
  });

  test('an operation gets a default of a branch that the client does not choose', async () => {
    const branches = [
      object({ kind: { const: 'a' }, n: { maximum: 5 } }, { required: ['n'] }),
      object({ kind: { const: 'b' } }),
    ];
    const receive = await receiver({ body: object({ n: number(9) }, { required: ['kind'], oneOf: branches }) });
    expect(receive('', '{"kind":"b"}')).toMatchObject({ body: { kind: 'b', n: 9 } });
  });

  test('an operation gets no default for an object that the client leaves out', async () => {
    const receive = await receiver({ body: object({ in: object({ a: number(1) }) }) });
    expect(receive('', '{}')).toMatchObject({ body: {} });
    expect(receive('', '{"in":{}}')).toMatchObject({ body: { in: { a: 1 } } });
  });
});
