import {
  type AnySchema,
  type Contract,
  type ContractOperation,
  leaveOut,
  type OpenApiDocument,
  replyFor,
} from 'trellis-contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { carried, exactJson } from 'trellis-contract/ground';
import { isObject, type JsonObject, type JsonValue, payloadOf, type Wire, without } from 'trellis-contract/derivation';
import type { AnyService } from '../../src/service.ts';
import { stubsIn } from '../../src/stub.ts';
import type { JudgeOf, Verdict } from './judge.ts';
import { Echoes } from './echoes.ts';
import { isKey, type Key, keyName, Rows, type SentRow } from './rows.ts';
import { read } from './spelling.ts';

export interface CheckedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether an earlier answer was 503, so that the service may have done the request before. */
  readonly isRepeated: boolean;
}

/** The most tries for a request that the service cannot take at the moment: on a busy machine its store is slow. */
const MAX_TRIES = 10;

/** The service under test. */
export interface Subject {
  readonly service: Pick<AnyService, 'records' | 'tables' | 'operations'>;
  readonly url: string;
  readonly token: string;
  readonly conflict: number;
  readonly judgeOf: JudgeOf;
}

/** Sends derived requests to a service, and compares each answer with the contract and with a model of the store. */
export class Checker {
  /** The model of the store, by the operation that stores records: the JSON of each accepted body, by its key. */
  readonly stored = new Map<string, Map<Key, string>>();
  /** How many requests of each kind got the right answer. */
  readonly counts = new Map<string, number>();
  readonly rows: Rows;
  readonly echoes: Echoes;
  /** Whether a record was accepted without a key, which the service then has made. */
  hasKeyless = false;
  private readonly document: OpenApiDocument;
  private readonly judges = new Map<AnySchema, Promise<Verdict>>();
  private readonly subject: Subject;
  private readonly underWay = new Map<Key, Promise<void>>();

  constructor({ document, operations }: Contract, subject: Subject) {
    this.subject = subject;
    this.document = without('writeOnly', document);
    this.rows = new Rows(this.document, operations, subject.service);
    this.echoes = new Echoes(this.document, operations, stubsIn(subject.service));
  }

  /** Sends an invalid request. @throws Error unless the service refuses it with this error number */
  async invalid(kind: string, operation: ContractOperation, wire: Wire, number: number): Promise<void> {
    const { status, text } = await this.send(operation, wire);
    requireError(text, status, number);
    this.count(kind);
  }

  /** Sends a valid request in two spellings. @throws Error if an answer contradicts the contract or the model */
  async valid(operation: ContractOperation, body: JsonValue | undefined, spelt: readonly Wire[]): Promise<void> {
    const key = isObject(body) ? body[keyName(this.subject.service, operation)] : undefined;
    if (!this.isRecord(operation) || !isKey(key)) {
      // The model knows only the operation that stores records. For other operations, any answer below 500 that the
      // contract declares is right.
      for (const wire of spelt) {
        const { status, text } = await this.send(operation, wire);
        if (status >= 500) throw new Error(`answered with ${status}`);
        if (status < 300) await this.echo(operation, body, wire, status, text);
        if (status < 300 && this.isRecord(operation)) this.hasKeyless = true;
        this.count(`valid: ${operation.id}`);
      }
      return;
    }
    await this.alone(key, () => this.create(operation, key, body as JsonObject, spelt));
  }

  /** Sends a valid request to a row that exists. A member proves nothing that the row had already. */
  async ofRow(operation: ContractOperation, body: JsonValue | undefined, wire: Wire, key: Key): Promise<void> {
    const reading = this.echoes.readingOf(operation);
    const before = reading && (await this.readRow(reading, key));
    const { status, text } = await this.send(operation, wire);
    if (status >= 500) throw new Error(`answered with ${status}`);
    this.count(`valid: ${operation.id}`);
    if (status >= 300 || !isObject(body)) return;
    const known = before === undefined || before.text === '' ? undefined : read(before.text);
    const changed = Object.entries(body).filter(
      ([name, value]) => !isObject(known) || !isDeepStrictEqual(known[name], value),
    );
    await this.echo(operation, Object.fromEntries(changed), wire, status, text);
  }

  /** Sends a valid body with a key of its own in two spellings. @throws Error if the body does not come back */
  async fresh(operation: ContractOperation, body: JsonObject, spelt: readonly Wire[]): Promise<void> {
    const key = body[keyName(this.subject.service, operation)];
    if (!isKey(key)) throw new Error(`${exactJson(body)} has no key`);
    if (this.isRecord(operation)) {
      await this.create(operation, key, body, spelt);
      return;
    }
    for (const wire of spelt) {
      const { status, text } = await this.send(operation, wire);
      if (status >= 500) throw new Error(`answered with ${status}`);
      if (status < 300) this.rows.add(operation, key, body, status, text);
      this.count(`${status < 300 ? 'valid' : 'not accepted'}: ${operation.id}`);
    }
  }

  /**
   * Reads created rows by an operation whose path has one parameter or none.
   *
   * @throws Error if a row lacks what was sent
   */
  async reads(operation: ContractOperation, { body, key }: SentRow): Promise<void> {
    const [parameter, ...others] = operation.parameters.filter((each) => each.in === 'path' || each.required);
    if (others.length > 0 || (parameter !== undefined && parameter.in !== 'path')) return;
    const allows = parameter && (await this.judgeOf(parameter.schema));
    for (const value of allows === undefined ? [undefined] : Object.values(body)) {
      if (value !== undefined && !(isKey(value) && value !== '' && allows?.({ body: value }).length === 0)) continue;
      const { status, text } = await this.readRow(operation, value ?? '');
      if (status >= 500) throw new Error(`answered with ${status}`);
      const isOwn = isKey(value) && value === key;
      if (status < 300) this.rows.requireWithin(operation, status, text, isOwn ? value : undefined);
      this.count(`read: ${operation.id}`);
    }
  }

  /** Looks for the members of an accepted body in the reply, and in a read of its row. */
  private async echo(
    operation: ContractOperation,
    body: JsonValue | undefined,
    { sent: { path } }: Wire,
    status: number,
    text: string,
  ): Promise<void> {
    const row = isObject(body) ? this.echoes.note(operation, body, path, status, text) : undefined;
    if (row === undefined) return;
    const reply = await this.readRow(row.reading, row.key);
    if (reply.status < 300) this.rows.read(row.reading);
    if (reply.text !== '')
      this.echoes.compare(operation, row.reading, body as JsonObject, reply.status, read(reply.text));
  }

  private async readRow(operation: ContractOperation, key: Key): Promise<CheckedReply> {
    const path = operation.path.replace(/\{[^}]+\}/, () => encodeURIComponent(String(key)));
    return await this.send(operation, { sent: { path, query: '', headers: {} }, body: undefined });
  }

  /** What an operation gets of a body, which may lose members that no schema names. */
  private received({ body: declared }: ContractOperation, body: JsonObject): JsonObject {
    const outline = declared?.types.values().find(({ kind }) => kind === 'json')?.outline;
    if (outline === undefined) return body;
    const copy = structuredClone(body);
    leaveOut(copy, outline);
    return copy;
  }

  private isRecord({ id }: ContractOperation): boolean {
    return Object.values(this.subject.service.records).includes(id);
  }

  private async create(
    operation: ContractOperation,
    key: Key,
    body: JsonObject,
    spelt: readonly Wire[],
  ): Promise<void> {
    const content = exactJson(this.received(operation, body));
    const stored = this.stored.getOrInsertComputed(operation.id, () => new Map());
    const known = stored.get(key);
    const isConflict = known !== undefined && !isDeepStrictEqual(read(known), read(content));
    for (const [at, wire] of spelt.entries()) {
      const isReplayed = known !== undefined || at > 0;
      const { status, headers, text, isRepeated } = await this.send(operation, wire);
      if (isConflict) requireError(text, status, this.subject.conflict);
      else {
        const header = headers.get('idempotent-replayed');
        const fields = Object.keys(replyFor(operation.replies, status)?.headers ?? {});
        const isTold = fields.some((each) => each.toLowerCase() === 'idempotent-replayed');
        const isDue = !isTold || header === (isReplayed ? 'true' : null) || (isRepeated && header === 'true');
        if (Math.floor(status / 100) !== 2 || !isDue)
          throw new Error(`answered with ${status} ${text}, Idempotent-Replayed: ${String(header)}`);
        this.rows.add(operation, key, read(content) as JsonObject, status, text);
        this.echoes.add(operation, key);
        stored.set(key, content);
      }
      this.count(isConflict ? 'another content' : isReplayed ? 'replayed' : 'created');
    }
  }

  /** Sends the requests for one key one after the other, so that it is known which is the first. */
  private async alone(key: Key, work: () => Promise<void>): Promise<void> {
    const own = (this.underWay.get(key) ?? Promise.resolve()).then(work);
    this.underWay.set(
      key,
      own.catch(() => undefined),
    );
    await own;
  }

  /** Sends a request, and repeats it as any client must. @throws Error if a reply breaks the contract */
  async send(operation: ContractOperation, wire: Wire): Promise<CheckedReply> {
    for (let tries = 1; ; tries++) {
      const reply = await this.exchange(operation, wire);
      const { status, headers, text } = reply;
      const { kind, schema } = replyFor(operation.replies, status)?.content ?? {};
      const body = () => (kind === 'json' ? read(text) : text);
      const faults = schema === undefined ? [] : (await this.judgeOf(schema))({ body: body() });
      if (faults.length > 0 || (schema === undefined && text !== ''))
        throw new Error(`the reply ${status} ${text} breaks the contract: ${faults.join()}`);
      const retryAfter = headers.get('retry-after');
      // Rows are JSON.
      const rest = kind === 'json' ? text : '';
      if (status !== 503 || retryAfter === null || tries === MAX_TRIES)
        return { ...reply, text: rest, isRepeated: tries > 1 };
      await sleep(Number(retryAfter) * 1000);
    }
  }

  private judgeOf(schema: AnySchema): Promise<Verdict> {
    const judge = this.judges.get(schema) ?? this.subject.judgeOf({ properties: { body: schema } }, this.document);
    this.judges.set(schema, judge);
    return judge;
  }

  private async exchange(
    { method, replies, carriers: [carrier = 'Authorization'] }: ContractOperation,
    { sent, body }: Wire,
  ): Promise<Omit<CheckedReply, 'isRepeated'>> {
    const { url, token } = this.subject;
    const reply = await fetch(`${url}${sent.path}${sent.query === '' ? '' : `?${sent.query}`}`, {
      method,
      headers: { [carrier]: carried(carrier, token), ...(body && { 'Content-Type': body.mediaType }), ...sent.headers },
      body: body === undefined ? null : payloadOf(body),
    });
    // A string has a character for each byte, as the schema of bytes has.
    const isBytes = replyFor(replies, reply.status)?.content?.kind === 'bytes';
    const text = isBytes ? Buffer.from(await reply.arrayBuffer()).toString('latin1') : await reply.text();
    return { status: reply.status, headers: reply.headers, text };
  }

  private count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

function requireError(text: string, status: number, number: number): void {
  // `send` has checked that the text is a failure of the contract; an `errorBody` has the number where it likes, or nowhere.
  const told = text === '' ? [] : numbersIn(read(text));
  if (status === Math.floor(number / 100) && (told.length === 0 || told.includes(BigInt(number)))) return;
  throw new Error(`answered with ${status} ${text}, where ${number} was due`);
}

/** The numbers in a body that may be error numbers. */
function numbersIn(value: unknown): readonly bigint[] {
  if (typeof value === 'bigint') return value >= 40_000n && value < 60_000n ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
