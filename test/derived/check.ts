import { isDeepStrictEqual } from 'node:util';
import { ErrorNumber } from '../../src/contract/errors.ts';
import type { Service } from '../support/service.ts';
import { Members, read, write } from './json.ts';
import type { Derivation, DerivedRequest, ValidRequest } from './requests.ts';
import type { Keywords } from './schemas.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The operation that stores, and what a store must know of it: the member that is the key of all others. */
const CREATE = 'createPlant';
const KEY = 'id';

/** Sends derived requests to a service, and holds each answer to the contract and to a model of the store. */
export class Checker {
  /** What must be stored: the JSON of each body that was accepted, by its key. */
  readonly stored = new Map<bigint, string>();
  /** How many requests of each kind were answered as they had to be. */
  readonly counts = new Map<string, number>();
  private readonly derivation: Derivation;
  private readonly service: Service;
  private readonly underWay = new Map<bigint, Promise<void>>();
  private readonly remove: (key: bigint) => Promise<unknown>;

  /** @param remove takes from the store what it has under a key, if anything */
  constructor(derivation: Derivation, service: Service, remove: (key: bigint) => Promise<unknown>) {
    this.derivation = derivation;
    this.service = service;
    this.remove = remove;
  }

  /** @throws Error if the request is not refused by this number */
  async invalid(kind: string, request: DerivedRequest, number: ErrorNumber): Promise<void> {
    const reply = await this.send(request);
    this.requireError(reply, number);
    this.count(kind);
  }

  /** @throws Error if the request is not answered as the contract and what is stored demand */
  async valid(sent: ValidRequest): Promise<void> {
    const { request, again, body } = sent;
    if (request.operation.id !== CREATE) {
      // What an operation answers depends on what it is for: only that the contract has it is known here.
      for (const each of [request, again]) {
        const { status } = await this.send(each);
        if (status >= 500) throw new Error(`answered with ${status}`);
        this.count(`valid: ${request.operation.id}`);
      }
      return;
    }
    const key = body instanceof Members ? body.get(KEY) : undefined;
    if (!(body instanceof Members) || typeof key !== 'bigint') throw new Error(`${CREATE} has no integer ${KEY}`);
    const create = () =>
      this.create(key, body, sent).catch(async (error: unknown) => {
        // What is stored is unknown now: whoever looks for a shorter request that fails starts anew.
        await this.remove(key);
        this.stored.delete(key);
        throw error;
      });
    await this.alone(key, create);
  }

  private async create(key: bigint, body: Members, { request, again }: ValidRequest): Promise<void> {
    const content = this.canonical(body, this.derivation.bodiesOf(request.operation)[0]?.schema);
    const known = this.stored.get(key);
    const conflict = known !== undefined && known !== content;
    for (const [each, replayed] of [
      [request, known !== undefined],
      [again, true],
    ] as const) {
      const reply = await this.send(each);
      if (conflict) this.requireError(reply, ErrorNumber.idTaken);
      else {
        this.requirePlant(each, body, reply, replayed);
        this.stored.set(key, content);
      }
      this.count(conflict ? 'another content' : replayed ? 'replayed' : 'created');
    }
  }

  /** Requests for one key come one after the other, so that it is known which of them is the first. */
  private async alone(key: bigint, work: () => Promise<unknown>): Promise<void> {
    const before = this.underWay.get(key);
    const own = (before ?? Promise.resolve()).then(work).then(() => undefined);
    this.underWay.set(
      key,
      own.catch(() => undefined),
    );
    await own;
  }

  private requirePlant(request: DerivedRequest, body: Members, reply: Reply, replayed: boolean): void {
    const expected = read(this.canonical(body, this.derivation.replySchema(request.operation, 200)));
    const header = reply.headers.get('idempotent-replayed');
    const asExpected = reply.status === 200 && header === (replayed ? 'true' : null);
    if (asExpected && isDeepStrictEqual(read(reply.text), expected)) return;
    throw new Error(`answered with ${reply.status} ${reply.text}, Idempotent-Replayed: ${String(header)}`);
  }

  /** The members that a schema has, in its order. */
  private canonical(body: Members, schema: Keywords = {}): string {
    const { properties = {} } = this.derivation.resolve(schema);
    const members = Object.keys(properties).flatMap((name) => body.list.filter(([each]) => each === name));
    return write(new Members(members));
  }

  private requireError({ status, text }: Reply, number: ErrorNumber): void {
    // That it has the shape of Error, `send` has found.
    const { error } = read(text) as { readonly error?: unknown };
    if (status === Math.floor(number / 100) && error === BigInt(number)) return;
    throw new Error(`answered with ${status} ${text}, where ${number} was due`);
  }

  /** Sends a request. @throws Error if the reply is not one that the contract has */
  async send(request: DerivedRequest): Promise<Reply> {
    const reply = await this.exchange(request);
    const schema = this.derivation.replySchema(request.operation, reply.status);
    const says = schema ? this.derivation.judgeOf(schema)(read(reply.text)) : reply.text === '' || 'there is a body';
    if (says !== true) throw new Error(`the reply ${reply.status} ${reply.text} breaks the contract: ${says}`);
    return reply;
  }

  private async exchange({ operation, place: { target, headers }, body }: DerivedRequest): Promise<Reply> {
    const { url, token } = this.service;
    const type = body === undefined ? {} : { 'Content-Type': body.mediaType };
    const reply = await fetch(url + target, {
      method: operation.method,
      headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
      body: body?.text ?? null,
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  private count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}
