import { expect, test } from '@jest/globals';
import { entityTag, ifMatch } from 'trellis';

test.each([['*'], ['"1"'], [' "1" '], ['"0", "1"'], ['"0","1","2"'], [',"1",'], ['W/"1", "1"'], ['"a,b", "1"']])(
  'If-Match: %s holds for "1"',
  (field) => {
    expect(ifMatch(field, entityTag(1n))).toBe(true);
  },
);

test.each([
  ['"2"'],
  [''],
  ['1'],
  ['W/"1"'],
  ['w/"1"'],
  ['"1'],
  ['"1" x'],
  ['*, "1"'],
  ['"*"'],
  ['"0, "1""'],
  ['"01"'],
  ['"0""1"'],
  ['"0" "1"'],
  ['W/"0""1"'],
])('If-Match: %s does not hold for "1"', (field) => {
  expect(ifMatch(field, entityTag(1n))).toBe(false);
});

test('a weak tag never matches, except by *', () => {
  expect(ifMatch('W/"1"', 'W/"1"')).toBe(false);
  expect(ifMatch('*', 'W/"1"')).toBe(true);
});
