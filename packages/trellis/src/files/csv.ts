import { parse } from 'csv-parse/sync';
import { ErrorNumber, exactJson, messageOf, Refusal } from 'trellis-contract/ground';
import {
  ContractBroken,
  type ContractOperation,
  type Holder,
  inWords,
  isOfName,
  parseJson,
  PlainObject,
  type Position,
  readRecord,
  readScalar,
} from 'trellis-contract';
import type { AnyRow } from '../storage/engine.ts';
import { endOfLine, type FindEnd } from './raw-records.ts';

// CSV by RFC 4180, in UTF-8, with LF at the end of a line. A missing value is an empty field, the empty text is "".

type Fields = readonly (string | undefined)[];

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
      // eslint-disable-next-line no-restricted-syntax -- told without the line, which is not that of the file
      const reason = messageOf(error).replace(/ at line 1\b/, '');
      return [new Refusal(ErrorNumber.bodyNotJson, `the record is not CSV: ${reason}`)];
    }
  }
  const middle = Math.ceil(texts.length / 2);
  return [...parseRecords(texts.slice(0, middle)), ...parseRecords(texts.slice(middle))];
}

/**
 * Checks the columns against the contract, by a body in which each column is null. Only faults of names count: the
 * others are faults of the nulls.
 *
 * @throws Error that names the faults of the header
 */
export function checkHeader(header: Fields, operation: ContractOperation): readonly string[] {
  const names = header.map((name = '') => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`the column ${JSON.stringify(repeated)} is repeated`);
  const [content] = operation.body?.types.values() ?? [];
  const unknown = names.find((name) => content?.outline?.keeps(name) === false);
  if (unknown !== undefined)
    throw new Error(`the body of ${operation.id} does not declare the column ${JSON.stringify(unknown)}`);
  try {
    readRecord(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))), operation);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const faults = error instanceof ContractBroken ? error.found.filter(isOfName) : [];
    if (faults.length > 0) throw new Error(inWords(faults).replaceAll('body.', 'the column '), { cause: error });
  }
  return names;
}

/**
 * Records as lines of CSV, by the members of a body.
 *
 * @param nulls the members that an empty field makes null; an empty field of any other leaves the member out
 */
export function csvOf(body: Position, nulls: ReadonlySet<string>) {
  return {
    header: (names: readonly string[]) => `${names.map(quoted).join()}\n`,
    write: (row: AnyRow, names: readonly string[]) =>
      `${names.map((name) => toField(row[name], body.member(name))).join()}\n`,
    /** Reads the fields of a record as the body of a request, which the contract then validates. @throws Refusal */
    read(fields: Fields, header: readonly string[]): Holder {
      if (fields.length !== header.length) {
        const message = `the record has ${fields.length} fields, but the header has ${header.length}`;
        throw new Refusal(ErrorNumber.contractBroken, message);
      }
      const members = new PlainObject();
      for (const [index, name] of header.entries()) {
        const field = fields[index];
        if (field !== undefined) members[name] = readMember(field, name, body.member(name));
        else if (nulls.has(name)) members[name] = null;
      }
      return members;
    },
  };
}

/** Reads a cell, also as a spreadsheet writes it. @throws Refusal of what a spreadsheet has rounded */
function readMember(field: string, name: string, position: Position): unknown {
  const { types, int64 } = position;
  if (!types.has('string')) {
    if (types.has('boolean') && (field === 'TRUE' || field === 'FALSE')) return field === 'TRUE';
    if (int64 && !types.has('number') && SHORTENED.test(field)) {
      const path = `/body/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const message = `must be written in digits: ${field.slice(0, 100)} has an exponent, by which a spreadsheet drops digits; save the column as text`;
      throw new ContractBroken([{ path, message }]);
    }
  }
  return readCell(field, position);
}
const SHORTENED = /^[-+]?\d+([.,]\d*)?e[-+]?\d+$/i;

/** Reads a cell as a parameter is read, or as JSON where only JSON can express the value. */
function readCell(text: string, position: Position): unknown {
  if (isJson(text, position.types)) {
    try {
      return parseJson(text, position);
    } catch (error) {
      // A cell that is not JSON is a text, which the validator judges.
      if (!(error instanceof Refusal) || error.number === ErrorNumber.contractBroken) throw error;
    }
  }
  return readScalar(text, position);
}

/** A string is JSON only where the text alone could be another type. */
function isJson(text: string, types: ReadonlySet<string>): boolean {
  if (text.startsWith('[')) return types.has('array');
  if (text.startsWith('{')) return types.has('object');
  return text.startsWith('"') && types.has('string') && OTHERS.some((type) => types.has(type));
}
const OTHERS = ['integer', 'boolean', 'array', 'object'];

function toField(value: unknown, position: Position): string {
  if (value === undefined || value === null) return '';
  return quoted(typeof value === 'string' && isText(value, position) ? value : exactJson(value));
}

/** Whether the string is read again as itself. */
function isText(value: string, position: Position): boolean {
  try {
    return readCell(value, position) === value;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
