import { ContractError, Refusal } from '../contract/errors.ts';
import { exactJson } from '../contract/int64.ts';
import { loadContract } from '../contract/load.ts';
import { readBodyText } from '../contract/request.ts';
import { type NewItem, toItem, toRecord } from '../operations/record.ts';
import { RESOURCE } from '../resource.ts';
import type { Item } from '../storage/store.ts';
import { checkHeader, endOfRecord, parseRecords, toBody } from './csv.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { endOfLine, type RawRecord, RecordSplitter } from './raw-records.ts';

const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** A record of a file: the item that it is, or why it is none. */
export interface ItemRecord {
  readonly raw: RawRecord;
  readonly item: Item | Refusal;
}

/** Reads bodies of requests that create items. */
interface BodyReader {
  /** The most bytes that such a body may have. */
  readonly maxBytes: number;
  /** @throws Refusal if a client would be refused */
  readonly read: (text: string) => Item;
}

/** Holds items to the contract as the service does: from openapi.yaml, by the same functions. */
export async function openBodyReader(): Promise<BodyReader> {
  const { operations } = await loadContract();
  const id = RESOURCE.operation;
  const operation = operations.find((each) => each.id === id);
  if (operation?.body === undefined) throw new ContractError(`openapi.yaml does not have ${id} with a body`);
  // The validator has found that it is one.
  const read = (text: string) => toItem(readBodyText(text, operation) as NewItem);
  return { maxBytes: operation.body.maxBytes, read };
}

/** @throws ExplainedError */
export function formatOf(path: string, chosen: string | undefined): Format {
  const found = FORMATS.find((each) =>
    chosen === undefined ? path.toLowerCase().endsWith(`.${each}`) : each === chosen,
  );
  if (found !== undefined) return found;
  if (chosen !== undefined) throw new ExplainedError(`the format must be ${FORMATS.join(' or ')}, not ${chosen}`);
  if (path === '-' || path === '') return 'ndjson';
  throw new ExplainedError(`${path} ends with neither .ndjson nor .csv: say which it is by --format`);
}

/** An item as a line of NDJSON. */
export function toNdjson(item: Item): string {
  return `${exactJson(toRecord(item))}\n`;
}

/** Makes records out of bytes, portion by portion, in the order of the file. */
export class RecordReader {
  private readonly name: string;
  private readonly read: BodyReader['read'];
  private readonly format: Format;
  private readonly splitter: RecordSplitter;
  /** Of CSV, once it has come. */
  private header: readonly string[] | undefined;

  constructor(name: string, format: Format, { read, maxBytes }: BodyReader) {
    this.name = name;
    this.read = read;
    this.format = format;
    this.splitter = new RecordSplitter(format === 'csv' ? endOfRecord : endOfLine, maxBytes);
  }

  /** @throws ExplainedError if the header is not one that the contract has columns for */
  add(chunk: Buffer): ItemRecord[] {
    return this.toRecords(this.splitter.add(chunk));
  }

  end(): ItemRecord[] {
    const records = this.toRecords(this.splitter.end());
    if (this.format === 'csv' && this.header === undefined) throw this.wrongHeader('there is none');
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
    if (fields === undefined || fields instanceof Refusal) throw this.wrongHeader(fields?.message ?? 'there is none');
    try {
      return checkHeader(fields, this.read);
    } catch (error) {
      throw this.wrongHeader(messageOf(error));
    }
  }

  private wrongHeader(reason: string): ExplainedError {
    return new ExplainedError(
      `the header of ${this.name} is not that of ${RESOURCE.many}: ${reason}; nothing was stored`,
    );
  }
}
