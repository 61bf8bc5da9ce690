import { isInt64 } from 'trellis-contract/ground';
import { taken } from './values.ts';

// A page of a list ends at a row, whose key values are the place where the next page begins.

/** How the value of each kind is read from its text. */
const READ = {
  text: (text: string) => text,
  int64: (text: string) => BigInt(text),
  timestamp: (text: string) => new Date(text),
};
type CursorKind = keyof typeof READ;
type CursorValue<K extends CursorKind = CursorKind> = ReturnType<(typeof READ)[K]>;

/** Writes values as a text that clients send back unread: letters, digits, `-` and `_`. It is not encrypted. */
export function encodeCursor(...values: readonly CursorValue[]): string {
  const texts = values.map((value) => (typeof value === 'object' ? value.toISOString() : String(value)));
  return Buffer.from(JSON.stringify(texts)).toString('base64url');
}

/**
 * Reads the values of a cursor, of these kinds. Returns undefined for a text that `encodeCursor` does not write, or with a
 * value that no column can have.
 */
export function decodeCursor<const Kinds extends readonly CursorKind[]>(
  cursor: string,
  ...kinds: Kinds
): { readonly [At in keyof Kinds]: CursorValue<Kinds[At]> } | undefined {
  try {
    const texts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const values = kinds.map((kind, at) => READ[kind](String(texts[at])));
    values.forEach(taken);
    const isKept = (value: CursorValue) => (typeof value === 'bigint' ? isInt64(value) : !String(value).includes('\0'));
    // Values have exactly one cursor: any other text that is read as the same values is refused.
    if (encodeCursor(...values) !== cursor || !values.every(isKept)) return undefined;
    return values as { readonly [At in keyof Kinds]: CursorValue<Kinds[At]> };
  } catch {
    return undefined;
  }
}
