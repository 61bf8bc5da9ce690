import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { Refusal } from '../../../src/refusal.ts';
import { MAX_JSON_DEPTH, parseJson } from '../../../src/message/json.ts';
import { Position } from '../../../src/schema/positions.ts';

function parse(text: string, position?: Position): unknown {
  return parseJson(text, position);
}

/** A copy with the usual prototypes, which parsed objects lack. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

describe('texts of JSON', () => {
  test.each([
    'null',
    ' true ',
    'false',
    '-0',
    '1.5e3',
    '1E+2',
    '1e308',
    '1e-400',
    '""',
    '"plain"',
    String.raw`"\" \\ \/ \b \f \n \r \t \u00e9 \ud83c\udf31"`,
    '"é 🌱 \u007f \u2028"',
    '[]',
    '[1, [2, {"a": []}], "x"]',
    '{}',
    '\t\r\n{"a" : 1 , "b" : {"c" : null}}\n',
    '{"toString": 1, "hasOwnProperty": 2}',
  ])('parseJson reads as JSON.parse does: %s', (text) => {
    expect(plain(parse(text))).toEqual(plain(JSON.parse(text)));
  });

  test('parseJson reads the sign of -0', () => {
    expect(parse('-0')).toBe(-0);
  });

  test('parseJson reads __proto__ as a member like any other', () => {
    const value = parse('{"__proto__": {"admin": true}, "constructor": 1}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(value['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  test('parseJson reads arrays as deep as MAX_JSON_DEPTH', () => {
    const text = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
    expect(plain(parse(text))).toEqual(JSON.parse(text));
  });
});

describe('texts that are not JSON', () => {
  test.each([
    ['', 'end of the text', 0],
    ['   ', 'end of the text', 3],
    ['{', 'end of the text', 1],
    ['{"a"', 'end of the text', 4],
    ['{"a":', 'end of the text', 5],
    ['{"a":1', 'end of the text', 6],
    ['{"a":1,}', '"}"', 7],
    ['{a:1}', '"a"', 1],
    ["{'a':1}", '"\'"', 1],
    ['{"a" 1}', '"1"', 5],
    ['{"a":1 "b":2}', '"\\""', 7],
    ['[1,]', '"]"', 3],
    ['[1 2]', '"2"', 3],
    ['[', 'end of the text', 1],
    ['1 2', '"2"', 2],
    ['{} x', '"x"', 3],
    ['01', '"1"', 1],
    ['-', '"-"', 0],
    ['+1', '"+"', 0],
    ['.5', '"."', 0],
    ['1.', '"."', 1],
    ['0x10', '"x"', 1],
    ['NaN', '"N"', 0],
    ['tru', '"t"', 0],
    ['nul', '"n"', 0],
    ['"open', 'end of the text', 5],
    ['"open\\', 'end of the text', 6],
    ['"open\\"', 'end of the text', 7],
    ['"line\nbreak"', '"\\n"', 5],
    ['"\\u00e9\ttab"', '"\\t"', 7],
    ['// comment\n1', '"/"', 0],
    ['\ufeff{}', '"\ufeff"', 0],
    ['🌱', '"🌱"', 0],
  ])('parseJson refuses text that is not JSON, with the position: %j', (text, found, position) => {
    const attempt = () => parse(text);
    expect(attempt).toThrow(new Refusal(40008, `body is not JSON: unexpected ${found} at position ${position}`));
    expect(attempt).toThrow(expect.objectContaining({ number: 40008 }));
  });

  test.each([String.raw`"\x"`, String.raw`"\u12g4"`, String.raw`"ok \u12"`])(
    'parseJson refuses the unknown escape in %s',
    (text) => {
      expect(() => parse(text)).toThrow('the string at position 0 has an invalid escape');
    },
  );

  test.each([
    [String.raw`"\ud800"`, 0],
    [String.raw`["x", "\udc00\ud800"]`, 6],
    [String.raw`"\ud83c\n\udf31"`, 0],
    [String.raw`{"\udfff": 1}`, 1],
    [String.raw`{"a": {"b\uDBFF": 1}}`, 7],
  ])('parseJson refuses the lone surrogate in %s, with the position', (text, position) => {
    const refusal = new Refusal(40008, `body has a lone surrogate in the string at position ${position}`);
    expect(() => parse(text)).toThrow(refusal);
    expect(() => parse(text)).toThrow(expect.objectContaining({ number: 40008 }));
  });

  test.each([
    ['1e400', 0],
    ['[1, -1.8e308]', 4],
    ['{"a": 1e309}', 6],
  ])('parseJson refuses the number beyond the range of doubles in %s, with the position', (text, position) => {
    const attempt = () => parse(text);
    expect(attempt).toThrow(
      new Refusal(40008, `body has a number beyond the range of a double at position ${position}`),
    );
    expect(attempt).toThrow(expect.objectContaining({ number: 40008 }));
  });

  test('parseJson refuses nesting deeper than MAX_JSON_DEPTH, also where it would exhaust the stack', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      for (const levels of [MAX_JSON_DEPTH + 1, 30_000]) {
        const attempt = () => parse(`${open.repeat(levels)}1${close.repeat(levels)}`);
        expect(attempt).toThrow('body is nested too deeply: use at most 32 levels');
      }
    }
  });
});

describe('repeated members', () => {
  test.each([
    ['{"a":1,"a":2}', '"a"'],
    ['{"a":1,"b":2,"a":1}', '"a"'],
    [String.raw`{"a":1,"\u0061":1}`, '"a"'],
    ['{"x":[{"b":1,"b":1}]}', '"b"'],
    ['{"__proto__":1,"__proto__":1}', '"__proto__"'],
    ['{"":1,"":1}', '""'],
  ])('parseJson refuses a repeated member in %s', (text, name) => {
    const attempt = () => parse(text);
    expect(attempt).toThrow(expect.objectContaining({ number: 40009 }));
    expect(attempt).toThrow(`the member ${name} appears twice in one object`);
  });
});

describe('parseJson, where the contract says int64,', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer', format: 'int64' },
      size: { type: 'number' },
      ids: { items: { $ref: '#/id' } },
    },
    additionalProperties: { $ref: '#/id' },
  } as const;
  const id = schema.properties.id;
  const position = new Position(schema, () => id);

  test('reads each digit into a bigint, and elsewhere a double', () => {
    const text = '{"id":9007199254740993,"size":9007199254740993,"ids":[1.0,-9223372036854775808],"other":12e3}';
    expect({ ...(parse(text, position) as object) }).toEqual({
      id: 9007199254740993n,
      size: 9007199254740992,
      ids: [1n, -9223372036854775808n],
      other: 12000n,
    });
  });

  test('uses one Position for all undeclared members', () => {
    expect(position.member('invented')).toBe(position.member('another'));
    expect(position.member('id')).not.toBe(position.member('another'));
  });

  test('reads a number outside int64 as the nearest double, which another schema may allow', () => {
    expect(plain(parse('{"ids":[9007199254740992.5,9223372036854775808]}', position))).toEqual({
      ids: [9007199254740992, 9223372036854775808],
    });
  });
});

test('parseJson copies strings, so that a parsed object does not keep its long text in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const kept = Array.from({ length: 200 }, (_, id) =>
    parse(`{"id":${id},"name":"Monstera deliciosa"}${' '.repeat(60_000)}`),
  );
  // All texts together have 12 MB.
  expect(heap() - before).toBeLessThan(3_000_000);
  expect(kept).toHaveLength(200);
});
