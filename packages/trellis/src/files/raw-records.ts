import { isUtf8 } from 'node:buffer';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { notUtf8, tooLarge } from '../contract/request.ts';

/** A record as the file contains it, in one line or, in CSV, several lines. */
export interface RawRecord {
  /** The number of its first line, counted from 1. */
  readonly lineNumber: number;
  readonly text: string;
  /** The reason why the record cannot be read. */
  readonly refusal?: Refusal;
  /** Whether `text` is only the beginning of the record, or an inexact copy. */
  readonly excerpt?: true;
}

/** Finds the end, after the line feed, of the record that begins at `start`; undefined if it lies beyond `limit`. */
export type FindEnd = (bytes: Buffer, start: number, limit: number) => number | undefined;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const EXCERPT_LENGTH = 200;

export const endOfLine: FindEnd = (bytes, start, limit) => {
  const end = bytes.indexOf(LINE_FEED, start) + 1;
  return end > 0 && end <= limit ? end : undefined;
};

/**
 * Splits a stream of bytes into records, and drops blank ones. A record that is too long is cut to an excerpt, to save
 * memory.
 */
export class RecordSplitter {
  private readonly findEnd: FindEnd;
  private readonly maxBytes: number;
  private rest: Buffer = Buffer.alloc(0);
  private lineNumber = 1;
  /** Whether the splitter has passed the place of a byte order mark. */
  private begun = false;
  /** Whether the bytes up to the next line end belong to a line that is too long. */
  private skipping = false;

  constructor(findEnd: FindEnd, maxBytes: number) {
    this.findEnd = findEnd;
    this.maxBytes = maxBytes;
  }

  add(chunk: Buffer): RawRecord[] {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.begun) return this.cut(bytes, false);
    this.rest = bytes;
    if (bytes.length < BYTE_ORDER_MARK.length) return [];
    this.begun = true;
    const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return this.cut(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, false);
  }

  end(): RawRecord[] {
    return this.rest.length === 0 ? [] : this.cut(Buffer.concat([this.rest, Buffer.of(LINE_FEED)]), true);
  }

  private cut(bytes: Buffer, last: boolean): RawRecord[] {
    const records: RawRecord[] = [];
    // One check of all complete lines is faster than one per record.
    const isText = isUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));
    const maxRecordBytes = this.maxBytes + '\r\n'.length;
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
    // A copy, as a view would keep all of `bytes` in memory.
    this.rest = Buffer.from(bytes.subarray(start));
    return records.filter(({ text, refusal }) => refusal !== undefined || text.trim() !== '');
  }

  /** @param end undefined if the line is too long */
  private read(bytes: Buffer, start: number, end: number | undefined, isText: boolean, isClosed: boolean): RawRecord {
    const { lineNumber, maxBytes } = this;
    const textEnd = end && end - (bytes[end - 2] === CARRIAGE_RETURN ? 2 : 1);
    const text = bytes.toString('utf8', start, textEnd ?? start + EXCERPT_LENGTH);
    if (textEnd === undefined || textEnd - start > maxBytes) {
      return { lineNumber, text: text.slice(0, EXCERPT_LENGTH), refusal: tooLarge(maxBytes), excerpt: true };
    }
    if (!isText && !isUtf8(bytes.subarray(start, end))) return { lineNumber, text, refusal: notUtf8(), excerpt: true };
    if (isClosed) return { lineNumber, text };
    const message = `a quoted field is not closed within ${maxBytes} bytes`;
    return { lineNumber, text, refusal: new Refusal(ErrorNumber.bodyNotJson, message) };
  }
}
