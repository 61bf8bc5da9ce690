import {
  type ContractOperation,
  follower,
  type Holder,
  loadContract,
  Position,
  readRecord,
  type RequestData,
} from 'trellis-contract';
import { ContractError, ErrorNumber, exactJson, ExplainedError, messageOf, Refusal } from 'trellis-contract/ground';
import type { AnyService, Handler } from '../service.ts';
import type { AnyRow } from '../storage/engine.ts';
import { checkHeader, csvOf, endOfRecord, parseRecords } from './csv.ts';
import { endOfLine, type RawRecord, recordSplitter } from './raw-records.ts';

const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface FileRecord {
  readonly raw: RawRecord;
  readonly request: RequestData | Refusal;
}

/**
 * How much longer a record of an export may be than the body that a client has sent: `1e20` is written with 21 digits, and
 * CSV has each quotation mark of a JSON text twice.
 */
const GROWTH = 6;

/** The rows of a table in a file: each record is a body of the operation that creates a row. */
export interface Records {
  readonly table: string;
  readonly key: readonly string[];
  readonly operation: ContractOperation;
  readonly operate: Handler;
  readonly body: Position;
  /** The members that are null in a record without a value for them. */
  readonly nulls: ReadonlySet<string>;
  readonly csv: ReturnType<typeof csvOf>;
  /** The most bytes of a record. */
  readonly maxBytes: number;
}

/**
 * Chooses a table by the option --table.
 *
 * @param chosen undefined: the only table of `usual`
 * @throws ExplainedError that names the tables
 */
export function chooseTable(chosen: string | undefined, all: readonly string[], usual = all): string {
  if (chosen !== undefined && all.includes(chosen)) return chosen;
  const [only, ...others] = usual;
  if (chosen === undefined && only !== undefined && others.length === 0) return only;
  if (all.length === 0) throw new ExplainedError('the service has no table for this command');
  const tables = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(all);
  throw new ExplainedError(`name the table with --table: ${tables}${chosen === undefined ? '' : `, not ${chosen}`}`);
}

/** @param chosen the option --table @throws ExplainedError, also if the operation requires a parameter, which no file has */
export async function openRecords(
  { contract, operations, records, tables }: AnyService,
  chosen: string | undefined,
): Promise<Records> {
  const table = chooseTable(chosen, Object.keys(records));
  const { document, operations: declared } = await loadContract(contract, 'any');
  const id = records[table] ?? '';
  const operation = declared.find((each) => each.id === id);
  // The type Service has checked the operation with the types of its own tables, which are not known here.
  const operate = operations[id] as Handler | undefined;
  const [content] = operation?.body?.types.values() ?? [];
  if (operation?.body === undefined || content?.kind !== 'json' || operate === undefined)
    throw new ContractError(
      `the service has no operation ${id} with a request body of JSON, which creates a row of ${table}`,
    );
  const missing = operation.parameters.find((each) => each.in === 'path' || each.required);
  if (missing !== undefined)
    throw new ExplainedError(`rows of ${table} cannot come from a file: ${id} requires the parameter ${missing.name}`);
  const body = new Position(content.schema, follower(document));
  const nulls = nullsOf(body);
  const maxBytes = GROWTH * operation.body.maxBytes;
  const { key = [] } = tables[table] ?? {};
  return { table, key, operation, operate, body, nulls, csv: csvOf(body, nulls), maxBytes };
}

/**
 * The members that are null in a record without a value for them: they may be null, and are required or have a default.
 * If they were left out, the record would be invalid, or another record.
 */
function nullsOf(body: Position): ReadonlySet<string> {
  const { required } = body;
  const isNull = (name: string) => body.member(name).types.has('null');
  const hasDefault = (name: string) => body.member(name).default !== undefined;
  return new Set([...body.names].filter((name) => isNull(name) && (required.has(name) || hasDefault(name))));
}

export function formatOf(path: string, chosen: string | undefined): Format {
  const found = FORMATS.find((each) =>
    chosen === undefined ? path.toLowerCase().endsWith(`.${each}`) : each === chosen,
  );
  if (found !== undefined) return found;
  if (chosen !== undefined) throw new ExplainedError(`the format must be ${FORMATS.join(' or ')}, not ${chosen}`);
  if (path === '-' || path === '') return 'ndjson';
  throw new ExplainedError(`${path} ends with neither .ndjson nor .csv: add --format ndjson or --format csv`);
}

export function toNdjson(row: AnyRow): string {
  return `${exactJson(row)}\n`;
}

/** The most names that are counted one by one: a file chooses them. */
const MAX_NAMES = 20;

/** Counts the members that operations do not get, as no schema names them. */
class LeftOutNames {
  private readonly counts = new Map<string, number>();
  private others = 0;

  readonly add = (name: string): void => {
    const count = this.counts.get(name);
    if (count === undefined && this.counts.size === MAX_NAMES) this.others++;
    else this.counts.set(name, (count ?? 0) + 1);
  };

  /** Such as `"colour" 2, others 7`; undefined: there were none. */
  get told(): string | undefined {
    if (this.counts.size === 0) return undefined;
    const named = Array.from(this.counts, ([name, count]) => `${JSON.stringify(name.slice(0, 100))} ${count}`);
    return [...named, ...(this.others > 0 ? [`others ${this.others}`] : [])].join(', ');
  }
}

/** Whether the key of a row is that of its record, so that the same record, sent again, is replayed. */
export function isRepeatable(key: readonly string[], body: unknown): boolean {
  return key.every((name) => (body as AnyRow | undefined)?.[name] !== undefined);
}

/** Reads the records of a file, chunk by chunk. @throws ExplainedError if the contract does not allow the header */
export function recordReader(name: string, format: Format, { table, operation, csv, maxBytes }: Records) {
  const splitter = recordSplitter(format === 'csv' ? endOfRecord : endOfLine, maxBytes);
  let header: readonly string[] | undefined;
  const leftOut = new LeftOutNames();
  return {
    leftOut,
    add: (chunk: Buffer) => toRecords(splitter.add(chunk)),
    end() {
      const records = toRecords(splitter.end());
      if (format === 'csv' && header === undefined) throw wrongHeader('it is missing');
      return records;
    },
  };

  function toRecords(raws: RawRecord[]): FileRecord[] {
    if (format === 'ndjson') return raws.map((raw) => toRecord(raw, () => raw.text));
    raws = raws.map(withoutDoubledEnd);
    const first = header === undefined ? raws.shift() : undefined;
    if (first !== undefined) header = readHeader(first);
    const names = header ?? [];
    const parsed = parseRecords(raws.filter(({ refusal }) => refusal === undefined).map(({ text }) => text)).values();
    return raws.map((raw) => {
      const fields = raw.refusal ?? parsed.next().value;
      if (fields === undefined) throw new Error('a record was lost');
      return toRecord(raw, () => {
        if (fields instanceof Refusal) throw fields;
        return csv.read(fields, names);
      });
    });
  }

  /** @param body makes the body, or throws the Refusal of the record */
  function toRecord(raw: RawRecord, body: () => string | Holder): FileRecord {
    try {
      if (raw.refusal !== undefined) throw raw.refusal;
      const names: string[] = [];
      const request = readRecord(body(), operation, (name) => names.push(name));
      names.forEach(leftOut.add);
      return { raw, request };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { raw, request: error };
    }
  }

  function readHeader({ text, refusal }: RawRecord): readonly string[] {
    const [fields] = refusal === undefined ? parseRecords([text]) : [refusal];
    if (fields === undefined || fields instanceof Refusal) throw wrongHeader(fields?.message ?? 'it is missing');
    try {
      return checkHeader(fields, operation);
    } catch (error) {
      throw wrongHeader(messageOf(error));
    }
  }

  function wrongHeader(reason: string): ExplainedError {
    return new ExplainedError(
      `the header of ${name} does not name the columns of ${table}: ${reason}; nothing was stored`,
    );
  }
}

/** Of CR CR LF, the splitter leaves a CR, which would end the last field: quotes hold any that belongs to a value. */
function withoutDoubledEnd(raw: RawRecord): RawRecord {
  if (raw.refusal !== undefined || !raw.text.endsWith('\r')) return raw;
  const message = 'the line ends with CR CR LF, as its ends were converted twice: write LF or CR LF';
  return { ...raw, refusal: new Refusal(ErrorNumber.bodyNotJson, message) };
}
