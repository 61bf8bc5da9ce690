import { expect, test } from '@jest/globals';
import { isSameJson, Json } from '../../../src/storage/values.ts';

test('Json reads each integer in the range of int64 exactly, however it is written, and other numbers as doubles', () => {
  const text = `[9007199254740993, 9007199254740993.0, 9007199254740993e0, 1, 1.5, 9223372036854775808, 1${'0'.repeat(300)}]`;
  const exact = 9007199254740993n;
  expect(Json.parse(text)).toEqual([exact, exact, exact, 1, 1.5, 9223372036854775808, 1e300]);
});

test.each([
  ['{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1.0}', true],
  ['[1,2]', '[2,1]', false],
  ['[9007199254740993]', '[9007199254740992]', false],
  ['{"a":1}', '{"a":1,"b":null}', false],
  ['null', null, false],
])('isSameJson compares %s and %s as JSON Schema does', (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
});
