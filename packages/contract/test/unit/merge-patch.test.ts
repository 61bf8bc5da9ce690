import { describe, expect, test } from '@jest/globals';
import { mergePatch } from '../../src/merge-patch.ts';

describe('mergePatch', () => {
  const merge = (stored: unknown, patch: unknown) => mergePatch(stored as Record<string, unknown>, patch as object);

  // RFC 7396, appendix A, without those whose stored value or patch is no object.
  test.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [undefined, { a: { b: null, c: [null] } }, { a: { c: [null] } }],
  ])('makes of %j with %j what RFC 7396 says', (stored, patch, expected) => {
    const before = structuredClone([stored, patch]);
    expect(merge(stored, patch)).toStrictEqual(expected);
    expect([stored, patch]).toStrictEqual(before);
  });

  test('keeps each number exact, and replaces a Date and bytes as a whole', () => {
    const at = new Date(0);
    const hash = new Uint8Array([1]);
    const stored = { id: 2n ** 53n + 1n, at, hash, sizes: { min: 2n ** 63n - 1n, max: 1.5 }, tag: undefined };
    expect(mergePatch(stored, { sizes: { min: -(2n ** 63n) } })).toStrictEqual({
      ...stored,
      sizes: { min: -(2n ** 63n), max: 1.5 },
    });
    expect(merge(stored, { at: { year: 1970n }, hash: [1n] })).toMatchObject({ at: { year: 1970n }, hash: [1n] });
  });

  test('keeps a member that is undefined in the patch, as the client did not send it', () => {
    expect(merge({ a: 1, b: { c: 2 } }, { a: undefined, b: { c: undefined } })).toStrictEqual({ a: 1, b: { c: 2 } });
  });

  test('merges a member with a name such as __proto__ like any other', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":null},"toString":null}');
    const merged = merge({ c: 1 }, patch);
    expect(Object.entries(merged)).toEqual([
      ['c', 1],
      ['__proto__', { a: 1 }],
      ['constructor', {}],
    ]);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
