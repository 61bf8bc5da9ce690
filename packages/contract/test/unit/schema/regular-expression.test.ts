import { expect, test } from '@jest/globals';
import { isRegExp } from '../../../src/schema/regular-expression.ts';
import { random } from '../values.ts';

const PARTS = [
  ...Array.from('ab019-^$.*+?{}()[]|\\/,=<>!:_\n\u2028é😀'),
  ...['\ud83d', '\ude00'],
  ...['{1}', '{1,2}', '{2,1}', '{1,', '{,1}', '{99999999999,9999999999}', '*?', '|', '|', ')', ')', '[^]', '[]', '[^'],
  ...['(?:', '(?=', '(?!', '(?<=', '(?<!', '(?', '(?i:', '(?-i:', '(?i-m:', '(?i-:', '(?-:', '(?ii:', '(?i-i:'],
  ...['(?<a>', '(?<b>', '(?<a', '(?<a>x)', '(?<b>y)', '(?<$_a\\u0061>)', '(?<\\u{61}>)', '(?<é𝒜>)', '(?<1>)', '(?<>)'],
  ...['[a-z]', '[z-a]', '[\\d-z]', '[a-\\d]', '\\1', '\\2', '\\0', '\\01', '\\d', '\\w', '\\b', '\\B', '\\k', '\\k<a>'],
  ...['\\k<b>', '\\x', '\\x41', '\\u', '\\u0041', '\\u{0000041}', '\\u{110000}', '\\u{', '\\uD83D\\uDE00', '\\uD83D'],
  ...[
    '\\uDE00',
    '\\cA',
    '\\c1',
    '\\-',
    '\\/',
    '\\a',
    '\\_',
    '\\^',
    '\\]',
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Foo}',
    '\\p',
    '\\p{',
  ],
  ...['\\p{Script=Greek}', '\\p{scx=Grek}', '\\p{Script=Foo}', '\\p{RGI_Emoji}', '\\p{gc=Lu}', '\\p{}'],
];

function compiles(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

test('the format regex accepts of 5,000 drawn texts those that V8 compiles', () => {
  const next = random(7);
  const draw = () => PARTS[Math.floor(next() * PARTS.length)] ?? '';
  const texts = Array.from({ length: 5_000 }, () => {
    const text = Array.from({ length: 1 + Math.floor(next() * 9) }, draw).join('');
    // Most texts would lack the ends of their groups.
    return text + ')'.repeat(Math.max(0, text.split('(').length - text.split(')').length));
  });
  expect(texts.filter((each) => isRegExp(each) !== compiles(each))).toEqual([]);
  expect(texts.filter(isRegExp).length).toBeGreaterThan(500);
});

test.each([
  ['the same name in groups of which a match has one', '(?<a>x)|(?:(?<a>y)|z(?<a>))', true],
  ['the same name in groups of which a match may have both', '(?:(?<a>x)|y)(?<a>z)', false],
  ['a reference to a later group', '\\2\\k<b>(a)(?<b>c)', true],
  ['groups that nest twenty thousand times', '(?:'.repeat(20_000) + ')'.repeat(20_000), true],
  ['as many captures as V8 has', '()'.repeat(32_767), true],
  ['more captures', '()'.repeat(32_768), false],
  // V8 takes four seconds for the first of these, and gigabytes for the second.
  ['a class of ten thousand properties', `[${'\\p{L}'.repeat(10_000)}]`, true],
  ['a class of thirty thousand sets without regard to case', `(?i:[${'\\W'.repeat(30_000)}])`, true],
])('the format regex, for %s', (_what, text, is) => {
  expect(isRegExp(text)).toBe(is);
});
