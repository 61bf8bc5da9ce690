import { ErrorNumber } from 'trellis-contract/ground';
import type { ContractBody, TextBody } from 'trellis-contract';
import { payloadOf, type Wire } from 'trellis-contract/derivation';

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

type Damaged = readonly [kind: string, wire: Wire, number: ErrorNumber];

/**
 * Valid requests, except that the body is missing, or: JSON is none, or repeats a member; a text or bytes are of another
 * media type, too many, or not UTF-8.
 *
 * @param at chooses the damage
 */
export function damaged(wire: Wire, at: number, { required, types, maxBytes }: ContractBody): Damaged[] {
  if (wire.body === undefined) return [];
  const { mediaType } = wire.body;
  const kind = types.get(mediaType)?.kind;
  const missing: Damaged | false = required && ['no body', { ...wire, body: undefined }, ErrorNumber.bodyMissing];
  const found: readonly (Damaged | false)[] =
    'text' in wire.body && kind === 'json'
      ? [...damagedJson(wire, wire.body, at), missing]
      : [...damagedPlain(wire, mediaType, payloadOf(wire.body), at === 0 ? maxBytes : 0, kind === 'text'), missing];
  return found.filter((each) => each !== false);
}

function damagedJson(wire: Wire, { mediaType, text }: TextBody, at: number): (Damaged | false)[] {
  const withText = (changed: string): Wire => ({ ...wire, body: { mediaType, text: changed } });
  const broken = NOT_JSON[at % NOT_JSON.length]?.(text, at) ?? '';
  const twice = text.replace(/^\{("(?:[^"\\]|\\.)*":)/, '{$1null,$1');
  return [
    !isJson(broken) && ['not JSON', withText(broken), ErrorNumber.bodyNotJson],
    twice !== text && ['a member twice', withText(twice), ErrorNumber.memberRepeated],
  ];
}

function damagedPlain(
  wire: Wire,
  mediaType: string,
  sent: string | Uint8Array,
  maxBytes: number,
  isText: boolean,
): (Damaged | false)[] {
  const withBytes = (value: Uint8Array<ArrayBuffer>, type = mediaType): Wire => ({
    ...wire,
    body: { mediaType: type, value },
  });
  const other = withBytes(Uint8Array.from(Buffer.from(sent)), 'application/x-undeclared');
  return [
    maxBytes > 0 && ['too large', withBytes(new Uint8Array(maxBytes + 1)), ErrorNumber.bodyTooLarge],
    ['another media type', other, ErrorNumber.mediaType],
    isText && ['not UTF-8', withBytes(Uint8Array.of(0xff)), ErrorNumber.bodyNotUtf8],
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !text.includes(HALF);
  } catch {
    return text === '';
  }
}
