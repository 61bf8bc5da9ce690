import { ContractError, Refusal } from '../contract/errors.ts';
import { exactJson } from '../contract/int64.ts';
import { loadContract } from '../contract/load.ts';
import { readBodyText } from '../contract/request.ts';
import type { AnyService } from '../service.ts';
import type { Row } from '../storage/store.ts';
import { checkHeader, CsvColumns, endOfRecord, parseRecords } from './csv.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { endOfLine, type RawRecord, RecordSplitter } from './raw-records.ts';

const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface FileRecord {
  readonly raw: RawRecord;
  readonly row: Row | Refusal;
}

interface BodyReader {
  readonly table: string;
  readonly csv: CsvColumns;
  readonly maxBytes: number;
  /** @throws Refusal as a client would get it */
  readonly read: (text: string) => Row;
}

/** Returns a reader that validates records by the contract, as the service does. */
export async function openBodyReader({ contract, tables, records }: AnyService): Promise<BodyReader> {
  const { operations } = await loadContract(contract);
  const { table, operation: id } = records;
  const operation = operations.find((each) => each.id === id);
  if (operation?.body === undefined) throw new ContractError(`the contract has no operation ${id} with a request body`);
  // readBodyText() has validated the body.
  const read = (text: string) => readBodyText(text, operation) as Row;
  return { table, csv: new CsvColumns(tables[table]?.columns ?? {}), maxBytes: operation.body.maxBytes, read };
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

export function toNdjson(row: Row): string {
  return `${exactJson(row)}\n`;
}

/** Reads the records of a file from its bytes, chunk by chunk. */
export class RecordReader {
  private readonly name: string;
  private readonly reader: BodyReader;
  private readonly format: Format;
  private readonly splitter: RecordSplitter;
  private header: readonly string[] | undefined;

  constructor(name: string, format: Format, reader: BodyReader) {
    this.name = name;
    this.reader = reader;
    this.format = format;
    this.splitter = new RecordSplitter(format === 'csv' ? endOfRecord : endOfLine, reader.maxBytes);
  }

  /** @throws ExplainedError if the contract does not allow the header */
  add(chunk: Buffer): FileRecord[] {
    return this.toRecords(this.splitter.add(chunk));
  }

  end(): FileRecord[] {
    const records = this.toRecords(this.splitter.end());
    if (this.format === 'csv' && this.header === undefined) throw this.wrongHeader('it is missing');
    return records;
  }

  private toRecords(raws: RawRecord[]): FileRecord[] {
    if (this.format === 'ndjson') return raws.map((raw) => this.toRecord(raw, raw.text));
    const first = this.header === undefined ? raws.shift() : undefined;
    if (first !== undefined) this.header = this.readHeader(first);
    const { header = [] } = this;
    const parsed = parseRecords(raws.filter(({ refusal }) => refusal === undefined).map(({ text }) => text)).values();
    return raws.map((raw) => {
      const fields = raw.refusal ?? parsed.next().value;
      if (fields === undefined) throw new Error('a record was lost');
      return this.toRecord(raw, fields instanceof Refusal ? fields : this.reader.csv.toBody(fields, header));
    });
  }

  private toRecord(raw: RawRecord, body: string | Refusal): FileRecord {
    const textOrRefusal = raw.refusal ?? body;
    if (textOrRefusal instanceof Refusal) return { raw, row: textOrRefusal };
    try {
      return { raw, row: this.reader.read(textOrRefusal) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { raw, row: error };
    }
  }

  private readHeader({ text, refusal }: RawRecord): readonly string[] {
    const [fields] = refusal === undefined ? parseRecords([text]) : [refusal];
    if (fields === undefined || fields instanceof Refusal) throw this.wrongHeader(fields?.message ?? 'it is missing');
    try {
      return checkHeader(fields, this.reader.read);
    } catch (error) {
      throw this.wrongHeader(messageOf(error));
    }
  }

  private wrongHeader(reason: string): ExplainedError {
    return new ExplainedError(
      `the header of ${this.name} does not name the columns of ${this.reader.table}: ${reason}; nothing was stored`,
    );
  }
}
