import { spend } from './budget.ts';

// The syntax of a regular expression with the flag `u` (ECMA-262, section 22.2.1), in one pass without recursion. V8 itself
// would take seconds of processor, or gigabytes, for 64 KiB such as `[\p{L}\p{L}…` or `(?i:[\W\W…`.

const MAX_CODE_POINT = 0x10ffff;
/** V8 has no more. */
const MAX_CAPTURES = 32_767;
/** V8 takes a larger bound of a quantifier for no bound. */
const MAX_COUNT = 2 ** 31 - 1;

const MODIFIERS = /([ims]*)(?:-([ims]*))?:/y;
const LOOK = /\?<?[=!]/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;
const PROPERTY = /[pP]\{(\w+(?:=\w+)?)\}/y;
const CODE_POINT = /u(?:\{([\dA-Fa-f]+)\}|([\dA-Fa-f]{4}))/y;
const TRAIL = /\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/y;
/** Escapes that stand for one character: the text after the backslash, without `u`. */
const CHARACTER = /[fnrtv^$\\.*+?()[\]{}|/]|c[A-Za-z]|0(?!\d)|x[\dA-Fa-f]{2}/y;
const REFERENCE = /[1-9]\d*/y;
const START = /[$_\p{ID_Start}]/u;
const PART = /[$\u200c\u200d\p{ID_Continue}]/u;
const CONTROLS: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** In place of a character: what is read is a set of them. */
const SET = -1;

/** An open group: its beginning, that of its present alternative, and whether it is a lookahead or a lookbehind. */
interface Open {
  readonly at: number;
  alternative: number;
  readonly isLook: boolean;
}

/** Valid names of properties: Unicode has some two thousand, so that clients cannot make this grow without end. */
const properties = new Set<string>();
/** The work to ask V8 for a property. */
const ASKING = 500;

export function isRegExp(text: string): boolean {
  return new Reader(text).isPattern();
}

class Reader {
  private readonly text: string;
  private at = 0;
  private captures = 0;
  private highest = 0;
  /** The groups around this place, after the whole text. */
  private readonly open: Open[] = [{ at: -1, alternative: -1, isLook: false }];
  /** Where the last group of each name stands. */
  private readonly names = new Map<string, number>();
  private readonly referred = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  isPattern(): boolean {
    while (this.at < this.text.length) if (!this.term()) return false;
    return (
      this.open.length === 1 &&
      this.captures <= MAX_CAPTURES &&
      this.highest <= this.captures &&
      this.referred.isSubsetOf(this.names)
    );
  }

  private term(): boolean {
    const innermost = this.open.at(-1);
    switch (this.next()) {
      case '^':
      case '$':
        return true;
      case '|':
        if (innermost !== undefined) innermost.alternative = this.at;
        return true;
      case '(':
        return this.group();
      case ')':
        this.open.pop();
        // With the flag `u`, nothing repeats a look around.
        return this.open.length > 0 && (innermost?.isLook === true || this.quantifier());
      case '[':
        return this.characterClass() && this.quantifier();
      case '\\':
        if (this.takes('bB')) return true;
        return this.escape() && this.quantifier();
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        return false;
      default:
        return this.quantifier();
    }
  }

  private group(): boolean {
    const at = this.at;
    const isLook = this.found(LOOK) !== null;
    if (!isLook && !this.takes('?')) this.captures++;
    else if (!isLook && !this.takes(':') && !this.modifiers()) {
      const name = this.name();
      if (name === undefined || this.conflicts(name)) return false;
      this.names.set(name, at);
      this.captures++;
    }
    this.open.push({ at, alternative: at, isLook });
    return true;
  }

  /** Whether a match could have both this group and an earlier one of the same name. */
  private conflicts(name: string): boolean {
    const before = this.names.get(name);
    if (before === undefined) return false;
    // The innermost group around both: a search by halves, as groups may nest thousands of times.
    let [low, high] = [0, this.open.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.open[middle]?.at ?? 0) < before) low = middle;
      else high = middle - 1;
    }
    return (this.open[low]?.alternative ?? 0) <= before;
  }

  /** The flags of a group, such as `i-m:` after the question mark. */
  private modifiers(): boolean {
    const [all, on = '', off = ''] = this.found(MODIFIERS) ?? [];
    if (all === undefined) return false;
    const flags = on + off;
    if (flags !== '' && new Set(flags).size === flags.length) return true;
    this.at -= all.length;
    return false;
  }

  private quantifier(): boolean {
    const [, least, most] = this.found(QUANTIFIER) ?? [];
    const count = (digits: string) => Math.min(Number(digits), MAX_COUNT);
    return least === undefined || most === undefined || most === '' || count(least) <= count(most);
  }

  /** What follows a backslash outside a class. */
  private escape(): boolean {
    const [digits] = this.found(REFERENCE) ?? [];
    if (digits !== undefined) {
      this.highest = Math.max(this.highest, Number(digits));
      return true;
    }
    if (this.takes('k')) {
      const name = this.name();
      if (name !== undefined) this.referred.add(name);
      return name !== undefined;
    }
    return (this.set() ?? this.escaped()) !== undefined;
  }

  /** An escape that stands for several characters; undefined: it is none. */
  private set(): typeof SET | undefined {
    if (this.takes('dDsSwW')) return SET;
    const [all = '', property] = this.found(PROPERTY) ?? [];
    if (property === undefined) return undefined;
    if (isProperty(property)) return SET;
    this.at -= all.length;
    return undefined;
  }

  /** @returns the character that the escape stands for; undefined: it stands for none */
  private escaped(): number | undefined {
    const [, braced, plain] = this.found(CODE_POINT) ?? [];
    if (braced !== undefined) {
      const codePoint = parseInt(braced, 16);
      return codePoint <= MAX_CODE_POINT ? codePoint : undefined;
    }
    if (plain !== undefined) {
      const lead = parseInt(plain, 16);
      const [, trail] = lead >= 0xd800 && lead < 0xdc00 ? (this.found(TRAIL) ?? []) : [];
      return trail === undefined ? lead : String.fromCharCode(lead, parseInt(trail, 16)).codePointAt(0);
    }
    const [found] = this.found(CHARACTER) ?? [];
    if (found === undefined) return undefined;
    if (found === '0') return 0;
    if (found.startsWith('x')) return parseInt(found.slice(1), 16);
    if (found.startsWith('c')) return found.charCodeAt(1) % 32;
    return (CONTROLS[found] ?? found).codePointAt(0);
  }

  private characterClass(): boolean {
    this.takes('^');
    while (!this.takes(']')) {
      if (this.at >= this.text.length) return false;
      const from = this.classAtom();
      if (from === undefined) return false;
      if (this.text[this.at + 1] === ']' || !this.takes('-')) continue;
      const to = this.at < this.text.length ? this.classAtom() : undefined;
      // A set such as `\d` has no place in a range.
      if (to === undefined || from === SET || to === SET || from > to) return false;
    }
    return true;
  }

  private classAtom(): number | undefined {
    const character = this.next();
    if (character !== '\\') return character.codePointAt(0);
    if (this.takes('b')) return 8;
    return this.takes('-') ? 45 : (this.set() ?? this.escaped());
  }

  /** The name of a group, in angle brackets. */
  private name(): string | undefined {
    if (!this.takes('<')) return undefined;
    let name = '';
    while (!this.takes('>')) {
      const character = this.next();
      const codePoint =
        character === '\\' ? (this.text[this.at] === 'u' ? this.escaped() : undefined) : character.codePointAt(0);
      if (codePoint === undefined) return undefined;
      const letter = String.fromCodePoint(codePoint);
      if (!(name === '' ? START : PART).test(letter)) return undefined;
      name += letter;
    }
    return name === '' ? undefined : name;
  }

  /** The next character; '' at the end. */
  private next(): string {
    const codePoint = this.text.codePointAt(this.at);
    if (codePoint === undefined) return '';
    const character = String.fromCodePoint(codePoint);
    this.at += character.length;
    return character;
  }

  /** Reads one of these characters, if it is the next one. */
  private takes(characters: string): boolean {
    const is = this.at < this.text.length && characters.includes(this.text.charAt(this.at));
    if (is) this.at++;
    return is;
  }

  private found(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }
}

function isProperty(name: string): boolean {
  if (properties.has(name)) return true;
  spend(ASKING);
  try {
    new RegExp(`\\p{${name}}`, 'u');
  } catch {
    return false;
  }
  properties.add(name);
  return true;
}
