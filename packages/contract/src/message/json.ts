import { ErrorNumber, Refusal } from '../refusal.ts';
import type { Position } from '../schema/positions.ts';

export const MAX_JSON_DEPTH = 32;
/** Ajv repeats the names of members in the path of each value: a name of 1 MiB took gigabytes (`verdict.test.ts`). */
const MAX_NAME = 1000;

export type Holder = Record<string, unknown>;

/**
 * The class of objects that inherit nothing: `__proto__` and `constructor` are ordinary members. A constructor makes
 * them, because V8 stores the results of Object.create(null) in its slow dictionary mode.
 */
export const PlainObject = function () {
  // No own members.
} as unknown as new () => Holder;
PlainObject.prototype = Object.create(null) as object;

/**
 * V8 copies a slice of up to 12 characters; a longer slice keeps the whole text in memory. If the text has more than
 * MAX_KEPT characters, the parser copies such slices.
 */
const MAX_KEPT = 512;
const COPIED_BY_V8 = 12;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON (RFC 8259) within the limits of RFC 7493: no lone surrogates (section 2.1), no numbers beyond the doubles
 * (2.2), no repeated members (2.3). `position` says which numbers are bigints. @throws Refusal
 */
export function parseJson(text: string, position: Position | undefined): unknown {
  return new Parser(text).document(position);
}

class Parser {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(position: Position | undefined): unknown {
    const value = this.value(position);
    if (this.token() !== '') this.fail();
    return value;
  }

  /** Skips white space. @returns the character there, '' at the end */
  private token(): string {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return this.text.charAt(this.at);
      this.at++;
    }
  }

  private value(position: Position | undefined): unknown {
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
        return this.number(position);
    }
  }

  private object(position: Position | undefined): Holder {
    this.enter();
    const object = new PlainObject();
    if (this.token() !== '}') this.members(object, position);
    return this.leave(object);
  }

  private members(object: Holder, position: Position | undefined): void {
    for (;;) {
      if (this.token() !== '"') this.fail();
      const start = this.at;
      const name = this.string();
      if (name.length > MAX_NAME)
        refuseJson(`the name of the member at position ${start} is too long: use at most ${MAX_NAME} characters`);
      if (name in object)
        refuseJson(
          `the member ${JSON.stringify(name.slice(0, 100))} appears twice in one object, again at position ${start}`,
          ErrorNumber.memberRepeated,
        );
      if (this.token() !== ':') this.fail();
      this.at++;
      object[name] = this.value(position?.member(name));
      if (this.token() === '}') return;
      if (this.token() !== ',') this.fail();
      this.at++;
    }
  }

  private array(position: Position | undefined): unknown[] {
    this.enter();
    const array: unknown[] = [];
    if (this.token() === ']') return this.leave(array);
    for (;;) {
      array.push(this.value(position?.item(array.length)));
      if (this.token() === ']') return this.leave(array);
      if (this.token() !== ',') this.fail();
      this.at++;
    }
  }

  private enter(): void {
    if (++this.depth > MAX_JSON_DEPTH) refuseJson(`body is nested too deeply: use at most ${MAX_JSON_DEPTH} levels`);
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
      // At the end of the text the code is NaN.
      if (!(code >= SPACE)) this.fail(at);
    }
  }

  /** Finds the end of a string with escapes; JSON.parse decodes it. */
  private escaped(open: number, first: number): string {
    let at = first;
    for (let code = BACKSLASH; code !== QUOTE; code = this.text.charCodeAt(at)) {
      if (!(code >= SPACE)) this.fail(at);
      at += code === BACKSLASH ? 2 : 1;
    }
    this.at = at + 1;
    let string: string;
    try {
      string = JSON.parse(this.text.slice(open, at + 1)) as string;
    } catch {
      refuseJson(`body is not JSON: the string at position ${open} has an invalid escape`);
    }
    return string.isWellFormed() ? string : refuseJson(`body has a lone surrogate in the string at position ${open}`);
  }

  private number(position: Position | undefined): number | bigint {
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.fail();
    const start = this.at;
    const literal = this.text.slice(start, NUMBER.lastIndex);
    this.at = NUMBER.lastIndex;
    const number = position === undefined ? Number(literal) : position.number(literal);
    if (number === undefined)
      refuseJson(
        `body has an integer at position ${start} whose digits a double would not keep, and the contract gives it no type: ` +
          'send it as a string',
        ErrorNumber.contractBroken,
      );
    if (typeof number === 'bigint' || Number.isFinite(number)) return number;
    return refuseJson(`body has a number beyond the range of a double at position ${start}`);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private fail(at = this.at): never {
    // The search for the end of an escaped string may go beyond the text.
    const offset = Math.min(at, this.text.length);
    const code = this.text.codePointAt(offset);
    const found = code === undefined ? 'end of the text' : JSON.stringify(String.fromCodePoint(code));
    refuseJson(`body is not JSON: unexpected ${found} at position ${offset}`);
  }
}

function refuseJson(what: string, number: ErrorNumber = ErrorNumber.bodyNotJson): never {
  throw new Refusal(number, what);
}
