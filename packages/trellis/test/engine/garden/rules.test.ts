import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { GARDEN, startGarden } from '../../services/garden/garden.ts';

const { seen, call } = await startGarden();

const s = String.raw;

/** For each member of Rules: JSON texts that its schema allows, and those that it forbids. */
const CASES: Readonly<Record<string, { readonly keep: readonly string[]; readonly break: readonly string[] }>> = {
  anything: { keep: ['null', '0', '{"a":[1.5,""]}'], break: [] },
  nothing: { keep: [], break: ['null', '1', '{}'] },
  boolean: { keep: ['true', 'false'], break: ['"true"', '0', 'null'] },
  integer: {
    keep: ['1.0', '1e0', '-0', '10e-1', '12e3'],
    break: ['1.5', '1e-1', '"1"', 'true', 'null'],
  },
  nullable: { keep: ['null', '"abc"'], break: ['"abcd"', '1', 'false'] },
  const: {
    keep: ['{"a":false,"list":[1,{"b":null}]}', '{"list":[1.0,{"b":null}],"a":false}'],
    break: [
      '{"a":0,"list":[1,{"b":null}]}',
      '{"a":false,"list":[1,{}]}',
      '{"a":false,"list":[1,{"b":null}],"c":1}',
      '{"a":false,"list":[{"b":null},1]}',
      '[]',
      'null',
    ],
  },
  constInt64: {
    keep: ['9007199254740993', '9007199254740993.0'],
    break: ['9007199254740992', '9007199254740994', '"9007199254740993"'],
  },
  constPrototype: { keep: ['{"__proto__":1}'], break: ['{}', '{"__proto__":2}', '{"a":1}', '{"__proto__":1,"a":1}'] },
  enum: {
    keep: ['{"b":[2],"a":1}', '[1,[2]]', 'null', '0', '-0', '"off"'],
    break: ['{"a":1}', '{"a":1,"b":["2"]}', '[1,2]', '[1,[2],3]', 'false', '"0"', '""'],
  },
  enumInt64: {
    keep: ['9007199254740993', '-9223372036854775808'],
    break: ['9007199254740992', '-9223372036854775807'],
  },
  multipleOf: {
    keep: ['19.99', '0.29', '4.35', '0', '-0.07', '1e2', '1e-2', '123456789.01', '1e300'],
    break: ['0.001', '19.995', '1e-3', '1e-300', '"0.01"'],
  },
  multipleOfInt64: {
    keep: ['0', '9223372036854775800', '-9007199254740990'],
    break: ['9007199254740993', '9223372036854775807', '5'],
  },
  minimum: { keep: ['-0.5', '1e300'], break: ['-0.500001', '-1e300'] },
  maximum: { keep: ['100', '1e2', '-1e300'], break: ['100.00001', '1e300'] },
  exclusiveMinimum: { keep: ['1e-300', '5'], break: ['0', '-0.0', '-1'] },
  exclusiveMaximum: { keep: ['0.09', '-1'], break: ['0.1', '0.10', '1e-1', '1'] },
  minimumInt64: { keep: ['-9223372036854775400', '0'], break: ['-9223372036854775401', '-9223372036854775808'] },
  maximumInt64: { keep: ['9223372036854775400', '0'], break: ['9223372036854775401', '9223372036854775807'] },
  exclusiveInt64: { keep: ['9007199254740993'], break: ['9007199254740992', '9007199254740994'] },
  int64: {
    keep: ['9223372036854775807', '-9223372036854775808', '9.223372036854775807e18', '1.0', '-0'],
    break: ['9223372036854775808', '-9223372036854775809', '9007199254740992.5', '1e-400', '"1"', 'null'],
  },
  int32: { keep: ['2147483647', '-2147483648', '1.0'], break: ['2147483648', '-2147483649', '1e300', '1.5'] },
  float: { keep: ['1.5', '3.4028234663852886e38', '1'], break: ['3.5e38', '"1.5"'] },
  double: { keep: ['1.5', '1.7976931348623157e308'], break: ['"1.5"', 'null'] },
  length: { keep: ['"a"', '"ab"', '"🌱🌱"', s`"\ud83c\udf31a"`], break: ['""', '"abc"', '"🌱🌱🌱"', '1'] },
  pattern: { keep: ['"a"', '"a🌱"'], break: ['""', '"A"', '"a\uD83D\uDC1D"', s`"a\n"`] },
  'date-time': {
    keep: [
      '"2026-02-28T23:59:59.5Z"',
      '"2024-02-29T00:00:00+14:00"',
      '"1998-12-31T23:59:60Z"',
      '"2026-02-28t01:02:03z"',
    ],
    break: [
      '"1985-04-12T23:20:50+01"',
      '"2026-02-28 23:59:59Z"',
      '"2016-12-31T24:59:60+01:00"',
      '"2026-13-01T00:00:00Z"',
      '"2026-02-30T00:00:00Z"',
      '"2026-02-28T24:00:00Z"',
      '"2026-02-28T10:00:00"',
      '"2026-02-28"',
      '1',
    ],
  },
  date: { keep: ['"2024-02-29"'], break: ['"2026-02-29"', '"2026-2-1"', '"2026-00-01"', '"28.02.2026"'] },
  time: { keep: ['"10:00:00Z"', '"10:00:00.5+01:00"'], break: ['"10:00"', '"25:00:00Z"', '"10:00:00"'] },
  duration: { keep: ['"P1DT2H"', '"P4W"'], break: ['"P1Y2D"', '"P"', '"1D"', '"PT"'] },
  email: {
    keep: [s`"\"a b\"@c.example"`, '"a@[IPv6:::1]"', '"a.b@c.example"'],
    break: ['"a@b"', '"a"', '"@b.example"', '"a@"', '"a b@c.example"'],
  },
  hostname: { keep: ['"a.example"', '"a-b.c"'], break: ['"example."', '"-a"', '"a_b"', '"a..b"', '""'] },
  ipv4: { keep: ['"127.0.0.1"'], break: ['"256.0.0.1"', '"127.1"', '"127.0.0.01"'] },
  ipv6: { keep: ['"::1"', '"1:2:3:4:5:6:7:8"'], break: ['"::g"', '"1:2:3"', '"127.0.0.1"'] },
  uri: {
    keep: ['"https://a.example/x?y#z"', '"urn:x:y"'],
    break: ['"http://a.example:x/"', '"/x"', '"https://a.example/ x"', '""'],
  },
  'uri-reference': { keep: ['"../x?y"', '""'], break: ['"1:b"', s`"a\\b"`, '"a b"'] },
  uuid: {
    keep: ['"2eb8aa08-aa98-11ea-b4aa-73b441d16380"'],
    break: ['"urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380"', '"2eb8aa08aa9811eab4aa73b441d16380"', '"x"'],
  },
  'uri-template': { keep: ['"/x/{y}"'], break: ['"/x/{y"'] },
  'json-pointer': { keep: ['""', '"/a~1b/0"'], break: ['"a"', '"/~2"'] },
  'relative-json-pointer': { keep: ['"1/a"', '"0#"'], break: ['"/a"', '"01/a"'] },
  regex: { keep: ['"^a+$"'], break: ['"("'] },
  byte: { keep: ['"aGk="', '""'], break: ['"aGk"', '"?"'] },
  binary: { keep: ['"?"', '""'], break: ['1'] },
  password: { keep: ['"?"', '""'], break: ['1'] },
  items: { keep: ['[1]', '[1,2.0]'], break: ['[]', '[1,2,3]', '["x"]', '{}', '{"0":1,"length":1}'] },
  prefixItems: { keep: ['["x",9007199254740993]', '["x"]', '[]'], break: ['[1]', '["x",1.5]', '["x",1,2]'] },
  contains: { keep: ['[1,"x",2]', '[1,2,3]'], break: ['[1]', '[1,2,3,4]', '[]', '["x"]'] },
  containsNone: { keep: ['[]', '[false]', '["yes"]'], break: ['["no"]', '[1,"no"]'] },
  uniqueItems: {
    keep: [
      '[{"a":1},{"a":2}]',
      '[1,"1",true,null]',
      '[[1],[2]]',
      '[{"a":false},{"a":0}]',
      '[{},[]]',
      '[{"toString":1},{"valueOf":1}]',
    ],
    break: ['[1,1.0]', '[{"a":1,"b":2},{"b":2,"a":1}]', '[[1],[1]]', '[null,0,null]', '[0,-0]', '[{},{}]'],
  },
  uniqueInt64: {
    keep: ['[9007199254740992,9007199254740993]', '[]'],
    break: ['[9007199254740993,9007199254740993.0]', '[1,1e0]'],
  },
  required: { keep: ['{"a":1,"toString":2}'], break: ['{"a":1}', '{}', '{"__proto__":{"a":1,"toString":2}}'] },
  properties: {
    keep: ['{"a":1}', '{"c":1,"d":2}', '{"__proto__":1}'],
    break: ['{}', '{"a":"x"}', '{"b":1}', '{"c":1,"d":2,"e":3}', '[]'],
  },
  patternProperties: { keep: ['{"n1":1.5,"x":"y"}', '{}'], break: ['{"n":"x"}', '{"x":1}', '{"__proto__":1}'] },
  propertyNames: { keep: ['{"a":1,"ab":2}'], break: ['{"b":1}', '{"aaa":1}', '{"":1}'] },
  dependentRequired: {
    keep: ['{}', '{"address":1}', '{"card":1,"address":2}'],
    break: ['{"card":1}', '{"card":null}'],
  },
  dependentSchemas: {
    keep: ['{"card":1,"address":2}', '{"address":1}'],
    break: ['{"card":1}', '{"card":"x","address":1}'],
  },
  unevaluatedProperties: {
    keep: ['{"name":"x"}', '{"name":"x","age":9007199254740993}'],
    break: ['{"name":"x","colour":1}', '{"age":1}', '{"name":"x","age":1.5}', '{"name":"x","__proto__":1}'],
  },
  if: {
    keep: ['{"kind":"even","n":2}', '{"kind":"odd","n":1}', '{"n":4}', '"x"'],
    break: ['{"kind":"even","n":3}', '{"kind":"odd"}', '{"n":3}'],
  },
  allOf: { keep: ['"ab"'], break: ['"a"', '1'] },
  anyOf: { keep: ['"ab"', '5'], break: ['"abc"', '4', 'null'] },
  oneOf: { keep: ['1', '2.5'], break: ['3', '1.5'] },
  not: { keep: ['"x"', '1.5', 'null'], break: ['1', '1.0'] },
  beside: { keep: ['"ab"', '"abc"'], break: ['"a"', '"abcd"', '1'] },
  recursive: {
    keep: ['{"parts":[{"id":9007199254740993,"parts":[{}]}]}'],
    break: ['{"parts":[{"parts":[{"id":"x"}]}]}'],
  },
  default: { keep: ['{}', '{"int64":1,"list":[],"inner":{}}'], break: ['{"int64":"x"}', '{"inner":{"b":1}}'] },
};

const sends = (kind: 'keep' | 'break') =>
  Object.entries(CASES).flatMap(([member, cases]) => cases[kind].map((text): [string, string] => [member, text]));

test('CASES has each member of Rules', () => {
  const { components } = parse(GARDEN) as { components: { schemas: { Rules: { properties: object } } } };
  expect(Object.keys(CASES)).toEqual(Object.keys(components.schemas.Rules.properties));
});

describe('valid values', () => {
  test.each(sends('keep'))(
    'a valid value is accepted in a request, and sent in a reply: %s %s',
    async (member, value) => {
      const { status, text } = await call('POST', '/rules', { body: `{"${member}":${value}}` });
      expect([status, text]).toEqual([200, expect.stringMatching(`^{"${member}":`)]);
    },
  );
});

describe('invalid values in requests', () => {
  test.each(sends('break'))(
    'the service answers 400 to an invalid value in a request, and names the member in the message: %s %s',
    async (member, value) => {
      const { status, text } = await call('POST', '/rules', { body: `{"${member}":${value}}` });
      expect([status, text, seen]).toEqual([400, expect.stringContaining(`body.${member}`), []]);
    },
  );
});

/** The value of a JSON text as operations have it: int64 as bigint. */
function asValue(text: string): unknown {
  const parseWithSource = JSON.parse as (
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ) => unknown;
  return parseWithSource(text, (_name, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value,
  );
}

/** Objects that are valid without the members that their schema never allows, which the service does not send. */
const LEFT_OUT = ['{"name":"x","colour":1}', '{"name":"x","__proto__":1}'];

test.each(LEFT_OUT)('the service leaves out of a reply what its schema never allows: %s', async (value) => {
  const reply = { status: 200, body: { unevaluatedProperties: asValue(value) } };
  const { status, text } = await call('POST', '/rules', { body: '{"anything":1}', reply });
  expect([status, text]).toEqual([200, '{"unevaluatedProperties":{"name":"x"}}']);
});

describe('invalid values in replies', () => {
  // JavaScript rounds 1e-400 to 0, which is valid.
  const values = sends('break').filter(([, text]) => text !== '1e-400' && !LEFT_OUT.includes(text));
  test.each(values)('the service answers 500 if a reply has an invalid value: %s %s', async (member, value) => {
    const reply = { status: 200, body: asValue(`{"${member}":${value}}`) };
    const { status } = await call('POST', '/rules', { body: '{"anything":1}', reply });
    expect(status).toBe(500);
  });
});
