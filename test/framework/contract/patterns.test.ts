import { expect, test } from '@jest/globals';
import { requireLinearPatterns } from '../../../src/framework/contract/patterns.ts';

const check = (pattern: string) => {
  requireLinearPatterns(new Set([{ pattern }]));
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
])('accepts the pattern %s, whose time grows with the text', (pattern) => {
  expect(() => {
    check(pattern);
  }).not.toThrow();
});

test.each([
  ['^(a+)+$', 'have no character in common'],
  ['^(a|a)*$', 'have no character in common'],
  ['^.*.*x$', 'have no character in common'],
  ['^\\p{L}*[A-Z]*$', 'have no character in common'],
  ['^(?:a?){20}a{20}$', 'have no character in common'],
  ['\\d+x', 'begin it with ^'],
  ['\\s*$', 'begin it with ^'],
  ['(?<=a.*)b', 'and no lookbehind'],
  ['(?=.*x)y', 'write a lookahead directly after ^'],
  ['^(?:a(?!.*x))*$', 'write a lookahead directly after ^'],
  ['^(?=.*(?=.*x)y)', 'write a lookahead directly after ^'],
])('refuses the pattern %s, and says: %s', (pattern, cure) => {
  expect(() => {
    check(pattern);
  }).toThrow(`the pattern ${pattern} may take time that grows with the square of a text or faster: `);
  expect(() => {
    check(pattern);
  }).toThrow(cure);
});

test('refuses a name of patternProperties as it refuses a pattern', () => {
  expect(() => {
    requireLinearPatterns(new Set([{ patternProperties: { '(x+)+y': true } }]));
  }).toThrow('the pattern (x+)+y may take time');
});
