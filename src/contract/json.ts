import { ErrorNumber, Refusal } from './errors.ts';
import { type Holder, int64, type Rounded } from './int64.ts';
import type { Position } from './positions.ts';

/** How deep objects and arrays may nest. */
export const MAX_DEPTH = 32;

/**
 * An object whose chain of prototypes is empty: `__proto__` and `constructor` are members like any other. Made by a
 * constructor, as V8 keeps the objects of Object.create(null) in its slow form.
 */
const PlainObject = function () {
  // No members of its own.
} as unknown as new () => Holder;
PlainObject.prototype = Object.create(null) as object;

/**
 * V8 keeps the whole text for as long as a part of it is kept, unless the part is shorter than 13 characters. A text up
 * to so many characters is worth no copies of its strings.
 */
const MAX_KEPT = 512;
const COPIED_BY_V8 = 12;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c];

/**
 * Parses strict JSON (RFC 8259) in which no object repeats a member (RFC 7493, section 2.3) into `holder[key]`.
 * Where `position` says int64, the value holds the double that stands for the number (int64.ts), and the exact values
 * are returned, for `putExact` to put in their places after validation.
 *
 * @throws Refusal `bodyNotJson`, `memberRepeated`
 */
export function parseJson<Key extends string>(
  text: string,
  position: Position | undefined,
  holder: Record<Key, unknown>,
  key: Key,
): Rounded[] {
  const parser = new Parser(text);
  parser.document(position, holder, key);
  return parser.rounded;
}

class Parser {
  readonly rounded: Rounded[] = [];
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(position: Position | undefined, holder: Holder, key: string): void {
    holder[key] = this.value(position, holder, key);
    if (this.token() !== '') this.fail();
  }

  /** The next character that is not white space, '' at the end. */
  private token(): string {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return this.text.charAt(this.at);
      this.at++;
    }
  }

  private value(position: Position | undefined, holder: Holder, key: string | number): unknown {
    switch (this.token()) {
      case '"':
        return this.string();
      case '{':
        return this.object(position);
      case '[':
        return this.array(position);
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number(position, holder, key);
    }
  }

  private object(position: Position | undefined): Holder {
    this.enter();
    const object = new PlainObject();
    if (this.token() === '}') return this.leave(object);
    for (;;) {
      if (this.token() !== '"') this.fail();
      const start = this.at;
      const name = this.string();
      if (name in object) {
        throw new Refusal(
          ErrorNumber.memberRepeated,
          `the member ${JSON.stringify(name.slice(0, 100))} appears twice in one object, again at position ${start}`,
        );
      }
      if (this.token() !== ':') this.fail();
      this.at++;
      object[name] = this.value(position?.member(name), object, name);
      if (this.token() === '}') return this.leave(object);
      if (this.token() !== ',') this.fail();
      this.at++;
    }
  }

  private array(position: Position | undefined): unknown[] {
    this.enter();
    const array: unknown[] = [];
    if (this.token() === ']') return this.leave(array);
    for (;;) {
      // An array is a holder of its items, by index.
      array.push(this.value(position?.items(), array as unknown as Holder, array.length));
      if (this.token() === ']') return this.leave(array);
      if (this.token() !== ',') this.fail();
      this.at++;
    }
  }

  private enter(): void {
    if (++this.depth > MAX_DEPTH) {
      throw new Refusal(ErrorNumber.bodyNotJson, `body is nested more than ${MAX_DEPTH} levels deep`);
    }
    this.at++;
  }

  private leave<T>(value: T): T {
    this.depth--;
    this.at++;
    return value;
  }

  private string(): string {
    const open = this.at;
    for (let at = open + 1; ; at++) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        if (this.text.length <= MAX_KEPT || at - open - 1 <= COPIED_BY_V8) return this.text.slice(open + 1, at);
        return JSON.parse(this.text.slice(open, at + 1)) as string;
      }
      if (code === BACKSLASH) return this.escaped(open, at);
      // Also where the text ends: its code is NaN.
      if (!(code >= SPACE)) this.fail(at);
    }
  }

  /** A string with escapes: its end is found here, its meaning by JSON.parse. */
  private escaped(open: number, first: number): string {
    let at = first;
    for (let code = BACKSLASH; code !== QUOTE; code = this.text.charCodeAt(at)) {
      if (!(code >= SPACE)) this.fail(at);
      at += code === BACKSLASH ? 2 : 1;
    }
    this.at = at + 1;
    try {
      return JSON.parse(this.text.slice(open, at + 1)) as string;
    } catch {
      throw new Refusal(
        ErrorNumber.bodyNotJson,
        `body is not JSON: the string at position ${open} holds an escape that JSON does not have`,
      );
    }
  }

  private number(position: Position | undefined, holder: Holder, key: string | number): number {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.fail();
    const literal = this.text.slice(this.at, NUMBER.lastIndex);
    this.at = NUMBER.lastIndex;
    if (position?.int64 !== true) return Number(literal);
    const exact = int64(literal);
    // A number that is no int64 keeps its double: another branch of the schema may take it.
    this.rounded.push({ holder, key, value: typeof exact === 'bigint' ? exact : Number(literal) });
    return Number(exact);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private fail(at = this.at): never {
    // An escaped string that never ends was searched past the end.
    const offset = Math.min(at, this.text.length);
    const found =
      offset < this.text.length ? JSON.stringify(String.fromCodePoint(this.text.codePointAt(offset) ?? 0)) : '';
    throw new Refusal(
      ErrorNumber.bodyNotJson,
      `body is not JSON: unexpected ${found === '' ? 'end of the text' : found} at position ${offset}`,
    );
  }
}
