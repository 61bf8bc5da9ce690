import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { exportRecords } from '../../src/commands/export.ts';
import type { Io } from '../../src/terminal/io.ts';
import { readConfig } from '../../src/config.ts';
import { type Contract, type ContractOperation, loadContract, type Position } from 'trellis-contract';
import { ErrorNumber, exactJson, messageOf } from 'trellis-contract/ground';
import {
  Derivation,
  isObject,
  type JsonObject,
  type JsonValue,
  type Parts,
  type Wire,
  wireOf,
  withMember,
} from 'trellis-contract/derivation';
import type { TestInstance } from '../instance.ts';
import { Checker, type Subject } from './check.ts';
import { damaged } from './damaged.ts';
import { judgeByAjv, type JudgeOf, judgeRequest } from './judge.ts';
import { isCreation, isKey, type Key, keyName } from './rows.ts';
import { read, spell } from './spelling.ts';

/** What to send, and facts about the service that its contract does not have. */
export interface DeriveOptions {
  /** The error number of the answer to a record whose key belongs to a different one. */
  readonly conflict: number;
  /** The least number of requests. */
  readonly requests?: number;
  /** The most messages of each kind for each operation; by default all. Of valid rows, four times as many, beside those with each member. */
  readonly samples?: number;
  /** Decides all random choices: with the seed that a failure names, the run can be repeated. */
  readonly seed?: number;
  /** Makes a valid body acceptable, as the rows that it refers to must exist. By default, every valid body is. */
  readonly related?: (operation: string, body: JsonObject) => Promise<JsonObject>;
  /** Judges whether a message is valid; by default, Ajv does. */
  readonly judgeOf?: JudgeOf;
}

/** How many requests are under way at once. */
const AT_ONCE = 8;

/** The number of rows that each operation which reads must find again. */
const MAX_READ = 300;

export interface Derived {
  /** How many requests of each kind got the right answer. */
  readonly counts: ReadonlyMap<string, number>;
  /** The members that no accepted request had, and those that no reply has shown again. */
  readonly never: readonly string[];
}

/** See index.ts. */
export async function derive(
  instance: TestInstance,
  { conflict, requests = 200, samples = Infinity, seed = 1, related, judgeOf = judgeByAjv }: DeriveOptions,
): Promise<Derived> {
  const { service, url } = instance;
  const contract = await loadContract(service.contract, service.errorBody);
  const base = url + contract.basePath;
  const subject: Subject = {
    service,
    url: base,
    token: await instance.token(),
    conflict,
    judgeOf,
  };
  const checker = new Checker(contract, subject);
  const sum = () => checker.counts.values().reduce((count, each) => count + each, 0);
  const { document, operations } = contract;
  let keys = FIRST_KEY;
  const relations = new Map<string, Promise<JsonObject>>();
  const isRecord = ({ id }: ContractOperation) => Object.values(service.records).includes(id);
  const keyOf = (operation: ContractOperation) => keyName(service, operation);
  let hasOthers = false;
  /** Relates each record only once, as the service must recognise the record when it is sent again. */
  const relate = async (operation: ContractOperation, body: JsonObject) => {
    const make = async () => (await related?.(operation.id, body)) ?? body;
    if (!isRecord(operation)) return await make();
    const made = await relations.getOrInsertComputed(`${operation.id} ${exactJson(body)}`, make);
    hasOthers ||= made !== body;
    return made;
  };
  /** A failure begins with the seed, by which the run can be repeated. */
  const named = async <T>(check: () => Promise<T>, at = seed): Promise<T> => {
    try {
      return await check();
    } catch (error) {
      throw new Error(`seed ${at}: ${messageOf(error)}`, { cause: error });
    }
  };
  const derivationOf = (at: number) => new Derivation(document, { seed: at });
  const first = derivationOf(seed);
  const trialsOfAll = async (some: readonly ContractOperation[], at: number) => {
    const derivation = at === seed ? first : derivationOf(at);
    const relating = { derivation, relate, isRecord, keyOf, judgeOf };
    const all = await Promise.all(some.map((each) => trialsOf(each, contract, at, relating, () => keys++)));
    return all.flatMap((trials) => sampled(trials, samples));
  };
  const sendAll = async (some: readonly ContractOperation[], least: number) => {
    for (let round = 0; some.length > 0 && sum() < least; round++) {
      const trials = (await named(() => trialsOfAll(some, seed + round), seed + round)).values();
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (const { wires, send } of trials) {
          await send(checker).catch((error: unknown) => {
            throw new Error(`seed ${seed + round}: ${JSON.stringify(wires)}`, { cause: error });
          });
        }
      });
      await Promise.all(workers);
    }
  };
  const others = operations.filter((each) => !isRecord(each));
  await sendAll(operations.filter(isRecord), requests);
  for (const [table, id = ''] of Object.entries(service.records)) {
    const accepted = checker.stored.get(id) ?? new Map<Key, string>();
    await named(async () => requireSame(accepted, await exported(instance, table), checker.hasKeyless || hasOthers));
  }
  // Other operations may change the store, so they run after the comparison, and those that change rows at the end.
  const creations = others.filter((each) => isCreation(each, document, keyOf(each)));
  await sendAll(creations, sum() + requests);
  const sent = [...checker.rows.sent.values()];
  const isTelling = teller();
  const telling = sent.filter(({ body, path }) => isTelling(body, path));
  const rows = new Set([...telling, ...spread(sent, Math.min(samples, MAX_READ))]);
  for (const operation of others.filter(({ method }) => method === 'GET'))
    for (const row of rows) await named(() => checker.reads(operation, row));
  await sendAll(
    others.filter((each) => !creations.includes(each)),
    sum() + requests,
  );
  return { counts: checker.counts, never: [...checker.rows.never, ...checker.echoes.never] };
}

/** Beyond 2^53, so that a double would round it. */
const FIRST_KEY = 5_000_000_000_000_000_001n;

/** Makes a key of a number, in the form of another key: an int64, or a UUID. */
function keyLike(other: Key, number: bigint): Key {
  if (typeof other === 'bigint') return number;
  return `00000000-0000-4000-8000-${number.toString(16).slice(-12).padStart(12, '0')}`;
}

interface Trial {
  readonly kind: string;
  readonly wires: readonly Wire[];
  readonly send: (checker: Checker) => Promise<void>;
}

interface Relating extends Pick<Subject, 'judgeOf'> {
  readonly derivation: Derivation;
  readonly relate: (operation: ContractOperation, body: JsonObject) => Promise<JsonObject>;
  readonly isRecord: (operation: ContractOperation) => boolean;
  readonly keyOf: (operation: ContractOperation) => string;
}

/** How many times more rows are sent than messages of each other kind: a store keeps them. */
const ROWS = 4;
/** The bodies of an operation that are sent for each member, and the rows that are read again for it. */
const TELLING = 2;

/** Picks at most `most` from all parts of a list. */
const spread = <Each>(all: readonly Each[], most: number): Each[] =>
  all.filter((_, at) => at % Math.max(1, Math.ceil(all.length / most)) === 0);

/** Some bodies with each member, at most `ROWS * most` bodies with a key of their own, and `most` of each other kind. */
function sampled(trials: readonly Trial[], most: number): Trial[] {
  const kinds = Map.groupBy(trials, ({ kind }) => kind);
  const limits: Readonly<Record<string, number>> = { telling: Infinity, fresh: ROWS * most };
  const kept = new Set([...kinds].flatMap(([kind, each]) => spread(each, limits[kind] ?? most)));
  return trials.filter((each) => kept.has(each));
}

/** Returns whether a body has a member that few bodies before it had, of those with the same path. */
function teller() {
  const told = new Map<string, number>();
  return (body: JsonValue | undefined, path = ''): boolean => {
    const members = isObject(body) ? Object.keys(body).map((name) => `${path} ${name}`) : [];
    const rare = members.filter((each) => (told.get(each) ?? 0) < TELLING);
    for (const each of rare) told.set(each, (told.get(each) ?? 0) + 1);
    return rare.length > 0;
  };
}

async function trialsOf(
  operation: ContractOperation,
  { document }: Contract,
  seed: number,
  { derivation, relate, isRecord, keyOf, judgeOf }: Relating,
  nextKey: () => bigint,
): Promise<Trial[]> {
  const trials = derivation.ofRequests(operation).map(async ({ mediaType, schema, messages }) => {
    const judge = judgeRequest(await judgeOf(schema, derivation.requests.document));
    const isTelling = teller();
    return messages.flatMap(({ parts, wire }, at) => {
      /** A trial of the same body with a key of its own, which no other body has; none if the body has no key. */
      const fresh = ({ body }: Parts, kind = 'fresh'): Trial[] => {
        const name = keyOf(operation);
        const key = isCreation(operation, document, name) && isObject(body) ? body[name] : undefined;
        if (!isKey(key)) return [];
        const own = withMember(body as JsonObject, name, keyLike(key, nextKey()));
        if (judge({ ...parts, body: own }).length > 0) return [];
        const send = async (checker: Checker) => {
          const sent = { ...parts, body: await relate(operation, own) };
          const wires = [wireOf(operation, mediaType, sent), speltAgain(sent)].filter((each) => each !== undefined);
          await checker.fresh(operation, sent.body, wires);
        };
        return [{ kind, wires: [wire], send }];
      };
      const choices = [at, seed, at + 1, seed + at];
      const speltAgain = (each: Parts) => wireOf(operation, mediaType, each, (value) => spell(value, choices));
      const again = speltAgain(parts);
      // A request without its body gets an error number of its own.
      if (again === undefined || (wire.body === undefined && operation.body?.required === true)) return [];
      const refused = (kind: string, sent: Wire, number: ErrorNumber): Trial => ({
        kind,
        wires: [sent],
        send: (checker) => checker.invalid(kind, operation, sent, number),
      });
      const valid = async (checker: Checker) => {
        const isRelated = isRecord(operation) && isObject(parts.body);
        const sent = isRelated ? { ...parts, body: await relate(operation, parts.body) } : parts;
        const spelt = [wireOf(operation, mediaType, sent) ?? wire, speltAgain(sent) ?? again] as const;
        await checker.valid(operation, sent.body, spelt);
        // A derived path names no row.
        const key = isRecord(operation) ? undefined : checker.echoes.keyFor(operation, at);
        const [name = ''] = Object.keys(parts.path);
        const ofRow = key === undefined ? undefined : wireOf(operation, mediaType, { ...sent, path: { [name]: key } });
        if (key !== undefined && ofRow !== undefined) await checker.ofRow(operation, sent.body, ofRow, key);
      };
      const position = operation.body?.types.get(mediaType ?? '')?.position;
      if (judge(parts).length > 0 || losesDigits(parts.body, position))
        return [refused('refused', wire, ErrorNumber.contractBroken)];
      const kind = isTelling(parts.body) ? 'telling' : undefined;
      return [
        ...fresh(parts, kind),
        { kind: kind ?? 'valid', wires: [wire, again], send: valid },
        ...(operation.body === undefined ? [] : damaged(wire, at, operation.body)).map((each) => refused(...each)),
      ];
    });
  });
  return (await Promise.all(trials)).flat();
}

/** Whether a double would not keep an integer of the value which no schema types: the service refuses it. */
function losesDigits(value: JsonValue | undefined, position: Position | undefined): boolean {
  if (position === undefined) return false;
  if (typeof value === 'bigint') return position.number(String(value)) === undefined;
  if (Array.isArray(value)) return value.some((each: JsonValue, index) => losesDigits(each, position.item(index)));
  return isObject(value) && Object.entries(value).some(([name, each]) => losesDigits(each, position.member(name)));
}

/** Sorts the members by name: a request and the export may order them differently. */
function byName(json: string): string {
  const members = Object.entries(read(json) as JsonObject);
  return exactJson(Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1))));
}

/** The records of the store, as the command `export` writes them; the command line itself would read `.env`. */
async function exported({ service, databaseUrl }: TestInstance, table: string): Promise<string> {
  let written = '';
  const write = (more: string | Uint8Array) => {
    written += more.toString();
    return true;
  };
  const stream = { isTTY: false, columns: 80 };
  const streams = {
    stdin: Readable.from([]),
    stdout: { ...stream, write },
    stderr: { ...stream, write: () => true },
  };
  const io = Object.assign(new EventEmitter(), {
    env: {},
    ...streams,
    ...{ pid: process.pid, exit: () => undefined, kill: () => undefined },
  }) satisfies Io;
  const config = readConfig(service, { DATABASE_URL: databaseUrl });
  await exportRecords({ service, config, io }, undefined, { table });
  return written;
}

/**
 * @param hasOthers whether the test has also made rows whose bodies it does not know: to which records refer, or whose
 *   keys the service has made
 * @throws Error unless the export has exactly the accepted bodies, digit for digit, in the order of their keys
 */
function requireSame(accepted: ReadonlyMap<Key, string>, exported: string, hasOthers: boolean): void {
  const expected = [...accepted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, json]) => byName(json));
  const all = exported.split('\n').slice(0, -1).map(byName);
  const found = hasOthers ? all.filter((each) => expected.includes(each)) : all;
  if (isDeepStrictEqual(found, expected)) return;
  const longer = found.length > expected.length ? found : expected;
  const at = longer.findIndex((_, index) => expected[index] !== found[index]);
  throw new Error(
    `the store has ${found.length} records, where ${expected.length} were accepted; ` +
      `number ${at + 1} is ${found[at] ?? 'missing'}, where ${expected[at] ?? 'none'} was accepted`,
  );
}
