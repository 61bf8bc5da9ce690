import { isUtf8 } from 'node:buffer';
import { ErrorNumber, Refusal } from 'trellis-contract/ground';
import { notUtf8, tooLarge } from 'trellis-contract';

/** A record as the file contains it, in one line or, in CSV, several lines. */
export interface RawRecord {
  /** The number of its first line, counted from 1. */
  readonly lineNumber: number;
  readonly text: string;
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
export function recordSplitter(findEnd: FindEnd, maxBytes: number) {
  let rest: Buffer = Buffer.alloc(0);
  let lineNumber = 1;
  /** Whether the first bytes, which may be a byte order mark, were read. */
  let begun = false;
  /** Whether the bytes up to the next line end belong to a line that is too long. */
  let skipping = false;
  return {
    add(chunk: Buffer): RawRecord[] {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (begun) return cut(bytes, false);
      rest = bytes;
      if (bytes.length < BYTE_ORDER_MARK.length) return [];
      begun = true;
      const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      return cut(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, false);
    },
    end: (): RawRecord[] => (rest.length === 0 ? [] : cut(Buffer.concat([rest, Buffer.of(LINE_FEED)]), true)),
  };

  function cut(bytes: Buffer, last: boolean): RawRecord[] {
    const records: RawRecord[] = [];
    // One check of all complete lines is faster than one per record.
    const isText = isUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));
    const maxRecordBytes = maxBytes + '\r\n'.length;
    let start = 0;
    while (start < bytes.length) {
      const limit = Math.min(start + maxRecordBytes, bytes.length);
      const found = skipping ? undefined : findEnd(bytes, start, limit);
      if (found === undefined && !skipping && !last && limit - start < maxRecordBytes) break;
      const end = found ?? endOfLine(bytes, start, limit);
      if (!skipping) records.push(read(bytes, start, end, isText, found !== undefined));
      skipping = end === undefined;
      for (let at = start; at < (end ?? 0); at = bytes.indexOf(LINE_FEED, at) + 1) lineNumber++;
      start = end ?? limit;
    }
    // A copy, as a view would keep all of `bytes` in memory.
    rest = Buffer.from(bytes.subarray(start));
    return records.filter(({ text, refusal }) => refusal !== undefined || text.trim() !== '');
  }

  /** @param end undefined if the line is too long */
  function read(bytes: Buffer, start: number, end: number | undefined, isText: boolean, isClosed: boolean): RawRecord {
    const textEnd = end && end - (bytes[end - 2] === CARRIAGE_RETURN ? 2 : 1);
    const text = bytes.toString('utf8', start, textEnd ?? start + EXCERPT_LENGTH);
    if (textEnd === undefined || textEnd - start > maxBytes)
      return { lineNumber, text: text.slice(0, EXCERPT_LENGTH), refusal: tooLarge(maxBytes), excerpt: true };
    if (!isText && !isUtf8(bytes.subarray(start, end))) return { lineNumber, text, refusal: notUtf8(), excerpt: true };
    if (isClosed) return { lineNumber, text };
    const message = `a quoted field is not closed within ${maxBytes} bytes`;
    return { lineNumber, text, refusal: new Refusal(ErrorNumber.bodyNotJson, message) };
  }
}
