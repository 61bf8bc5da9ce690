import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../explained-error.ts';
import { cancel, connect, type Connection, drop } from './client.ts';
import { type Result, type Row, StoreUnavailable, StoreUnusable } from '../store.ts';
import { InterruptedError, isUndone, losesConnection, translate } from './errors.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { encode } from './values.ts';

/** Runs a query, with its values as `$1`, `$2`, …: of the kinds of tables.ts, or arrays of them. */
export type Query = (text: string, ...values: unknown[]) => Promise<Result>;

/** Does some work, and again while it fails for a transient reason. */
export type WithRetries = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

/** How long the session waits before the second try, in milliseconds; before each later one, twice as long. */
const FIRST_PAUSE_MS = 20;
/** The longest that it waits before a try. */
const MAX_PAUSE_MS = 500;

/** How long before the end of its time the session cancels a query. */
const CANCEL_MS = 500;
/** How long a query may take while the server is known to be unreachable. */
const UNREACHABLE_QUERY_MS = 1000;
/** How long a portion of a long list may take. */
const PORTION_MS = 600_000;

/** It locks a row, so that the commit needs a transaction id, and waits until the standby has all earlier commits. */
const FLUSH = 'select id from schema_version for key share';

/** How many queries with values have a name: the text of one may depend on what a client sends. */
const MAX_NAMES = 200;

/**
 * The names of queries with values, each of which a connection prepares once. They come from the text alone: behind a
 * pooler the same connection of the server may serve several processes.
 */
const names = new Map<string, string>();

/** One connection to PostgreSQL at a time, made anew whenever it is lost: to the next host, if there are several. */
export class Session implements Disposable {
  private readonly location: PostgresLocation;
  private connection: Connection | undefined;
  private opening: Promise<Connection> | undefined;
  private readonly closing = new AbortController();
  private nextHost = 0;
  /** Whether the last work failed in all its tries: the next gets one short try, so that no request waits in vain. */
  private unreachable = false;

  constructor(location: PostgresLocation) {
    this.location = location;
  }

  /**
   * Does what `WithRetries` says, until a time on the clock of `performance.now()`.
   *
   * @param mayConflict whether the server may well undo the work for that of others
   * @throws what PostgreSQL or the system says, after that time or at once if it is not transient
   */
  async withRetries<T>(work: (query: Query) => Promise<T>, until: number, mayConflict = false): Promise<T> {
    const end = this.unreachable ? Math.min(until, performance.now() + UNREACHABLE_QUERY_MS) : until;
    const query: Query = (...statement) => this.query(end, ...statement);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        const result = await work(query);
        this.unreachable = false;
        return result;
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        const isConflict = mayConflict && error.isUndone;
        if (isConflict) this.unreachable = false;
        if (this.unreachable || performance.now() + pause >= end - CANCEL_MS) {
          this.unreachable = !isConflict;
          throw error;
        }
        await sleep(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  /** Runs a query once, by the time given. @throws what PostgreSQL or the system says */
  async query(until: number, ...statement: Parameters<Query>): Promise<Result> {
    return await this.queryOn(await this.getConnection(until), until, ...statement);
  }

  /**
   * Does some work in a transaction, with retries: not, unless the work is repeatable, if the answer to its commit is
   * lost. Nothing else can use the session meanwhile.
   *
   * @throws StoreUnavailable if it may have been done, or what PostgreSQL or the system says
   */
  async transaction<T>(work: (query: Query) => Promise<T>, until: number, repeatable: boolean): Promise<T> {
    const attempt = async () => {
      const connection = await this.getConnection(until);
      const query: Query = (...statement) => this.queryOn(connection, until, ...statement);
      let result;
      try {
        await query('begin isolation level serializable');
        result = await work(query);
        // A transaction that has written nothing would not wait until the standby has what it has seen.
        await query(FLUSH);
      } catch (error) {
        // In a time of its own: the work may have taken all the other.
        await this.queryOn(connection, performance.now() + UNREACHABLE_QUERY_MS, 'rollback').catch(() => {
          this.giveUp(connection);
        });
        throw error;
      }
      try {
        await query('commit');
      } catch (error) {
        if (repeatable || isUndone(error)) throw error;
        const { message } = error as Error;
        throw new StoreUnavailable(`PostgreSQL may have done this: ${message}`, { cause: error });
      }
      return result;
    };
    return await this.withRetries(attempt, until, true);
  }

  /** The rows of a query in portions, as they are at one moment. Nothing else can use the session any more. */
  async *portions(rows: number, until: number, ...query: Parameters<Query>): AsyncGenerator<readonly Row[]> {
    const connection = await this.getConnection(until);
    const run: Query = (...statement) => this.queryOn(connection, performance.now() + PORTION_MS, ...statement);
    const [text, ...values] = query;
    await run('begin');
    await run(`declare portions cursor for ${text}`, ...values);
    const fetch = async () => (await run(`fetch ${rows} from portions`)).rows;
    for (let portion = await fetch(); portion.length > 0; portion = await fetch()) yield portion;
  }

  [Symbol.dispose](): void {
    this.closing.abort();
    if (this.connection !== undefined) this.giveUp(this.connection);
  }

  private async getConnection(until: number): Promise<Connection> {
    if (this.connection !== undefined) return this.connection;
    this.opening ??= this.openConnection(until).finally(() => (this.opening = undefined));
    return await this.opening;
  }

  /** Connects to the first host that takes writes, from the one after the last one on. */
  private async openConnection(until: number): Promise<Connection> {
    const { hosts, connectTimeoutMs } = this.location;
    const failures: unknown[] = [];
    for (const host of [...hosts.slice(this.nextHost), ...hosts.slice(0, this.nextHost)]) {
      if (this.closing.signal.aborted) throw new InterruptedError('the store is closed');
      this.nextHost = (hosts.indexOf(host) + 1) % hosts.length;
      const ms = Math.max(0, Math.min(connectTimeoutMs, until - performance.now()));
      const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(Math.ceil(ms))]);
      try {
        const connection = await connect(this.location, host, signal);
        connection.client.once('end', () => {
          this.giveUp(connection);
        });
        return (this.connection = connection);
      } catch (error) {
        failures.push(error);
      }
    }
    const unusable = failures.find((failure) => failure instanceof StoreUnusable);
    // One of the others may take writes soon.
    if (unusable !== undefined && failures.some((failure) => failure instanceof InterruptedError)) {
      throw new InterruptedError(failures.map(messageOf).join('; '), { cause: unusable });
    }
    throw unusable ?? failures.at(-1);
  }

  /** Runs a query to its end, or until its time is over. */
  private async queryOn(connection: Connection, until: number, ...query: Parameters<Query>): Promise<Result> {
    const [text, ...values] = query;
    if (values.length > 0 && names.size < MAX_NAMES && !names.has(text)) {
      names.set(text, `store_${hash('sha256', text).slice(0, 16)}`);
    }
    // Before the server is asked: a value that cannot be encoded is no fault of the connection.
    const config = { text, values: values.map(encode), name: names.get(text) };
    const left = Math.max(0, until - performance.now() - CANCEL_MS);
    const overdue = setTimeout(() => {
      cancel(this.location, connection, CANCEL_MS).catch(() => undefined);
    }, left);
    const over = setTimeout(() => {
      drop(connection, new InterruptedError('PostgreSQL did not answer in time'));
    }, left + CANCEL_MS);
    try {
      const { rows, rowCount } = await connection.client.query<Row>(config);
      if (connection.standbyMissed) throw new InterruptedError('a commit did not wait for the standby');
      return { rows, changes: BigInt(rowCount ?? 0) };
    } catch (error) {
      if (losesConnection(error)) this.giveUp(connection);
      throw translate(error, serverOf(this.location));
    } finally {
      clearTimeout(overdue);
      clearTimeout(over);
    }
  }

  private giveUp(connection: Connection): void {
    if (this.connection === connection) this.connection = undefined;
    drop(connection);
  }
}
