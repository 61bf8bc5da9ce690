import { expect, test } from '@jest/globals';
import { type Drawn, operationOf } from '../../../../lab/attacks/drawn.ts';
import { receiver } from '../../../../../contract/test/unit/values.ts';
import { validateRequest } from '../../../../../contract/src/request.ts';

const MIB = 1024 * 1024;

async function refusal(drawn: Drawn, text: string): Promise<string> {
  const operation = await operationOf(drawn, MIB);
  try {
    validateRequest({ path: '/items', query: '', headers: {} }, { mediaType: 'application/json', text }, operation);
  } catch (error) {
    return String(error);
  }
  throw new Error('the body was not refused');
}

const list = { schema: { type: 'array', items: { type: 'string' } }, components: {} };
const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));

test('a refusal names ten faults of a body with few values, and counts the others', async () => {
  const said = await refusal(list, numbers(12));
  expect(said).toContain('body.0 must be a string; body.1 must be a string');
  expect(said).toContain('body.9 must be a string; and 2 more');
});

test('a refusal names the first fault of a body with many values', async () => {
  expect(await refusal(list, numbers(3000))).toBe('Refusal: body.0 must be a string');
});

test('dependentRequired holds for each name, also for one that the validator takes out of schemas', async () => {
  for (const name of ['x-stoplight', 'kind']) {
    const receive = await receiver({ body: { type: 'object', dependentRequired: { [name]: ['b'] } } });
    expect(receive('', `{"${name}":1,"b":2}`)).toMatchObject({ body: { b: 2 } });
    expect(() => receive('', `{"${name}":1}`)).toThrow('body.b is required');
  }
});

const named = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));
const starting = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`^p${index}`, make(index)]));

test('a contract with a default that doubles with each level is refused', async () => {
  const nth = (level: number) => `#/components/schemas/S${level}`;
  const components = Object.fromEntries(
    Array.from({ length: 25 }, (_, level) => [
      `S${level}`,
      { properties: named(level === 24 ? 0 : 2, () => ({ $ref: nth(level + 1), default: {} })) },
    ]),
  );
  await expect(operationOf({ schema: { $ref: nth(0) }, components }, MIB)).rejects.toThrow(
    'defaults fill {} with more than 10000 values: let fewer defaults have defaults within',
  );
});

test('a contract with int64 and many patterns of names is refused, as each combination would stay in memory', async () => {
  const integers = (count: number) => ({
    patternProperties: starting(count, (minimum) => ({ type: 'integer', format: 'int64', minimum })),
  });
  await expect(receiver({ body: integers(4) })).resolves.toBeDefined();
  // These sets of patterns are too many to list.
  const refusal = /openapi\.yaml:\d+:\d+: values .* can have more than 5000 combinations of schemas/;
  await expect(receiver({ body: integers(30), maxBytes: 1000 })).rejects.toThrow(refusal);
});

test('a body equals an object of an enum whose members stand in another order', async () => {
  const drawn = { schema: { enum: [{ a: [1, { b: 2.5 }], c: null }] }, components: {} };
  const operation = await operationOf(drawn, MIB);
  const send = (text: string) =>
    validateRequest({ path: '/items', query: '', headers: {} }, { mediaType: 'application/json', text }, operation);
  expect(send('{"c":null,"a":[1.0,{"b":2.5}]}').body).toEqual({ a: [1, { b: 2.5 }], c: null });
  for (const text of ['{"c":null}', '{"c":null,"a":[1,{"b":2}]}', '{"c":null,"a":{"0":1,"1":{"b":2.5}}}', '[]', '1'])
    expect(() => send(text)).toThrow('must be equal to one of the allowed values: {"a":[1,{"b":2.5}],"c":null}');
});

test('a member with a name of more than 1000 characters is refused, as Ajv writes the name for each value in it', async () => {
  const drawn = {
    schema: { additionalProperties: { items: { $ref: '#/components/schemas/A' } } },
    components: { A: {} },
  };
  expect(await refusal(drawn, JSON.stringify({ ['~'.repeat(1001)]: [1] }))).toBe(
    'Refusal: the name of the member at position 1 is too long: use at most 1000 characters',
  );
});

test('a pattern that many members fail spends the copies of their faults', async () => {
  const Two: Drawn['schema'] = {
    anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/Two' } }],
  };
  const members = { patternProperties: { '^k': { $ref: '#/components/schemas/Two' } } };
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])));
  const said = await refusal({ schema: { if: members, then: {}, else: {} }, components: { Two } }, body);
  expect(said).toContain('takes too much work to check');
});
