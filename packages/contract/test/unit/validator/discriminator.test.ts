import { expect, test } from '@jest/globals';
import { receiver } from '../values.ts';

const one = '#/components/schemas/One';
const INT64 = { type: 'integer', format: 'int64', const: -1 };
const two = '#/components/schemas/Two';
const branch = (v: object, name: string) => ({
  type: 'object',
  additionalProperties: false,
  required: ['v', name],
  properties: { v, [name]: true },
});
const receiverOf = (mapping: object, ...values: readonly [object, object]) =>
  receiver({
    body: { oneOf: [{ $ref: one }, { $ref: two }], discriminator: { propertyName: 'v', mapping } },
    schemas: { One: branch(values[0], 'a'), Two: branch(values[1], 'b') },
  });

test.each([
  ['integers', { 1: one, 2: two, 3: two }, { type: 'integer', const: 1 }, { type: 'integer', enum: [2, 3] }, '3', '1'],
  ['int64s', { '-1': one, 2: two }, INT64, { ...INT64, const: 2 }, '2', '-1'],
  ['an integer and null', { 1: one, null: two }, { const: 1 }, { const: null }, 'null', '1'],
  ['booleans', { true: one, false: two }, { type: 'boolean', const: true }, { enum: [false] }, 'false', 'true'],
  ['texts that look like integers', { 1: one, 2: two }, { const: '1' }, { const: '2' }, '"2"', '"1"'],
])('a discriminator over %s selects the branch', async (_, mapping, first, second, second1, first1) => {
  const receive = await receiverOf(mapping, first, second);
  const body = `{"v":${second1},"b":0}`;
  expect(receive('', body)).toMatchObject({ body: { b: 0 } });
  expect(() => receive('', body.replace(second1, first1))).toThrow('body.a is required; body.b is not allowed');
  expect(() => receive('', body.replace(second1, '"x"'))).toThrow('body.v must be equal to one of');
});

test('a discriminator with a value that its branch does not allow is refused', async () => {
  const refusal = receiverOf({ 1: one, 2: two }, { const: 2 }, { const: 2 });
  await expect(refusal).rejects.toThrow(`${one} must require v, and allow only const: 1 for it`);
});
