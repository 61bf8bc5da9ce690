import { isObject, type JsonValue, numberOf } from 'trellis-contract/derivation';

const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => JsonValue;

/** @throws SyntaxError */
export function read(text: string): JsonValue {
  return parse(text, (_name, value, { source }) => (typeof value === 'number' ? numberOf(source) : value));
}

/**
 * Writes JSON.
 *
 * @param choices numbers, used in turn, that select the spelling of numbers, escapes, white space and the order of
 *   members
 */
export function spell(value: JsonValue, choices: readonly number[]): string {
  let used = 0;
  const choose = <T>(...variants: readonly [T, ...T[]]): T => {
    const choice = choices[used % choices.length] ?? 0;
    used++;
    return variants[choice % variants.length] ?? variants[0];
  };
  const space = () => choose('', '', ' ', '\n\t', '\r\n');
  const around = (open: string, parts: readonly string[], close: string) =>
    `${open}${space()}${parts.map((part) => part + space()).join(`,${space()}`)}${close}`;
  const written = (each: JsonValue): string => {
    if (typeof each === 'bigint') return choose(...spellings(each));
    if (typeof each === 'string') return spellString(each, choose(0, 0, 1, 2));
    if (Array.isArray(each)) return around('[', (each as readonly JsonValue[]).map(written), ']');
    if (!isObject(each)) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([name, member]) => `${spellString(name, choose(0, 0, 1))}${space()}:${space()}${written(member)}`,
    );
    return around('{', choose(members, members.toReversed()), '}');
  };
  return `${space()}${written(value)}${space()}`;
}

/** @param escaped none, the first character, or all characters */
function spellString(text: string, escaped: 0 | 1 | 2): string {
  const count = [0, 1, text.length][escaped];
  const start = Array.from({ length: Math.min(count ?? 0, text.length) }, (_, at) => text.charCodeAt(at));
  // If the first character is half of a surrogate pair, JSON.stringify escapes the other half.
  return `"${start.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}${JSON.stringify(text.slice(start.length)).slice(1)}`;
}

/** Spellings of the same integer by JSON Schema (2020-12, section 6.1.1). */
function spellings(value: bigint): [string, ...string[]] {
  if (value === 0n) return ['0', '-0', '0.0', '0e0', '-0.000E+00', '0e-1', '0e999'];
  const plain = String(value);
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(plain) ?? [];
  return [
    plain,
    `${plain}.0`,
    `${plain}e0`,
    `${plain}.000E+00`,
    `${plain}0e-1`,
    `${sign}0.${digits}e${digits.length}`,
    `${sign}${digits.charAt(0)}.${digits.slice(1)}0E+${digits.length - 1}`,
  ];
}
