import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'trellis-contract/ground';
import { cancel, connect, type PostgresConnection, drop, queryBehind } from './client.ts';
import type { Result, AnyRow } from '../engine.ts';
import { StoreUnavailable, StoreUnusable } from '../store-errors.ts';
import { CANCELLED, InterruptedError, losesConnection, stateOf, translate } from './errors.ts';
import { nameOfHost, type PostgresLocation, serverOf } from './location.ts';
import type { Tables } from '../tables.ts';
import { encode } from './values.ts';

/** Runs a query with the values of `$1`, `$2`, …: of the kinds of columns, or arrays of them. */
export type Query = (text: string, ...values: unknown[]) => Promise<Result>;

/** Runs `work`, and runs it again while it fails for a reason that may pass. */
export type WithRetries = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

/** The pause before the first retry. It doubles with each further retry, up to the maximum. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/** The store cancels a query this long before the deadline of the query. */
export const CANCEL_MS = 500;
/** The time limit of a query to a server that did not answer before, and of the wait for a connection to it. */
const UNREACHABLE_QUERY_MS = 1000;
const PORTION_MS = 600_000;

/** Locks a row, which takes a transaction id: the commit then waits until the standby has all earlier commits. */
const FLUSH = 'select id from schema_version for key share';

export const BEGIN = 'begin isolation level serializable';
const BEGIN_NAME = 'store_begin';

/** Limits the memory, as the text of a query may depend on a request. */
const MAX_NAMES = 200;

/** Names of prepared statements. They depend on the text alone, so that sessions may share a connection of a pooler. */
const names = new Map<string, string>([[BEGIN, BEGIN_NAME]]);

const AGAIN = Symbol('try again');

/** Calls `attempt` with the length of the next pause until it returns a result. */
export async function retrying<T>(attempt: (pause: number) => Promise<T | typeof AGAIN>): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const result = await attempt(pause);
    if (result !== AGAIN) return result;
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

/** One connection at a time. When it is lost, the session connects again, to the next host if there are several. */
export class Session implements Disposable {
  /** Whether the connection runs a statement as a serializable transaction: to change this takes a round trip. */
  isSerializable = false;
  private readonly location: PostgresLocation;
  private readonly tables: Tables;
  private readonly connections: Set<PostgresConnection>;
  private connection: PostgresConnection | undefined;
  private opening: Promise<PostgresConnection> | undefined;
  private readonly closing = new AbortController();
  private nextHost = 0;
  /** The error as long as no try to connect has failed. */
  private readonly silence: string;
  /** Why the last try to connect failed. */
  private failure: unknown;
  /** Whether all tries of the last work failed: the next work then has one short try, so that requests fail fast. */
  private unreachable: boolean;

  /** @param connections the open connections of all sessions of a store */
  constructor(
    location: PostgresLocation,
    tables: Tables,
    connections = new Set<PostgresConnection>(),
    unreachable = false,
  ) {
    this.location = location;
    this.tables = tables;
    this.connections = connections;
    this.unreachable = unreachable;
    this.silence = `no answer from ${location.hosts.map(nameOfHost).join()}`;
    this.failure = this.silence;
  }

  /**
   * Runs `work`, and runs it again until the deadline.
   *
   * @param until the deadline on the clock of `performance.now()`
   * @throws as `tryOnce` does
   */
  async withRetries<T>(work: (query: Query) => Promise<T>, until: number, ofOperation = false): Promise<T> {
    return await retrying((pause) => this.tryOnce(() => work(this.queryUntil(until)), until, pause, ofOperation));
  }

  /**
   * Runs `work` once.
   *
   * @param pause how long the pause before the next try would be
   * @param ofOperation whether the statements are those of an operation, which may conflict with others or take too
   * long although the server can be reached. The store's own statements are short
   * @returns AGAIN if it failed, and another try may succeed
   * @throws the error, at the deadline, or if a retry is pointless
   */
  async tryOnce<T>(
    work: () => Promise<T>,
    until: number,
    pause: number,
    ofOperation: boolean,
  ): Promise<T | typeof AGAIN> {
    try {
      const result = await work();
      this.unreachable = false;
      return result;
    } catch (error) {
      if (!(error instanceof InterruptedError) || this.closing.signal.aborted) throw error;
      const isReached = ofOperation && error.undone === 'work';
      if (isReached) this.unreachable = false;
      if (this.unreachable || performance.now() + pause >= until - CANCEL_MS) {
        this.unreachable = !isReached;
        throw error;
      }
      return AGAIN;
    }
  }

  /** Queries in read committed. */
  queryUntil(until: number): Query {
    const soon = () => (this.unreachable ? Math.min(until, performance.now() + UNREACHABLE_QUERY_MS) : until);
    return async (...statement) => await this.queryOn(await this.getIsolated(false, soon()), soon(), statement);
  }

  async query(until: number, ...statement: Parameters<Query>): Promise<Result> {
    return await this.queryOn(await this.getIsolated(false, until), until, statement);
  }

  /**
   * Runs one statement, once, as a serializable transaction of its own: in one round trip, unless it changes no row. No
   * other work may use the session meanwhile.
   *
   * @throws as `attempt` does for work that is not repeatable
   */
  async write(until: number, ...statement: Parameters<Query>): Promise<Result> {
    const connection = await this.getIsolated(true, until);
    const result = await commit(this.queryOn(connection, until, statement), false);
    // The commit of a change waits for the standby by itself.
    if (result.changes === 0n) await this.queryOn(connection, until, [FLUSH]);
    return result;
  }

  /** Runs `work` in a transaction, and retries it. @throws as `attempt` does */
  async transaction<T>(work: (query: Query) => Promise<T>, until: number, repeatable: boolean): Promise<T> {
    return await this.withRetries(() => this.attempt(BEGIN, work, until, repeatable), until, true);
  }

  /**
   * Runs `work` in a transaction, once. No other work may use the session meanwhile.
   *
   * @throws StoreUnavailable if the answer to the commit is lost and the work is not repeatable
   * @throws the error of PostgreSQL or the network in all other cases
   */
  async attempt<T>(begin: string, work: (query: Query) => Promise<T>, until: number, repeatable: boolean): Promise<T> {
    const connection = await this.getConnection(until);
    let changes = 0n;
    let begun: Promise<Result> | undefined;
    let isOver = false;
    const requireOpen = () => {
      if (isOver) throw new Error('the transaction is over');
    };
    const query: Query = async (...statement) => {
      requireOpen();
      const joins = begun === undefined && begin === BEGIN && connection.knowsBegin && statement.length > 1;
      // Without a transaction, the statement would take effect by itself.
      if (!joins) {
        begun ??= this.queryOn(connection, until, [begin]);
        await begun;
      }
      connection.knowsBegin ||= begin === BEGIN;
      requireOpen();
      const asked = this.queryOn(connection, until, statement, joins);
      begun ??= asked;
      const done = await asked;
      changes += done.changes;
      return done;
    };
    let result;
    try {
      result = await work(query);
      begun ??= this.queryOn(connection, until, [begin]);
      await begun;
    } catch (error) {
      isOver = true;
      if (begun === undefined) throw error;
      // With a new deadline, as the work may have run past `until`.
      await this.queryOn(connection, performance.now() + UNREACHABLE_QUERY_MS, ['rollback']).catch(() => {
        this.giveUp(connection);
      });
      throw error;
    }
    // Without FLUSH, a transaction that only reads would not wait until the standby has the rows that it has read. If
    // FLUSH fails, the commit, which goes with it, rolls back.
    const end = changes > 0n ? ['commit'] : [FLUSH, 'commit'];
    await commit(Promise.all(end.map((each) => query(each))), repeatable);
    return result;
  }

  /**
   * Reads the rows of a query in portions, all from one snapshot. The transaction stays open, so the caller must not
   * use the session again.
   */
  async *portions(size: number, until: number, ...query: Parameters<Query>): AsyncGenerator<readonly AnyRow[]> {
    const connection = await this.getConnection(until);
    const run: Query = (...statement) => this.queryOn(connection, performance.now() + PORTION_MS, statement);
    const [text, ...values] = query;
    await run('begin');
    await run(`declare portions cursor for ${text}`, ...values);
    const fetch = async () => (await run(`fetch ${size} from portions`)).rows;
    for (let portion = await fetch(); portion.length > 0; portion = await fetch()) yield portion;
  }

  [Symbol.dispose](): void {
    this.closing.abort();
    if (this.connection !== undefined) this.giveUp(this.connection);
  }

  /** After `until` the session goes on connecting, for later calls: one call may be too short for a distant server. */
  private async getConnection(until: number): Promise<PostgresConnection> {
    if (this.connection !== undefined) return this.connection;
    this.opening ??= this.openConnection().finally(() => {
      this.opening = undefined;
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        const { failure } = this;
        reject(failure instanceof StoreUnusable ? failure : new InterruptedError(messageOf(failure)));
      },
      Math.max(0, until - performance.now()),
    );
    return await Promise.race([this.opening, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  private async getIsolated(serializable: boolean, until: number): Promise<PostgresConnection> {
    const connection = await this.getConnection(until);
    const isolation = serializable ? 'serializable' : 'read committed';
    if (this.isSerializable !== serializable)
      await this.queryOn(connection, until, [`set default_transaction_isolation = '${isolation}'`]);
    this.isSerializable = serializable;
    return connection;
  }

  /** Connects to the first host that accepts writes, beginning with the host after the last one tried. */
  private async openConnection(): Promise<PostgresConnection> {
    const { hosts, connectTimeoutMs } = this.location;
    const failures: unknown[] = [];
    for (const host of [...hosts.slice(this.nextHost), ...hosts.slice(0, this.nextHost)]) {
      if (this.closing.signal.aborted) throw new InterruptedError('the store is closed');
      this.nextHost = (hosts.indexOf(host) + 1) % hosts.length;
      const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(connectTimeoutMs)]);
      try {
        const connection = await connect(this.location, host, signal);
        this.connections.add(connection);
        connection.client.once('end', () => {
          this.giveUp(connection);
        });
        this.isSerializable = false;
        this.failure = this.silence;
        this.connection = connection;
        return connection;
      } catch (error) {
        failures.push(error);
      }
    }
    const unusable = failures.find((failure) => failure instanceof StoreUnusable);
    const mayPass = failures.some((failure) => failure instanceof InterruptedError);
    const error =
      unusable !== undefined && mayPass
        ? new InterruptedError(failures.map(messageOf).join('; '), { cause: unusable })
        : (unusable ?? failures.at(-1));
    this.failure = error;
    throw error;
  }

  /** @param joins whether to begin a transaction before the statement, in the same message */
  private async queryOn(
    connection: PostgresConnection,
    until: number,
    [text, ...values]: Parameters<Query>,
    joins = false,
  ): Promise<Result> {
    if (values.length > 0 && names.size < MAX_NAMES && !names.has(text)) {
      names.set(text, `store_${hash('sha256', text).slice(0, 16)}`);
    }
    // Outside the `try`, as a value that cannot be encoded is no fault of the connection.
    const config = { text, values: values.map(encode), name: names.get(text) };
    const begunAt = performance.now();
    const left = Math.max(0, until - begunAt - CANCEL_MS);
    let overran: string | undefined;
    let over: NodeJS.Timeout | undefined;
    const onWait = (forLock: boolean) => {
      const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
      overran = forLock ? `a query waited ${seconds} s for a lock` : `a query took longer than ${seconds} s`;
    };
    const overdue = setTimeout(() => {
      over = setTimeout(() => {
        drop(connection, new InterruptedError('PostgreSQL did not answer in time'));
      }, CANCEL_MS);
      cancel(this.location, connection, CANCEL_MS, onWait).catch(() => undefined);
    }, left);
    try {
      const answer = joins ? queryBehind(BEGIN_NAME, connection, config) : connection.client.query<AnyRow>(config);
      const { rows, rowCount, command } = await answer;
      if (connection.standbyMissed) throw new InterruptedError('a commit did not wait for the standby');
      return { rows, changes: command === 'SELECT' ? 0n : BigInt(rowCount ?? 0) };
    } catch (error) {
      const failed = { text, tables: this.tables };
      if (losesConnection(error, failed)) this.giveUp(connection);
      // The server calls each cancellation a "user request": this error says why.
      if (overran !== undefined && stateOf(error) === CANCELLED)
        throw new InterruptedError(overran, { cause: error }, 'work');
      throw translate(error, serverOf(this.location), failed);
    } finally {
      clearTimeout(overdue);
      clearTimeout(over);
    }
  }

  private giveUp(connection: PostgresConnection): void {
    if (this.connection === connection) this.connection = undefined;
    this.connections.delete(connection);
    drop(connection);
  }
}

/** @throws StoreUnavailable if it is unknown whether the commit took effect, and the work must not run again */
async function commit<T>(answer: Promise<T>, repeatable: boolean): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const mayBeDone = error instanceof InterruptedError && error.undone === undefined;
    if (repeatable || !mayBeDone) throw error;
    throw new StoreUnavailable(`PostgreSQL may have committed the transaction: ${error.message}`, { cause: error });
  }
}
