import { ContractError, Refusal } from '../contract/errors.ts';
import { exactJson } from '../contract/int64.ts';
import { loadContract } from '../contract/load.ts';
import { readBodyText } from '../contract/request.ts';
import { type NewItem, toItem, toRecord } from './record.ts';
import { RESOURCE } from '../resource.ts';
import type { Item } from '../storage/store.ts';
import { checkHeader, endOfRecord, parseRecords, toBody } from './csv.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { endOfLine, type RawRecord, RecordSplitter } from './raw-records.ts';

const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface ItemRecord {
  readonly raw: RawRecord;
  readonly item: Item | Refusal;
}

interface BodyReader {
  readonly maxBytes: number;
  /** @throws Refusal as a client would get it */
  readonly read: (text: string) => Item;
}

/** Returns a reader that validates items by openapi.yaml, as the service does. */
export async function openBodyReader(): Promise<BodyReader> {
  const { operations } = await loadContract();
  const id = RESOURCE.operation;
  const operation = operations.find((each) => each.id === id);
  if (operation?.body === undefined) throw new ContractError(`openapi.yaml has no operation ${id} with a request body`);
  // readBodyText() has validated the body.
  const read = (text: string) => toItem(readBodyText(text, operation) as NewItem);
  return { maxBytes: operation.body.maxBytes, read };
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

export function toNdjson(item: Item): string {
  return `${exactJson(toRecord(item))}\n`;
}

/** Reads the records of a file from its bytes, chunk by chunk. */
export class RecordReader {
  private readonly name: string;
  private readonly read: BodyReader['read'];
  private readonly format: Format;
  private readonly splitter: RecordSplitter;
  private header: readonly string[] | undefined;

  constructor(name: string, format: Format, { read, maxBytes }: BodyReader) {
    this.name = name;
    this.read = read;
    this.format = format;
    this.splitter = new RecordSplitter(format === 'csv' ? endOfRecord : endOfLine, maxBytes);
  }

  /** @throws ExplainedError if the contract does not allow the header */
  add(chunk: Buffer): ItemRecord[] {
    return this.toRecords(this.splitter.add(chunk));
  }

  end(): ItemRecord[] {
    const records = this.toRecords(this.splitter.end());
    if (this.format === 'csv' && this.header === undefined) throw this.wrongHeader('it is missing');
    return records;
  }

  private toRecords(raws: RawRecord[]): ItemRecord[] {
    if (this.format === 'ndjson') return raws.map((raw) => this.toRecord(raw, raw.text));
    const first = this.header === undefined ? raws.shift() : undefined;
    if (first !== undefined) this.header = this.readHeader(first);
    const { header = [] } = this;
    const parsed = parseRecords(raws.filter(({ refusal }) => refusal === undefined).map(({ text }) => text)).values();
    return raws.map((raw) => {
      const fields = raw.refusal ?? parsed.next().value;
      if (fields === undefined) throw new Error('a record was lost');
      return this.toRecord(raw, fields instanceof Refusal ? fields : toBody(fields, header));
    });
  }

  private toRecord(raw: RawRecord, body: string | Refusal): ItemRecord {
    const textOrRefusal = raw.refusal ?? body;
    if (textOrRefusal instanceof Refusal) return { raw, item: textOrRefusal };
    try {
      return { raw, item: this.read(textOrRefusal) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { raw, item: error };
    }
  }

  private readHeader({ text, refusal }: RawRecord): readonly string[] {
    const [fields] = refusal === undefined ? parseRecords([text]) : [refusal];
    if (fields === undefined || fields instanceof Refusal) throw this.wrongHeader(fields?.message ?? 'it is missing');
    try {
      return checkHeader(fields, this.read);
    } catch (error) {
      throw this.wrongHeader(messageOf(error));
    }
  }

  private wrongHeader(reason: string): ExplainedError {
    return new ExplainedError(
      `the header of ${this.name} does not name the columns of ${RESOURCE.many}: ${reason}; nothing was stored`,
    );
  }
}
