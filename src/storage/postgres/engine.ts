import { setTimeout as sleep } from 'node:timers/promises';
import { Batches, STORE_PATIENCE_MS } from '../batches.ts';
import { COLUMN_LIST, toPlant } from '../columns.ts';
import {
  observed,
  type Opening,
  type Outcome,
  type Schema,
  type Store,
  type StoredPlant,
  StoreUnavailable,
} from '../store.ts';
import { atWork, InterruptedError } from './errors.ts';
import { type Query, Session } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { migrate } from './migrations.ts';
import { createBatch } from './plants.ts';
import { tokenStore } from './tokens.ts';

/** How many batches are written at once: while PostgreSQL flushes one, it works on the other. */
const MAX_CONCURRENT_BATCHES = 2;
/** How many plants `list` hands out at a time. */
const PORTION = 1000;
/** How long the store waits before it tries an unreachable server again, in milliseconds. */
const REOPEN_PAUSE_MS = 1000;

/** When a query that begins now must have ended, on the clock of `performance.now()`. */
const deadline = () => performance.now() + STORE_PATIENCE_MS;

/**
 * The statement locks a row, so it needs a transaction id, and its commit waits for the standby like an insert. A
 * read-only standby rejects it. It leaves no dead row. It does not notice a full disk: for that a table must grow.
 */
const READY = 'select id from schema_version for key share skip locked';
/** The same, which no other lock skips: its commit waits until the standby has all earlier commits. */
const FLUSH = 'select id from schema_version for key share';

/**
 * PostgreSQL, through a few connections. A query that is lost with one of them runs again for a while: the plant itself
 * tells whether it was stored, so that no answer is missed.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openPostgres(location: PostgresLocation, opening: Opening): Promise<Store> {
  const store = new PostgresStore(location, opening);
  if (opening.onUnreachable !== undefined) return store;
  try {
    await store.opened;
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

class PostgresStore implements Store {
  readonly opened: Promise<Schema>;
  readonly plants: Store['plants'];
  readonly tokens: Store['tokens'];
  private readonly location: PostgresLocation;
  /** For everything but the creation of plants. */
  private readonly session: Session;
  /** Idle write connections, kept for reuse. */
  private readonly idleWriters: Session[] = [];
  private readonly batches: Batches;
  private readonly closing = new AbortController();
  /** Why the store is not open yet, undefined when it is. */
  private notOpen: Error | undefined = new StoreUnavailable('the store is being opened');

  constructor(location: PostgresLocation, opening: Opening) {
    this.location = location;
    this.session = new Session(location);
    this.batches = new Batches((...batch) => this.write(...batch), MAX_CONCURRENT_BATCHES, opening.observer);
    this.plants = {
      create: (plant) => {
        // No batch is written, and none counted.
        if (this.notOpen !== undefined) return observed(Promise.reject(this.notOpen), opening.observer);
        return this.batches.add(plant);
      },
      createAll: (plants) => this.write(plants, deadline()),
      list: () => this.list(),
      count: () => this.count(),
      remove: (id) => this.change('delete from plants where id = $1::bigint returning id', id),
    };
    this.tokens = tokenStore(
      (work) => this.withRetries(work),
      (...statement) => this.change(...statement),
      opening.observer,
    );
    this.opened = this.open(opening);
    // The caller may look at this later.
    this.opened.catch(() => undefined);
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
    for (const session of [this.session, ...this.idleWriters]) session[Symbol.dispose]();
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
  private async withRetries<T>(
    work: (query: Query) => Promise<T>,
    session = this.session,
    until = deadline(),
  ): Promise<T> {
    if (this.notOpen !== undefined) throw this.notOpen;
    try {
      return await session.withRetries(work, until);
    } catch (error) {
      throw atWork(error);
    }
  }

  /**
   * Runs a statement that returns what it changes, and says whether it changed anything. If the answer was lost, the
   * retry changes nothing, and we cannot know whether the first try did. Before it says "nothing changed", it waits
   * until the standby has all commits: a row that is gone here may come back when the standby takes over.
   */
  private async change(...statement: Parameters<Query>): Promise<boolean> {
    let tries = 0;
    return await this.withRetries(async (query) => {
      tries++;
      const changed = (await query(...statement)).length > 0;
      if (!changed) await query(FLUSH);
      if (!changed && tries > 1) throw new StoreUnavailable('PostgreSQL was lost meanwhile: it may have been done');
      return changed;
    });
  }

  private async count(): Promise<number> {
    // A session of its own: a count may take a second, and requests wait for the tokens that the other one looks up.
    using session = new Session(this.location);
    const [row] = await this.withRetries((query) => query('select count(*) as plants from plants'), session);
    return Number(row?.['plants']);
  }

  private async *list(): AsyncGenerator<StoredPlant[]> {
    if (this.notOpen !== undefined) throw this.notOpen;
    // A session of its own, as nothing else can use it meanwhile.
    using session = new Session(this.location);
    try {
      const statement = `select ${COLUMN_LIST} from plants order by id`;
      const portions = session.portions(statement, PORTION, deadline());
      for await (const rows of portions) yield rows.map(toPlant);
    } catch (error) {
      throw atWork(error);
    }
  }

  private async write(plants: readonly StoredPlant[], until: number): Promise<Outcome[]> {
    const session = this.idleWriters.pop() ?? new Session(this.location);
    try {
      return await createBatch((work) => this.withRetries(work, session, until), plants);
    } finally {
      if (this.closing.signal.aborted) session[Symbol.dispose]();
      else this.idleWriters.push(session);
    }
  }
}
