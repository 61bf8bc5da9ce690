import { setTimeout as sleep } from 'node:timers/promises';
import { Batches, PATIENCE_MS } from '../batches.ts';
import { COLUMN_LIST, toPlant } from '../columns.ts';
import { type Opening, type Outcome, type Schema, type Store, type StoredPlant, StoreUnavailable } from '../store.ts';
import { atWork, InterruptedError } from './errors.ts';
import { Line, type Run } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { openDatabase } from './migrations.ts';
import { createAll } from './plants.ts';
import { tokenStore } from './tokens.ts';

/** How many batches are written at once: while PostgreSQL flushes one, it works on the other. */
const WRITERS = 2;
/** How many plants `list` hands out at a time. */
const PORTION = 1000;
/** How long to wait before a server that is away is looked for again, in milliseconds. */
const LOOK_AGAIN_MS = 1000;

/**
 * Writes a lock as well, and its commit waits as that of a create: a standby refuses it. It takes a number of a
 * transaction and leaves no dead row. A full disk shows only when a table grows, which is not for a probe to make happen.
 */
const READY = 'select id from schema_version for key share skip locked';
/** Writes a lock, whose commit waits for all that was written before. */
const FLUSH = 'select id from schema_version for key share';

/**
 * PostgreSQL, through a few connections. A query that is lost with one of them runs again for a while: the plant itself
 * tells whether it was stored, so that no answer is missed.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openPostgres(location: PostgresLocation, opening: Opening): Promise<Store> {
  const store = new PostgresStore(location, opening);
  if (opening.onAway !== undefined) return store;
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
  /** For all but plants that are created. */
  private readonly line: Line;
  /** Those of the batches and of `createAll`, as many as were under way at once. */
  private readonly writers: Line[] = [];
  private readonly batches: Batches;
  private readonly closing = new AbortController();
  /** Why the store is not open yet, undefined when it is. */
  private notOpen: Error | undefined = new StoreUnavailable('the store is being opened');

  constructor(location: PostgresLocation, opening: Opening) {
    this.location = location;
    this.line = new Line(location);
    this.batches = new Batches((...batch) => this.write(...batch), WRITERS, opening.observer);
    this.plants = {
      create: (plant) => this.batches.add(plant),
      createAll: (plants) => this.write(plants, performance.now() + PATIENCE_MS),
      list: () => this.list(),
      count: () => this.count(),
      remove: (id) => this.change('delete from plants where id = $1::bigint returning id', id),
    };
    this.tokens = tokenStore(
      (work) => this.attempt(work),
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
    await this.attempt((run) => run(READY));
  }

  async close(): Promise<void> {
    await this.batches.idle();
    this.closing.abort();
    for (const line of [this.line, ...this.writers]) line[Symbol.dispose]();
  }

  private async open({ create, onAway }: Opening): Promise<Schema> {
    const server = serverOf(this.location);
    for (;;) {
      try {
        const patience = onAway === undefined ? PATIENCE_MS : LOOK_AGAIN_MS;
        const schema = await openDatabase(this.line, server, create, performance.now() + patience);
        this.notOpen = undefined;
        return schema;
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw (this.notOpen = error as Error);
        const away = new StoreUnavailable(`${server} is not available: ${error.message}`, { cause: error });
        this.notOpen = away;
        if (onAway === undefined) throw away;
        onAway(away);
        await sleep(LOOK_AGAIN_MS, undefined, { signal: this.closing.signal });
      }
    }
  }

  /** Does some work, again if what went wrong may pass. @throws as the interface has it */
  private async attempt<T>(
    work: (run: Run) => Promise<T>,
    line = this.line,
    until = performance.now() + PATIENCE_MS,
  ): Promise<T> {
    if (this.notOpen !== undefined) throw this.notOpen;
    try {
      return await line.attempt(until, work);
    } catch (error) {
      throw atWork(error);
    }
  }

  /** Runs a statement that returns what it changed; whether it did cannot be told if its answer was lost. */
  private async change(...statement: Parameters<Run>): Promise<boolean> {
    let tries = 0;
    return await this.attempt(async (run) => {
      tries++;
      const changed = (await run(...statement)).length > 0;
      // A row that is gone may come back with the primary: not before this has reached the standby.
      if (!changed) await run(FLUSH);
      if (!changed && tries > 1) throw new StoreUnavailable('PostgreSQL was lost meanwhile: it may have been done');
      return changed;
    });
  }

  private async count(): Promise<number> {
    // Its own: it may take a second, and requests wait for the tokens that the other one looks up.
    using line = new Line(this.location);
    const [row] = await this.attempt((run) => run('select count(*) as plants from plants'), line);
    return Number(row?.['plants']);
  }

  private async *list(): AsyncGenerator<StoredPlant[]> {
    if (this.notOpen !== undefined) throw this.notOpen;
    // Its own, as nothing else can use it meanwhile.
    using line = new Line(this.location);
    try {
      const query = `select ${COLUMN_LIST} from plants order by id`;
      const portions = line.portions(query, PORTION, performance.now() + PATIENCE_MS);
      for await (const rows of portions) yield rows.map(toPlant);
    } catch (error) {
      throw atWork(error);
    }
  }

  private async write(plants: readonly StoredPlant[], until: number): Promise<Outcome[]> {
    const line = this.writers.pop() ?? new Line(this.location);
    try {
      return await createAll((work) => this.attempt(work, line, until), plants);
    } finally {
      this.writers.push(line);
    }
  }
}
