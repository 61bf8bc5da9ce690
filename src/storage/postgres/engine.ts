import { setTimeout as sleep } from 'node:timers/promises';
import { Batches, STORE_PATIENCE_MS } from '../batches.ts';
import {
  type Creation,
  type Engine,
  observed,
  type Opening,
  type Outcome,
  type Result,
  type Row,
  type Run,
  type Schema,
  type Statement,
  type StoreObserver,
  StoreUnavailable,
} from '../store.ts';
import { type Item, TABLES } from '../tables.ts';
import { doWork } from '../transaction.ts';
import { Turns } from '../turns.ts';
import { createBatch } from './batch.ts';
import { atWork, InterruptedError } from './errors.ts';
import { type Query, Session } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { migrate } from './migrations.ts';

/** How many batches are written at once: while PostgreSQL flushes one, it works on the other. */
const MAX_CONCURRENT_BATCHES = 2;
/** How many queries and transactions of operations are under way at once: each has a connection of its own. */
const MAX_CONCURRENT_QUERIES = 8;
/** How long the store waits before it tries an unreachable server again, in milliseconds. */
const REOPEN_PAUSE_MS = 1000;

/** When a query that begins now must have ended, on the clock of `performance.now()`. */
const deadline = () => performance.now() + STORE_PATIENCE_MS;

/**
 * The statement locks a row, so it needs a transaction id, and its commit waits for the standby like an insert. A
 * read-only standby rejects it. It leaves no dead row. It reads no row of the other tables, but they must be there. It
 * does not notice a full disk: for that a table must grow.
 */
const READY = `select ${Object.keys(TABLES)
  .map((table) => `(select 1 from "${table}" limit 0)`)
  .join()} from schema_version for key share skip locked`;

/**
 * PostgreSQL, through a few connections. A query that is lost with one of them runs again for a while: the item itself
 * tells whether it was stored, so that no answer is missed.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openPostgres(location: PostgresLocation, opening: Opening): Promise<Engine> {
  const store = new PostgresEngine(location, opening);
  if (opening.onUnreachable !== undefined) return store;
  try {
    await store.opened;
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

class PostgresEngine implements Engine {
  readonly opened: Promise<Schema>;
  private readonly location: PostgresLocation;
  private readonly observer: StoreObserver | undefined;
  /** For statements that read and are short, all at once. */
  private readonly session: Session;
  /** Idle sessions for all other work, kept for reuse. */
  private readonly idleSessions: Session[] = [];
  private readonly turns = new Turns(MAX_CONCURRENT_QUERIES);
  private readonly batches: Batches;
  private readonly closing = new AbortController();
  /** Why the store is not open yet, undefined when it is. */
  private notOpen: Error | undefined = new StoreUnavailable('the store is being opened');

  constructor(location: PostgresLocation, opening: Opening) {
    this.location = location;
    this.session = new Session(location);
    this.batches = new Batches((...batch) => this.write(...batch), MAX_CONCURRENT_BATCHES, opening.observer);
    this.observer = opening.observer;
    this.opened = this.open(opening);
    // The caller may look at this later.
    this.opened.catch(() => undefined);
  }

  create(item: Item): Promise<Creation> {
    // No batch is written, and none counted.
    if (this.notOpen !== undefined) return observed(Promise.reject(this.notOpen), this.observer);
    return this.batches.add(item);
  }

  createAll(items: readonly Item[]): Promise<Outcome[]> {
    const until = deadline();
    return this.turns.take(() => this.write(items, until));
  }

  readonly run: Run = async (statement) => {
    if (statement.writes) return await this.transaction((run) => run(statement), false);
    return await this.inTurn((session, until) => session.withRetries((query) => runBy(query, statement), until));
  };

  readonly runShort: Run = async (statement) => {
    if (statement.writes) return await this.run(statement);
    return await this.withRetries((query) => runBy(query, statement));
  };

  async transaction<T>(work: (run: Run) => Promise<T>, repeatable: boolean): Promise<T> {
    return await this.inTurn((session, until) => {
      const workOn = (query: Query) =>
        doWork(work, (statement) => runBy(query, statement), Math.max(0, until - performance.now()));
      return session.transaction(workOn, until, repeatable);
    });
  }

  async *portions({ sql, values }: Statement, rows: number): AsyncGenerator<readonly Row[]> {
    if (this.notOpen !== undefined) throw this.notOpen;
    // A session of its own, as nothing else can use it meanwhile.
    using session = new Session(this.location);
    try {
      yield* session.portions(rows, deadline(), sql, ...values);
    } catch (error) {
      throw atWork(error);
    }
  }

  waiting(): number {
    return this.batches.length;
  }

  async ready(): Promise<void> {
    await this.withRetries((query) => query(READY));
  }

  async close(): Promise<void> {
    await this.batches.idle();
    this.closing.abort();
    for (const session of [this.session, ...this.idleSessions]) session[Symbol.dispose]();
  }

  private async open({ create, onUnreachable }: Opening): Promise<Schema> {
    const server = serverOf(this.location);
    for (;;) {
      try {
        const patience = onUnreachable === undefined ? STORE_PATIENCE_MS : REOPEN_PAUSE_MS;
        const schema = await migrate(this.session, server, create, performance.now() + patience);
        this.notOpen = undefined;
        return schema;
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw (this.notOpen = error as Error);
        const unavailable = new StoreUnavailable(`${server} is not available: ${error.message}`, { cause: error });
        this.notOpen = unavailable;
        if (onUnreachable === undefined) throw unavailable;
        onUnreachable(unavailable);
        await sleep(REOPEN_PAUSE_MS, undefined, { signal: this.closing.signal });
      }
    }
  }

  /** Does what `WithRetries` says. @throws as the interface has it */
  private withRetries<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.translated(() => this.session.withRetries(work, deadline()));
  }

  /** @throws as the interface has it */
  private async translated<T>(work: () => Promise<T>): Promise<T> {
    if (this.notOpen !== undefined) throw this.notOpen;
    try {
      return await work();
    } catch (error) {
      throw atWork(error);
    }
  }

  private async write(items: readonly Item[], until: number): Promise<Outcome[]> {
    const outcomes = await this.withSession((session) =>
      createBatch((work) => session.withRetries(work, until), items),
    );
    return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : atWork(outcome)));
  }

  private inTurn<T>(work: (session: Session, until: number) => Promise<T>): Promise<T> {
    const until = deadline();
    return this.turns.take(() => this.withSession((session) => work(session, until)));
  }

  /** Does work with a session that nothing else uses meanwhile. @throws as the interface has it */
  private async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.idleSessions.pop() ?? new Session(this.location);
    try {
      return await this.translated(() => work(session));
    } finally {
      if (this.closing.signal.aborted) session[Symbol.dispose]();
      else this.idleSessions.push(session);
    }
  }
}

function runBy(query: Query, { sql, values }: Statement): Promise<Result> {
  return query(sql, ...values);
}
