import { ErrorNumber } from 'trellis-contract/ground';
import type { Wire } from 'trellis-contract/derivation';

/** A lone surrogate: JSON.parse accepts it, and the service must not. */
const HALF = String.raw`\ud800`;

type Damage = (text: string, at: number) => string;

/** Functions that turn JSON into text that is almost JSON. */
const NOT_JSON: readonly Damage[] = [
  (text, at) => text.slice(0, 1 + (at % text.length)),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text, at) => `${text.slice(0, at % text.length)}\u0001${text.slice(at % text.length)}`,
  (text) => text.replace(/\}\s*$/, ',}'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace(/"(\w+)"/, '$1'),
  (text) => `/**/${text}`,
  (text) => text.replace(/:\s*-?[0-9][^,}]*/, ': NaN'),
  (text) => text.replace(/:\s*(-?[0-9])/, ': 0$1'),
  (text) => text.replace(/"\s*:/, String.raw`\x41":`),
  (text) => text.replace('"', `"${HALF}`),
];

/** Valid requests, except that the body is not JSON, repeats a member, or is missing. @param at chooses the damage */
export function damaged(
  wire: Wire,
  at: number,
  isBodyRequired: boolean,
): [kind: string, wire: Wire, number: ErrorNumber][] {
  if (wire.body === undefined) return [];
  const { mediaType, text } = wire.body;
  const withText = (changed: string): Wire => ({ ...wire, body: { mediaType, text: changed } });
  const broken = NOT_JSON[at % NOT_JSON.length]?.(text, at) ?? '';
  const twice = text.replace(/^\{("(?:[^"\\]|\\.)*":)/, '{$1null,$1');
  return [
    ...(isJson(broken) ? [] : [['not JSON', withText(broken), ErrorNumber.bodyNotJson] as const]),
    ...(twice === text ? [] : [['a member twice', withText(twice), ErrorNumber.memberRepeated] as const]),
    ...(isBodyRequired ? [['no body', { ...wire, body: undefined }, ErrorNumber.bodyMissing] as const] : []),
  ].map((each) => [...each]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !text.includes(HALF);
  } catch {
    return text === '';
  }
}
