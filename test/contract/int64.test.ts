import { describe, expect, test } from '@jest/globals';
import { int64, NOT_AN_INTEGER, OUT_OF_RANGE } from '../../src/contract/int64.ts';

describe('an int64 is read exactly from', () => {
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
    [`1${'0'.repeat(60_000)}e-60000`, 1n],
    [`0.${'0'.repeat(60_000)}1e60001`, 1n],
  ])('%.40s', (literal, value) => {
    expect(int64(literal)).toBe(value);
  });
});

describe('no int64 is', () => {
  test.each([
    ['0.5', NOT_AN_INTEGER],
    ['1e-400', NOT_AN_INTEGER],
    ['9007199254740992.5', NOT_AN_INTEGER],
    ['1e-99999999999999999999', NOT_AN_INTEGER],
    ['9223372036854775808', OUT_OF_RANGE],
    ['-9223372036854775809', OUT_OF_RANGE],
    ['1e19', OUT_OF_RANGE],
    ['1e400', OUT_OF_RANGE],
    ['1e999999999999', OUT_OF_RANGE],
    ['', NOT_AN_INTEGER],
    [' 1', NOT_AN_INTEGER],
    ['1 ', NOT_AN_INTEGER],
    ['+1', NOT_AN_INTEGER],
    ['01', NOT_AN_INTEGER],
    ['1.', NOT_AN_INTEGER],
    ['.5', NOT_AN_INTEGER],
    ['0x10', NOT_AN_INTEGER],
    ['1_000', NOT_AN_INTEGER],
    ['١', NOT_AN_INTEGER],
    ['Infinity', NOT_AN_INTEGER],
  ])('%j', (literal, reason) => {
    expect(int64(literal)).toBe(reason);
  });
});
