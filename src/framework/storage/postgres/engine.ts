import { setTimeout as sleep } from 'node:timers/promises';
import { Batches, STORE_PATIENCE_MS } from '../batches.ts';
import {
  ConstraintViolated,
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
  StoreUnusable,
} from '../store.ts';
import type { Item } from '../tables.ts';
import { doWork } from '../transaction.ts';
import { Turns } from '../turns.ts';
import { createBatch, insert, tryNone } from './batch.ts';
import { atWork, InterruptedError, POOLER, StatementRejectedError } from './errors.ts';
import { type Query, Session } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { migrate } from './migrations.ts';

/** While PostgreSQL flushes one batch, it works on the other. */
const MAX_CONCURRENT_BATCHES = 2;
/** For queries and transactions of operations, which have a connection each. */
const MAX_CONCURRENT_QUERIES = 8;
const REOPEN_PAUSE_MS = 1000;

const deadline = () => performance.now() + STORE_PATIENCE_MS;

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
  /** Shared by all short reads. */
  private readonly session: Session;
  /** For `ready`, which may wait for a lock: look-ups of tokens do not wait with it. */
  private readonly readiness: Session;
  private readonly idleSessions: Session[] = [];
  private readonly turns = new Turns(MAX_CONCURRENT_QUERIES);
  private readonly batches: Batches;
  private readonly closing = new AbortController();
  /** The reason why calls fail until the store is open. */
  private notOpen: Error | undefined = new StoreUnavailable('the store is being opened');

  constructor(location: PostgresLocation, opening: Opening) {
    this.location = location;
    this.session = new Session(location);
    this.readiness = new Session(location);
    this.batches = new Batches((...batch) => this.write(...batch), MAX_CONCURRENT_BATCHES, opening.observer);
    this.observer = opening.observer;
    this.opened = this.open(opening);
    // The caller may await `opened` only after it has failed.
    this.opened.catch(() => undefined);
  }

  create(item: Item): Promise<Creation> {
    // The batches count failures, but this failure does not reach them.
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

  async *portions({ sql, values }: Statement, size: number): AsyncGenerator<readonly Row[]> {
    if (this.notOpen !== undefined) throw this.notOpen;
    using session = new Session(this.location);
    try {
      yield* session.portions(size, deadline(), sql, ...values);
    } catch (error) {
      throw atWork(error);
    }
  }

  waiting(): number {
    return this.batches.length;
  }

  async ready(): Promise<void> {
    await this.batches.ask(async (failed) => {
      await this.translated(() => this.readiness.withRetries(tryNone, deadline()));
      if (failed.length > 0) await this.tryOut(failed);
    });
  }

  /** Inserts items and rolls back, which leaves dead rows: once for a batch that failed, as a success ends the failure. */
  private async tryOut(items: readonly Item[]): Promise<void> {
    const undone = new Error('the insert succeeded, and is rolled back');
    const attempt = async (query: Query) => {
      await insert(query, items);
      throw undone;
    };
    try {
      await this.withSession((session) => session.transaction(attempt, deadline(), false));
    } catch (error) {
      const isAnswer = [StatementRejectedError, ConstraintViolated].some((each) => error instanceof each);
      if (error !== undone && !isAnswer) throw error;
    }
  }

  async close(): Promise<void> {
    await this.batches.idle();
    this.closing.abort();
    for (const session of [this.session, this.readiness, ...this.idleSessions]) session[Symbol.dispose]();
  }

  private async open({ create, onUnreachable }: Opening): Promise<Schema> {
    const server = serverOf(this.location);
    for (;;) {
      try {
        const patience = onUnreachable === undefined ? STORE_PATIENCE_MS : REOPEN_PAUSE_MS;
        const schema = await migrate(this.session, server, create, performance.now() + patience);
        await this.requireSessions(server);
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

  /** Two open sessions have two processes of the server, unless a pooler gives each statement any of its connections. */
  private async requireSessions(server: string): Promise<void> {
    using other = new Session(this.location);
    const pids = [];
    for (const session of [this.session, other]) {
      const { rows } = await session.withRetries((query) => query('select pg_backend_pid() as pid'), deadline());
      pids.push(rows[0]?.['pid']);
    }
    if (pids[0] === pids[1]) throw new StoreUnusable(`${server} gives two sessions one connection: ${POOLER}`);
  }

  private withRetries<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.translated(() => this.session.withRetries(work, deadline()));
  }

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
