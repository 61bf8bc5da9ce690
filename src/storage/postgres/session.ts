import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../columns.ts';
import { cancel, connect, type Connection, drop } from './client.ts';
import { StoreUnusable } from '../store.ts';
import { InterruptedError, translate } from './errors.ts';
import { type PostgresLocation, serverOf } from './location.ts';

/** A value that goes into a query. */
export type Value = string | number | bigint | Uint8Array | null | readonly (bigint | string | undefined)[];

/** Runs a query, with its values as `$1`, `$2`, …, and answers with its rows. */
export type Run = (text: string, ...values: Value[]) => Promise<readonly Row[]>;

/** How long to wait before the next try, in milliseconds: twice as long each time, up to a limit. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** How long before the end of its time a query is cancelled. */
const CANCEL_MS = 500;
/** How long a query may take while the server is known to be away. */
const AWAY_MS = 1000;
/** How long a portion of a long list may take. */
const PORTION_MS = 600_000;

/** The names of queries with values, each of which a connection prepares once. */
const names = new Map<string, string>();

/** One connection to PostgreSQL at a time, made anew whenever it is lost: to the next host, if there are several. */
export class Line implements Disposable {
  private readonly location: PostgresLocation;
  private connection: Connection | undefined;
  private connecting: Promise<Connection> | undefined;
  private readonly closing = new AbortController();
  private nextHost = 0;
  /** Whether what was tried last failed to the end: then one short try must do, so that no request waits in vain. */
  private away = false;

  constructor(location: PostgresLocation) {
    this.location = location;
  }

  /**
   * Does some work, and again if what went wrong may pass, until the time given on the clock of `performance.now()`.
   *
   * @throws what PostgreSQL or the system says, past that time or if it will not pass
   */
  async attempt<T>(until: number, work: (run: Run) => Promise<T>): Promise<T> {
    const end = this.away ? Math.min(until, performance.now() + AWAY_MS) : until;
    const run: Run = (...query) => this.run(end, ...query);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await work(run);
        this.away = false;
        return result;
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        if (this.away || performance.now() + pause >= end - CANCEL_MS) {
          this.away = true;
          throw error;
        }
        await sleep(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  /** Runs a query once, by the time given. @throws what PostgreSQL or the system says */
  async run(until: number, ...query: Parameters<Run>): Promise<readonly Row[]> {
    return await this.ask(await this.connected(until), until, ...query);
  }

  /** The rows of a query in portions, as they are at one moment. Nothing else can use the line any more. */
  async *portions(text: string, rows: number, until: number): AsyncGenerator<readonly Row[]> {
    const connection = await this.connected(until);
    const run = (query: string) => this.ask(connection, performance.now() + PORTION_MS, query);
    await run(`begin; declare portions cursor for ${text}`);
    const fetch = `fetch ${rows} from portions`;
    for (let portion = await run(fetch); portion.length > 0; portion = await run(fetch)) yield portion;
  }

  [Symbol.dispose](): void {
    this.closing.abort();
    if (this.connection !== undefined) this.giveUp(this.connection);
  }

  private async connected(until: number): Promise<Connection> {
    if (this.connection !== undefined) return this.connection;
    this.connecting ??= this.connect(until).finally(() => (this.connecting = undefined));
    return await this.connecting;
  }

  /** Connects to the first host that takes writes, from the one after the last one on. */
  private async connect(until: number): Promise<Connection> {
    const { hosts, connectTimeoutMs } = this.location;
    let failure: unknown;
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
        // What an operator must set right is told before what may pass.
        failure = failure instanceof StoreUnusable ? failure : error;
      }
    }
    throw failure;
  }

  /** Runs a query to its end, or until its time is over. */
  private async ask(connection: Connection, until: number, ...query: Parameters<Run>): Promise<readonly Row[]> {
    const [text, ...values] = query;
    if (values.length > 0 && !names.has(text)) names.set(text, `plants_${names.size}`);
    const left = Math.max(0, until - performance.now() - CANCEL_MS);
    const overdue = setTimeout(() => {
      cancel(this.location, connection, CANCEL_MS).catch(() => undefined);
    }, left);
    const over = setTimeout(() => {
      drop(connection, new InterruptedError('PostgreSQL did not answer in time'));
    }, left + CANCEL_MS);
    try {
      const { rows } = await connection.client.query<Row>({ text, values, name: names.get(text) });
      if (connection.warned) throw new InterruptedError('a commit did not wait for the standby');
      return rows;
    } catch (error) {
      const failure = translate(error, serverOf(this.location));
      // Another one may be to a server that can do it.
      if (failure instanceof InterruptedError) this.giveUp(connection);
      throw failure;
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
