import { parse } from 'csv-parse/sync';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { exactJson } from '../contract/int64.ts';
import type { Row } from '../storage/store.ts';
import type { Columns, Kind } from '../storage/tables.ts';
import { endOfLine, type FindEnd } from './raw-records.ts';

// CSV by RFC 4180, in UTF-8, with LF at the end of a line. A missing value is an empty field, the empty text is "".

type Fields = readonly (string | undefined)[];

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Fields that are JSON already, by the kind of their column. All other fields are strings. */
const LITERAL_OF: Readonly<Partial<Record<Kind, RegExp>>> = {
  int64: NUMBER,
  int32: NUMBER,
  number: NUMBER,
  boolean: /^(true|false)$/,
  json: /^[[{]/,
};
const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

const OPTIONS = {
  record_delimiter: '\n',
  relax_column_count: true,
  cast: (value: string, { quoting }: { quoting: boolean }) => (value === '' && !quoting ? undefined : value),
};

const [LINE_FEED, CARRIAGE_RETURN, QUOTE, COMMA] = Buffer.from('\n\r",');

/** Finds the end of the line in which the record ends. A quoted field may contain line ends. */
export const endOfRecord: FindEnd = (bytes, start, limit) => {
  let begins = true;
  for (let at = start; at < limit; at++) {
    const byte = bytes[at];
    if (byte === LINE_FEED) return at + 1;
    if (byte === QUOTE && begins) {
      // A doubled quote does not close the field.
      do at = bytes.indexOf('"', at + 1) + 1;
      while (at > 0 && bytes[at] === QUOTE);
      if (at === 0 || at >= limit) return undefined;
      // Text after the closing quote: the opening quote was a mistake. Only this line is rejected.
      if (![COMMA, LINE_FEED, CARRIAGE_RETURN].includes(bytes[at])) return endOfLine(bytes, start, limit);
      at--;
    }
    begins = byte === COMMA;
  }
  return undefined;
};

/** Parses all records at once. If that fails, halves them again and again to isolate the broken ones. */
export function parseRecords(texts: readonly string[]): (Fields | Refusal)[] {
  if (texts.length === 0) return [];
  try {
    // The fields have the type that `cast` of OPTIONS returns.
    const records: unknown = parse(texts.join('\n'), OPTIONS);
    const parsed = records as Fields[];
    if (parsed.length === texts.length) return parsed;
    if (texts.length === 1) throw new Error('it contains a second record');
  } catch (error) {
    if (texts.length === 1) {
      const reason = Error.isError(error) ? error.message.replace(/ at line 1\b/, '') : String(error);
      return [new Refusal(ErrorNumber.bodyNotJson, `the record is not CSV: ${reason}`)];
    }
  }
  const middle = Math.ceil(texts.length / 2);
  return [...parseRecords(texts.slice(0, middle)), ...parseRecords(texts.slice(middle))];
}

/**
 * Checks the columns against the contract, by a body in which each column is null. Of the faults, only "is required"
 * and "is not allowed" (contract/faults.ts) are about the columns; the others are about the nulls.
 *
 * @param read validates a body
 * @throws Error that names the faults of the header
 */
export function checkHeader(header: Fields, read: (text: string) => unknown): readonly string[] {
  const names = header.map((name = '') => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`the column ${JSON.stringify(repeated)} is repeated`);
  try {
    read(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const faults = error.message.split('; ').filter((fault) => / is (required|not allowed)$/.test(fault));
    if (faults.length > 0) throw new Error(faults.join('; ').replaceAll('body.', 'the column '), { cause: error });
  }
  return names;
}

/** The columns of a table as those of a file. */
export class CsvColumns {
  /** The first line of a file. */
  readonly header: string;
  private readonly names: readonly string[];
  private readonly literals: ReadonlyMap<string, RegExp | undefined>;

  constructor(columns: Columns) {
    this.names = Object.keys(columns);
    this.header = `${this.names.join()}\n`;
    this.literals = new Map(Object.entries(columns).map(([name, { kind }]) => [name, LITERAL_OF[kind]]));
  }

  readonly write = (row: Row): string => `${this.names.map((name) => toField(row[name])).join()}\n`;

  /** Writes a record as the body of a request, which the contract then validates. Numbers keep their digits. */
  toBody(fields: Fields, header: readonly string[]): string | Refusal {
    if (fields.length !== header.length) {
      const message = `the record has ${fields.length} fields, but the header has ${header.length}`;
      return new Refusal(ErrorNumber.contractBroken, message);
    }
    const members = header.flatMap((name, index) => {
      const field = fields[index];
      if (field === undefined) return [];
      const isLiteral = this.literals.get(name)?.test(field) === true;
      return [`${JSON.stringify(name)}:${isLiteral ? field : JSON.stringify(field)}`];
    });
    return `{${members.join()}}`;
  }
}

function toField(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : exactJson(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
