import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor } from 'trellis';

const AT = new Date('2026-02-03T04:05:06.007Z');
const encoded = (text: string) => Buffer.from(text).toString('base64url');

test('a cursor gives its values back exactly, and consists of letters, digits, "-" and "_"', () => {
  const cursor = encodeCursor(AT, 'ßø "quoted", 🌱', 9007199254740993n, -(2n ** 63n));
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(decodeCursor(cursor, 'timestamp', 'text', 'int64', 'int64')).toEqual([
    AT,
    'ßø "quoted", 🌱',
    9007199254740993n,
    -(2n ** 63n),
  ]);
});

test.each([
  ['a text that is not base64url', '***', ['text']],
  ['padding', `${encodeCursor('a')}=`, ['text']],
  ['bytes that are not UTF-8', Buffer.from('["\xff"]', 'latin1').toString('base64url'), ['text']],
  ['a text that is not JSON', encoded('['), ['text']],
  ['JSON that is not an array', encoded('null'), ['text']],
  ['white space', encoded('[ "a"]'), ['text']],
  ['a number', encoded('[1]'), ['int64']],
  ['one value too few', encodeCursor('a'), ['text', 'text']],
  ['one value too many', encodeCursor('a', 'b'), ['text']],
  ['a text for an int64', encodeCursor('a'), ['int64']],
  ['another spelling of an int64', encodeCursor('01'), ['int64']],
  ['2^63', encodeCursor(2n ** 63n), ['int64']],
  ['a text that is no timestamp', encodeCursor('yesterday'), ['timestamp']],
  ['another spelling of a timestamp', encodeCursor('2026-02-03'), ['timestamp']],
  ['a timestamp that no column can have', encodeCursor(new Date(8.64e15)), ['timestamp']],
  ['U+0000', encodeCursor('a\0b'), ['text']],
  ['a lone surrogate', encoded('["\\ud800"]'), ['text']],
] as const)('decodeCursor refuses a cursor with %s', (_what, cursor, kinds) => {
  expect(decodeCursor(cursor, ...kinds)).toBeUndefined();
});
