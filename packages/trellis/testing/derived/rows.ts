import {
  type AnySchema,
  type ContractOperation,
  declaredFor,
  follower,
  type OpenApiDocument,
  Position,
} from 'trellis-contract';
import { isDeepStrictEqual } from 'node:util';
import type { AnyService } from '../../src/service.ts';
import { exactJson } from 'trellis-contract/ground';
import { isObject, type JsonObject, type JsonValue } from 'trellis-contract/derivation';
import { read } from './spelling.ts';

/** The member of a row that is its key, unless the table of the operation's records has another one. */
export const KEY = 'id';
export type Key = bigint | string;

export function keyName({ records, tables }: Keyed, { id }: ContractOperation): string {
  const [table = ''] = Object.keys(records).filter((each) => records[each] === id);
  const [name = KEY, ...others] = tables[table]?.key ?? [];
  return others.length === 0 ? name : KEY;
}
export type Keyed = Pick<AnyService, 'records' | 'tables'>;

export function isKey(value: unknown): value is Key {
  return typeof value === 'bigint' || typeof value === 'string';
}

/** Whether clients choose the key of the row that the operation creates. */
export function isCreation({ method, body }: ContractOperation, document: OpenApiDocument, key: string): boolean {
  const schemas = [...(body?.types.values() ?? [])].map(({ schema }) => schema);
  return method !== 'PATCH' && schemas.some((each) => membersOf(each, document).includes(key));
}

export interface SentRow {
  readonly body: JsonObject;
  readonly key: Key;
  /** The name of the key in the body, and the path to which the body was sent. */
  readonly name: string;
  readonly path: string;
}

/** The rows that were created by bodies with a key of their own: each member must come back wherever it is declared. */
export class Rows {
  readonly sent = new Map<Key, SentRow>();
  private readonly document: OpenApiDocument;
  private readonly due = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly service: Keyed;

  constructor(document: OpenApiDocument, operations: readonly ContractOperation[], service: Keyed) {
    this.document = document;
    this.service = service;
    for (const operation of operations) {
      if (isCreation(operation, document, keyName(service, operation)))
        for (const { schema } of operation.body?.types.values() ?? [])
          for (const name of membersOf(schema, document)) this.due.add(`${operation.id}: ${name} of a request`);
      else if (operation.method === 'GET' && this.isOfRows(operation)) this.due.add(`${operation.id}: a row`);
    }
  }

  /** The members that were never sent and accepted, or never seen in a reply. */
  get never(): string[] {
    return [...this.due.difference(this.seen)];
  }

  /** Takes note that the operation has answered with a row whose key the service has made. */
  read({ id }: ContractOperation): void {
    this.seen.add(`${id}: a row`);
  }

  /** @throws Error if the reply to an accepted body lacks a member of it that the reply declares */
  add(operation: ContractOperation, key: Key, body: JsonObject, status: number, text: string): void {
    this.sent.set(key, { body, key, name: keyName(this.service, operation), path: operation.path });
    for (const name of Object.keys(body)) this.seen.add(`${operation.id}: ${name} of a request`);
    this.requireIn(operation, body, status, text);
  }

  /** @throws Error if the object of a reply lacks a member of the body that the reply declares */
  requireIn(operation: ContractOperation, body: JsonObject, status: number, text: string): void {
    const position = this.positionOf(operation, status);
    if (text !== '' && position !== undefined) this.compare(operation, position, body, read(text));
  }

  /** Looks for rows in a reply. @param key the key that the path names @throws Error if a row lacks what was sent */
  requireWithin(operation: ContractOperation, status: number, text: string, key?: Key): void {
    const position = this.positionOf(operation, status);
    const named = key === undefined ? undefined : this.sent.get(key)?.body;
    const visit = (value: JsonValue, at: Position, body: JsonObject | undefined): void => {
      if (Array.isArray(value))
        (value as readonly JsonValue[]).forEach((each, index) => {
          visit(each, at.item(index), undefined);
        });
      if (!isObject(value)) return;
      const sent = this.rowOf(operation, value)?.body ?? body;
      if (sent !== undefined) {
        this.seen.add(`${operation.id}: a row`);
        this.compare(operation, at, sent, value);
      }
      for (const [name, each] of Object.entries(value)) visit(each, at.member(name), undefined);
    };
    if (text !== '' && position !== undefined) visit(read(text), position, named);
  }

  /** Other tables may refer to a row by the name that its key has, if that is not `id`. */
  private rowOf({ path }: ContractOperation, value: JsonObject): SentRow | undefined {
    const names = new Set([KEY, ...Object.values(this.service.tables).flatMap(({ key }) => key)]);
    for (const name of names) {
      const key = value[name];
      const row = isKey(key) ? this.sent.get(key) : undefined;
      if (row?.name === name && (name === KEY || path.startsWith(row.path))) return row;
    }
    return undefined;
  }

  private compare({ id }: ContractOperation, position: Position, body: JsonObject, answer: JsonValue): void {
    for (const [name, sent] of Object.entries(body)) {
      if (!declares(position, name)) continue;
      const what = `${id}: ${name} of a reply`;
      this.due.add(what);
      const got = isObject(answer) ? answer[name] : undefined;
      if (!holds(sent, got, position.member(name)))
        throw new Error(
          `${id} answered ${exactJson(answer)} of a row that was sent as ${exactJson(body)}: see ${name}`,
        );
      this.seen.add(what);
    }
  }

  private positionOf({ replies }: ContractOperation, status: number): Position | undefined {
    const schema = declaredFor(replies, status)?.content?.schema;
    return schema === undefined ? undefined : new Position(schema, follower(this.document));
  }

  private isOfRows({ replies }: ContractOperation): boolean {
    const schemas = [...replies].flatMap(([status, { content }]) =>
      status.startsWith('2') && content !== undefined ? [content.schema] : [],
    );
    const places = new Set(schemas.map((each) => new Position(each, follower(this.document))));
    // The iteration of a Set includes what is added meanwhile.
    for (const place of places) for (const each of place.beneath()) places.add(each);
    return [...places].some(({ names }) => names.has(KEY));
  }
}

/** The members that a body may have, by its schema. */
function membersOf(schema: AnySchema, document: OpenApiDocument): string[] {
  const position = new Position(schema, follower(document));
  return [...position.names].filter((name) => declares(position, name) && !position.member(name).isReadOnly);
}

/** A member whose schema is false is not declared: `without` gives it to members that only the other direction has. */
export function declares(position: Position, name: string): boolean {
  const isMap = position.names.size === 0;
  return isMap || (position.names.has(name) && !position.member(name).roots.every((each) => each === false));
}

/** Whether a reply has each part of a sent value that the reply declares. */
export function holds(sent: JsonValue, got: JsonValue | undefined, position: Position): boolean {
  if (Array.isArray(sent))
    return (
      Array.isArray(got) &&
      got.length === sent.length &&
      sent.every((each: JsonValue, index) => holds(each, got[index] as JsonValue, position.item(index)))
    );
  if (!isObject(sent)) return isDeepStrictEqual(got, sent);
  const members = Object.entries(sent).filter(([name]) => declares(position, name));
  return isObject(got) && members.every(([name, each]) => holds(each, got[name], position.member(name)));
}
