import { expect, test } from '@jest/globals';
import { requireLinearPatterns } from '../../../src/rules/patterns.ts';

const check = (pattern: string) => {
  requireLinearPatterns({ pattern });
};

test.each([
  '^[^\\x00]*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
  '^(?!(?:con|prn)$)[a-z]+$',
  '^(?=.*[a-z])(?=.*\\d).{8,}$',
  '^\\p{Lu}[\\p{L}\\p{N} -]*$',
  '\\.jpg$',
  '\\S',
  'a*',
  'a+b*',
  '[0-9]{2,}',
  'f.*',
  '\\bfoo\\b',
  '^\\S.*(?<=\\S)$',
  // The pattern that semver.org recommends.
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  '^((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)$',
  '^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$',
  '^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)(?:\\.(?!$)|$)){4}$',
  '^\\+?[0-9 +-]+$',
  '^(\\w+\\s)*\\w+$',
  '^[a-z0-9]+(?:[._-][a-z0-9]+)*@(?:[a-z0-9-]+\\.)+[a-z]{2,}$',
  '^(?=.{1,253}$)(?:(?!-)[a-zA-Z0-9-]{1,63}(?<!-)\\.)+[a-zA-Z]{2,63}$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  '^(?:SA|SB|SC|SD|SE|SG|SH|SI|SJ|SK|SL|SM|SN|SO|SR|SS|ST|SV|SX|SY|SZ|SU|SW|SP|SQ)$',
  '^(["\'])[a-z]*\\1$',
  '^[^]{1,32768}$',
  '^(?:a?|b?|)(?:c|)$',
  '^(?:(?:|x)z)*$',
])('accepts the pattern %s, whose time grows with the text', (pattern) => {
  expect(() => {
    check(pattern);
  }).not.toThrow();
});

const APART =
  'can read the same characters in many ways: let neighbours such as \\d+ and \\w* have no character in common';
const BOUND = 'give each * and + a bound such as {1,10}, or give a format';
const BEGIN = 'begin it with ^, or give a format';
const EMPTY = 'as it can match nothing there in many ways: leave out parts that may be empty';
const BEHIND = 'let a lookbehind have no quantifier and no backreference';

test.each([
  ['^(a+)+$', `as a ${APART}`],
  ['^(?:a*)*$', APART],
  ['^(a|a)*$', APART],
  ['^(?:a?){20}a{20}$', APART],
  ['^(?:a?|b?){20}c$', 'write it shorter'],
  ['^(\\w+\\s?)+$', APART],
  ['^(a*)\\1*$', APART],
  ['^\\w{1,20}\\w{1,20}\\w{1,20}$', APART],
  ['^.*.*x$', `as . and x can read the same characters in many ways: ${BOUND}`],
  ['^\\p{L}*[A-Z]*$', BOUND],
  ['^[a-z]+[a-z0-9]+$', BOUND],
  ['^(?:a(?!.*x))*$', BOUND],
  ['^(?=.*(?=.*x)y)', BOUND],
  ['\\d+x', BEGIN],
  ['\\s*$', BEGIN],
  ['(?=.*x)y', BEGIN],
  // The assertion behind the repetition reads no character, and yet the match can fail there.
  ['\\s*\\b', BEGIN],
  ['x*(?<=y)', BEGIN],
  ['^(?:(?<=(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a))|b)*$', EMPTY],
  // Each of these took up to 85 µs for a character, as JavaScript tries all ways through what reads none.
  [`^(?:${'(?:|()|)'.repeat(8)}|a)*$`, EMPTY],
  [`^(?:${'(?:|)'.repeat(7)}(?!)|a)*$`, EMPTY],
  [`^(?:(?:${'(?:|()|)'.repeat(4)})$|a)*$`, EMPTY],
  [`^(?:a|${'(?:(?=)|)'.repeat(6)}b)*$`, 'as b can read the same characters in many ways'],
  ['(?<=a.*)b', BEHIND],
])('refuses the pattern %s, and says: %s', (pattern, cure) => {
  const checking = expect(() => {
    check(pattern);
  });
  checking.toThrow(`the pattern ${pattern} `);
  checking.toThrow(cure);
});

test('refuses a name of patternProperties as it refuses a pattern', () => {
  expect(() => {
    requireLinearPatterns({ patternProperties: { '(x+)+y': true } });
  }).toThrow('the pattern (x+)+y may take time');
});
