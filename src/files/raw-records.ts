import { isUtf8 } from 'node:buffer';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { notUtf8, tooLarge } from '../contract/request.ts';

/** A record as it stands in a file: a line, or several where a format lets a record go on. */
export interface RawRecord {
  /** Of the line at which it begins, counted from 1. */
  readonly lineNumber: number;
  /** Without the end of the line. */
  readonly text: string;
  /** Why it cannot be read at all. */
  readonly refusal?: Refusal;
  /** The text is not all of it, or not as it stands: nothing may be stored from it. */
  readonly excerpt?: true;
}

/** Where the record that begins at `start` ends, behind its line feed; undefined: not in these bytes, up to `limit`. */
export type FindEnd = (bytes: Buffer, start: number, limit: number) => number | undefined;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** How many characters a reject shows of a record that is too large. */
const EXCERPT_LENGTH = 200;

/** The end of the line, also where it holds a quote. */
export const endOfLine: FindEnd = (bytes, start, limit) => {
  const end = bytes.indexOf(LINE_FEED, start) + 1;
  return end > 0 && end <= limit ? end : undefined;
};

/**
 * Cuts bytes into records, portion by portion as they come, without those that are blank. A record that is longer than
 * a body may be is not kept, so that any file takes little memory.
 */
export class RecordSplitter {
  private readonly findEnd: FindEnd;
  private readonly maxBytes: number;
  /** What has come of a record that is not complete. */
  private rest: Buffer = Buffer.alloc(0);
  private lineNumber = 1;
  /** Whether enough has come to tell whether the file begins with a byte order mark. */
  private begun = false;
  /** Whether what comes belongs to a line that is too long, up to its end. */
  private skipping = false;

  /** @param maxBytes the most that a body may have */
  constructor(findEnd: FindEnd, maxBytes: number) {
    this.findEnd = findEnd;
    this.maxBytes = maxBytes;
  }

  /** The records that are complete with these bytes. */
  add(chunk: Buffer): RawRecord[] {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.begun) return this.cut(bytes, false);
    this.rest = bytes;
    if (bytes.length < BYTE_ORDER_MARK.length) return [];
    this.begun = true;
    const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return this.cut(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, false);
  }

  /** The record that is left when no more bytes come: it need not end its line. */
  end(): RawRecord[] {
    return this.rest.length === 0 ? [] : this.cut(Buffer.concat([this.rest, Buffer.of(LINE_FEED)]), true);
  }

  private cut(bytes: Buffer, last: boolean): RawRecord[] {
    const records: RawRecord[] = [];
    // All at once, which is faster. A line feed is never a part of another character.
    const isText = isUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));
    // With the end of its line.
    const maxRecordBytes = this.maxBytes + 2;
    let start = 0;
    while (start < bytes.length) {
      const limit = Math.min(start + maxRecordBytes, bytes.length);
      const found = this.skipping ? undefined : this.findEnd(bytes, start, limit);
      if (found === undefined && !this.skipping && !last && limit - start < maxRecordBytes) break;
      const end = found ?? endOfLine(bytes, start, limit);
      if (!this.skipping) records.push(this.read(bytes, start, end, isText, found !== undefined));
      this.skipping = end === undefined;
      for (let at = start; at < (end ?? 0); at = bytes.indexOf(LINE_FEED, at) + 1) this.lineNumber++;
      start = end ?? limit;
    }
    // A copy: what was read may be large.
    this.rest = Buffer.from(bytes.subarray(start));
    return records.filter(({ text, refusal }) => refusal !== undefined || text.trim() !== '');
  }

  /**
   * @param end undefined: its line is too long
   * @param isClosed whether all its quotes are closed; if false, the whole line is rejected
   */
  private read(bytes: Buffer, start: number, end: number | undefined, isText: boolean, isClosed: boolean): RawRecord {
    const { lineNumber, maxBytes } = this;
    // Behind its last byte, without the end of the line.
    const textEnd = end && end - (bytes[end - 2] === CARRIAGE_RETURN ? 2 : 1);
    const text = bytes.toString('utf8', start, textEnd ?? start + EXCERPT_LENGTH);
    if (textEnd === undefined || textEnd - start > maxBytes) {
      return { lineNumber, text: text.slice(0, EXCERPT_LENGTH), refusal: tooLarge(maxBytes), excerpt: true };
    }
    if (!isText && !isUtf8(bytes.subarray(start, end))) return { lineNumber, text, refusal: notUtf8(), excerpt: true };
    if (isClosed) return { lineNumber, text };
    const message = `a quote is opened that is not closed within ${maxBytes} bytes`;
    return { lineNumber, text, refusal: new Refusal(ErrorNumber.bodyNotJson, message) };
  }
}
