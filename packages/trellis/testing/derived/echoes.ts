import { type ContractOperation, declaredFor, follower, type OpenApiDocument, Position } from 'trellis-contract';
import { isObject, type JsonObject, type JsonValue } from 'trellis-contract/derivation';
import { declares, holds, isKey, KEY, type Key } from './rows.ts';
import { read } from './spelling.ts';

/** The rows of each collection that are changed and read again. */
const MAX_ROWS = 20;
/** A member that has not come back in so many replies is not looked for in more. */
const MAX_TRIES = 50;

/**
 * Members of accepted bodies that the reply, or a later read of the same row, declares too. A service may normalise or
 * choose a value, so that one request proves nothing: each member must come back once.
 */
export class Echoes {
  private readonly document: OpenApiDocument;
  private readonly operations: readonly ContractOperation[];
  private readonly stubs: readonly string[];
  /** How often each member was looked for in vain; 0: it has come back. */
  private readonly tries = new Map<string, number>();
  /** The keys of rows, by the path of their collection. */
  private readonly keys = new Map<string, Set<Key>>();

  constructor(document: OpenApiDocument, operations: readonly ContractOperation[], stubs: readonly string[]) {
    this.document = document;
    this.operations = operations;
    this.stubs = stubs;
  }

  /** The members that never came back. */
  get never(): string[] {
    return [...this.tries].flatMap(([what, tries]) => (tries === 0 ? [] : [what]));
  }

  /** The operation that reads a row of the collection to which the operation writes. */
  readingOf({ path }: ContractOperation): ContractOperation | undefined {
    return this.operations.find(
      (each) =>
        each.method === 'GET' &&
        collectionOf(each.path) === (collectionOf(path) ?? path) &&
        !this.stubs.includes(each.id) &&
        !each.parameters.some((parameter) => parameter.required && parameter.in !== 'path'),
    );
  }

  /** Compares the reply to an accepted body with the body. @returns what reads the row, if it may tell more */
  note(operation: ContractOperation, body: JsonObject, path: string, status: number, text: string) {
    if (this.stubs.includes(operation.id)) return undefined;
    const answer = text === '' ? undefined : read(text);
    this.compare(operation, operation, body, status, answer);
    const reading = this.readingOf(operation);
    const key = reading && this.keyOf(operation, reading, path, [answer, body]);
    if (reading === undefined || key === undefined) return undefined;
    this.add(operation, key);
    const isSought = Object.keys(body).some((name) => this.isSought(nameOf(operation, reading, name)));
    return isSought ? { reading, key } : undefined;
  }

  /** Takes note of a row to which later requests may be sent. */
  add({ path }: ContractOperation, key: Key): void {
    const keys = this.keys.getOrInsertComputed(collectionOf(path) ?? path, () => new Set());
    if (keys.size < MAX_ROWS) keys.add(key);
  }

  /** The key of a row that the path of the operation may name. */
  keyFor({ path }: ContractOperation, at: number): Key | undefined {
    const keys = [...(this.keys.get(collectionOf(path) ?? '') ?? [])];
    return keys[at % Math.max(1, keys.length)];
  }

  /** @param sent the operation that got the body @param answered the one that gave the answer */
  compare(sent: ContractOperation, answered: ContractOperation, body: JsonObject, status: number, answer?: JsonValue) {
    const { kind, schema } = declaredFor(answered.replies, status)?.content ?? {};
    if (schema === undefined || kind !== 'json' || status >= 300 || !isObject(answer)) return;
    const place = new Position(schema, follower(this.document));
    for (const [name, value] of Object.entries(body)) {
      // A null removes the member, in a merge patch.
      if (value === null || !place.names.has(name) || !declares(place, name)) continue;
      const what = nameOf(sent, answered, name);
      const tries = this.tries.get(what);
      if (tries !== 0) this.tries.set(what, holds(value, answer[name], place.member(name)) ? 0 : (tries ?? 0) + 1);
    }
  }

  private isSought(what: string): boolean {
    const tries = this.tries.get(what) ?? 1;
    return tries > 0 && tries < MAX_TRIES;
  }

  private keyOf(
    operation: ContractOperation,
    reading: ContractOperation,
    path: string,
    values: readonly (JsonValue | undefined)[],
  ): Key | undefined {
    if (collectionOf(operation.path) !== undefined) return decodeURIComponent(path.replace(/.*\//, ''));
    const names = [/([^{]*)\}$/.exec(reading.path)?.[1] ?? KEY, KEY];
    return values.flatMap((each) => (isObject(each) ? names.map((name) => each[name]) : [])).find(isKey);
  }
}

/** The path of the collection that has the row of a path such as `/notes/{id}`; undefined for other paths. */
function collectionOf(path: string): string | undefined {
  return /^([^{]*)\/\{[^}]+\}$/.exec(path)?.[1];
}

function nameOf(sent: ContractOperation, answered: ContractOperation, name: string): string {
  return sent === answered ? `${sent.id}: ${name} as it was sent` : `${answered.id}: ${name} as ${sent.id} got it`;
}
