import { describe, expect, test } from '@jest/globals';
import { exactJson, int64, losesDigits } from '../../../src/schema/int64.ts';
import { loadContract } from '../../../src/load.ts';
import { contractOf, receiver } from '../values.ts';

describe('exact literals', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['-0.000e-99999999999999999999', 0n],
    ['0e99999999999999999999', 0n],
    ['1.0', 1n],
    ['12e3', 12000n],
    ['1200e-2', 12n],
    ['1.5e1', 15n],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['9.223372036854775807e18', 9223372036854775807n],
    ['9223372036854775807000e-3', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('int64 reads exactly %s', (literal, value) => {
    expect(int64(literal)).toBe(value);
  });

  test('int64 reads exactly literals of 60,000 digits', () => {
    const zeros = '0'.repeat(60_000);
    expect([`1${zeros}e-60000`, `0.${zeros}1e60001`].map(int64)).toEqual([1n, 1n]);
  });
});

describe('refused literals', () => {
  test.each([
    '0.5',
    '1e-400',
    '9007199254740992.5',
    '1e-99999999999999999999',
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    '1e999999999999',
    '',
    ' 1',
    '1 ',
    '+1',
    '01',
    '1.',
    '.5',
    '0x10',
    '1_000',
    '١',
    'Infinity',
  ])('int64 refuses %j', (literal) => {
    expect(int64(literal)).toBeUndefined();
  });
});

describe('digits of a double', () => {
  test.each([
    ['9007199254740993', true],
    ['9007199254740993.0', true],
    ['-9.007199254740993e15', true],
    // The double is this integer, and JSON writes it as -288230376151711740.
    ['-288230376151711744', true],
    ['9007199254740992', false],
    ['1e21', false],
    ['1e300', false],
    ['9007199254740992.5', false],
    ['1e400', false],
    ['3', false],
  ])('a double loses digits of %s: %j', (literal, isLost) => {
    expect(losesDigits(literal, Number(literal))).toBe(isLost);
  });
});

describe.each(['9007199254740993.0', '9.007199254740993e15'])('the number %s in a contract', (literal) => {
  const ID = { type: 'integer', format: 'int64' };
  const value = JSON.rawJSON(literal);

  test.each(['maximum', 'const', 'enum'])('is exact in %s', async (keyword) => {
    const receive = await receiver({ body: { ...ID, [keyword]: keyword === 'enum' ? [value] : value } });
    expect(receive('', '9007199254740993')).toMatchObject({ body: 9007199254740993n });
    expect(() => receive('', '9007199254740994')).toThrow('9007199254740993');
  });

  test('is exact in a default', async () => {
    const receive = await receiver({ body: { type: 'object', properties: { id: { ...ID, default: value } } } });
    expect(receive('', '{}')).toMatchObject({ body: { id: 9007199254740993n } });
  });

  test('is refused without format: int64', async () => {
    const yaml = contractOf({ body: { type: 'integer', maximum: value } });
    await expect(loadContract(yaml)).rejects.toThrow('where doubles do not hold every integer: add format: int64');
  });
});

describe('texts in a query', () => {
  test.each([
    [{ type: ['integer', 'string'] }, '1.5', '1.5'],
    [{ type: ['integer', 'string'] }, '1e2', 100],
    [{ type: ['integer', 'string'], format: 'int64' }, '9223372036854775808', '9223372036854775808'],
    [{ type: ['integer', 'string'], format: 'int64' }, '9223372036854775807', 9223372036854775807n],
    [{ type: ['number', 'string'] }, '1.5', 1.5],
    [{ type: ['number', 'string'] }, '1e400', '1e400'],
  ])('a text in the query is read as the value that is valid: %j, %s', async (schema, text, value) => {
    const receive = await receiver({ parameters: [{ name: 'a', in: 'query', schema }] });
    expect(receive(`a=${text}`)).toMatchObject({ query: { a: value } });
  });
});

test('refuses a fraction in the query as no integer, where no string is allowed', async () => {
  const receive = await receiver({ parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }] });
  expect(() => receive('a=1.5')).toThrow('query.a must be an integer');
});

test.each([[NaN], [undefined], [Infinity], [() => 1], [Symbol('x')]])('exactJson refuses %p in a list', (value) => {
  expect(() => exactJson({ list: [1n, value] })).toThrow('JSON has no ');
});

describe('written digits', () => {
  const raw = JSON.rawJSON('1');
  const NAMED = { toJSON: (name: string) => name };
  const ITSELF = {
    id: 1n,
    toJSON() {
      return this;
    },
  };
  test.each<[string, unknown, string]>([
    ['an integer of 53 bits', 2n ** 53n - 1n, '9007199254740991'],
    ['one of 54 bits', -(2n ** 53n) - 1n, '-9007199254740993'],
    ['the largest int64', [2n ** 63n - 1n], '[9223372036854775807]'],
    ['−0', [-0], '[0]'],
    ['no member that is undefined', { one: undefined, other: () => 1, third: 1n }, '{"third":1}'],
    ['null for undefined', undefined, 'null'],
    [
      'what toJSON returns',
      { at: new Date(0), own: { toJSON: () => [2n ** 60n] } },
      '{"at":"1970-01-01T00:00:00.000Z","own":[1152921504606846976]}',
    ],
    [
      'what toJSON returns for the name of a member and for the index of an item',
      [{ own: NAMED }, NAMED, { list: [0, NAMED] }],
      '[{"own":"own"},"1",{"list":[0,"1"]}]',
    ],
    ['what toJSON of the whole value returns for an empty name', NAMED, '""'],
    ['an object that toJSON returns as it is', { own: ITSELF }, '{"own":{"id":1}}'],
    ['what toJSON returns, without a call of the toJSON of that', { toJSON: () => ITSELF }, '{"id":1}'],
    ['a member named __proto__', JSON.parse('{"__proto__":{"a":"x"},"b":1}'), '{"__proto__":{"a":"x"},"b":1}'],
    ['an object with a member rawJSON as an object', { raw }, '{"raw":{"rawJSON":"1"}}'],
    ['escapes of a text', ['"\u2028\ud800\n'], '["\\"\u2028\\ud800\\n"]'],
  ])('exactJson writes %s', (_what, value, text) => {
    expect(exactJson(value)).toBe(text);
  });
});
