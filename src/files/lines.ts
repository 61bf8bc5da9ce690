import { isUtf8 } from 'node:buffer';
import { MAX_BODY_BYTES, notUtf8, tooLarge } from '../contract/request.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** A record as it stands in a file: a line, or several where a format lets a record go on. */
export interface Line {
  /** Where it begins, counted from 1. */
  readonly number: number;
  /** Without the end of the line. */
  readonly text: string;
  /** Why it cannot be read at all. */
  readonly refusal?: Refusal;
  /** The text is not all of it, or not as it stands: nothing may be stored from it. */
  readonly excerpt?: true;
}

/** Where the record that begins at `start` ends: behind its line feed; undefined: not in this text. */
export type FindEnd = (text: string, start: number) => number | undefined;

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** How much is told of a record that is too large. */
const EXCERPT = 200;

/** The end of a line, whatever it holds. */
export const endOfLine: FindEnd = (text, start) => text.indexOf('\n', start) + 1 || undefined;

/**
 * Cuts bytes into records, portion by portion as they come, without those that are blank. What is longer than a body may
 * be is not kept: whatever is in a file, this takes little memory.
 */
export class Lines {
  private readonly findEnd: FindEnd;
  /** What has come of a record that is not complete. */
  private rest: Buffer = Buffer.alloc(0);
  private number = 1;
  private begun = false;
  /** Whether what comes belongs to a line that is too long, up to its end. */
  private skipping = false;

  constructor(findEnd: FindEnd) {
    this.findEnd = findEnd;
  }

  /** The records that are complete with these bytes. */
  add(chunk: Buffer): Line[] {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (!this.begun && bytes.length < BYTE_ORDER_MARK.length) {
      this.rest = bytes;
      return [];
    }
    return this.take(this.withoutMark(bytes), false);
  }

  /** What is left when no more bytes come: the last record need not end its line. */
  end(): Line[] {
    const bytes = this.withoutMark(this.rest);
    return bytes.length === 0 ? [] : this.take(Buffer.concat([bytes, Buffer.of(LINE_FEED)]), true);
  }

  private withoutMark(bytes: Buffer): Buffer {
    const marked = !this.begun && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.begun = true;
    return marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  }

  private take(bytes: Buffer, last: boolean): Line[] {
    const lines: Line[] = [];
    let start = 0;
    if (this.skipping) {
      start = bytes.indexOf(LINE_FEED) + 1;
      if (start === 0) return lines;
      this.skipping = false;
      this.number++;
    }
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const complete = last || bytes.length - end > MAX_BODY_BYTES;
    // A line feed is never a part of another character: what ends with one can be read by itself.
    if (end > start) start += this.cut(bytes.subarray(start, end), complete, lines);
    this.keep(bytes.subarray(start), lines);
    return lines;
  }

  /**
   * Cuts whole lines into records.
   *
   * @param complete whether no record can go on beyond them
   * @returns how many bytes it has used
   */
  private cut(bytes: Buffer, complete: boolean, lines: Line[]): number {
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    let start = 0;
    while (start < text.length) {
      let end = this.findEnd(text, start);
      if (end === undefined) {
        const rest = Buffer.from(text.slice(start), encoding);
        if (!complete && rest.length <= MAX_BODY_BYTES) return bytes.length - rest.length;
        // That costs this line, and no other.
        end = endOfLine(text, start) ?? text.length;
        lines.push({ number: this.number, text: withoutEnd(text.slice(start, end)), refusal: notClosed() });
      } else this.push(text.slice(start, end), encoding, lines);
      this.number += count(text, start, end);
      start = end;
    }
    return bytes.length;
  }

  private push(raw: string, encoding: 'utf8' | 'latin1', lines: Line[]): void {
    const text = withoutEnd(raw);
    let line: Line;
    if (encoding === 'utf8') line = limited(this.number, text);
    else {
      const bytes = Buffer.from(text, 'latin1');
      line = limited(this.number, bytes.toString('utf8'));
      if (!isUtf8(bytes)) line = { ...line, refusal: notUtf8(), excerpt: true };
    }
    if (line.text.trim() !== '') lines.push(line);
  }

  private keep(rest: Buffer, lines: Line[]): void {
    if (rest.length <= MAX_BODY_BYTES || rest.includes(LINE_FEED)) {
      // A copy: what was read may be large.
      this.rest = Buffer.from(rest);
      return;
    }
    lines.push({ number: this.number, text: rest.toString('utf8', 0, EXCERPT), refusal: tooLarge(), excerpt: true });
    this.rest = Buffer.alloc(0);
    this.skipping = true;
  }
}

function limited(number: number, text: string): Line {
  // A unit takes three bytes at most.
  if (3 * text.length <= MAX_BODY_BYTES || Buffer.byteLength(text) <= MAX_BODY_BYTES) return { number, text };
  return { number, text: text.slice(0, EXCERPT), refusal: tooLarge(), excerpt: true };
}

function notClosed(): Refusal {
  const message = `a quote is opened that is not closed within ${MAX_BODY_BYTES} bytes`;
  return new Refusal(ErrorNumber.bodyNotJson, message);
}

function withoutEnd(text: string): string {
  return text.slice(0, text.endsWith('\r\n') ? -2 : -1);
}

/** How many lines end between two places. */
function count(text: string, start: number, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n', start); at < end - 1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
