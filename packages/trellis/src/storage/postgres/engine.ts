import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'trellis-contract/ground';
import { asCaller, type CallerKey, currentCaller } from '../caller.ts';
import type { Layout } from '../layout.ts';
import { Queue, STORE_PATIENCE_MS, WAITING } from '../queue.ts';
import { bytesOf, formatsOf, ofTable, statementOf } from '../rows.ts';
import { ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store-errors.ts';
import type { Creation } from '../queries.ts';
import type { Engine, Limit, LookUp, NewRow, Result, AnyRow, Run, StoreSchema, Statement, Work } from '../engine.ts';
import type { Opening } from '../store.ts';
import { findSpread } from './citus.ts';
import { createBatch, createSpread, Creating, find, insert, lookUpBatch, readyStatement } from './batch.ts';
import type { PostgresConnection } from './client.ts';
import { atWork, InterruptedError, LockWaited, POOLER, StatementRejectedError } from './errors.ts';
import { BEGIN, CANCEL_MS, type Query, retrying, Session } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { withoutNulls } from '../tables.ts';
import { Turns } from '../turns.ts';
import { migrate, requireColumns } from './migrations.ts';

/** While PostgreSQL flushes one batch, it works on the other. */
const MAX_CONCURRENT_BATCHES = 2;
/** Queries and transactions of operations have a connection each. */
const MAX_CONCURRENT_QUERIES = 8;
/** How many of them are kept for callers that have none: a query may have its turn for 5 s. */
const SPARE_QUERIES = 2;
/** The look-ups of one statement, which takes about 10 µs for each. */
const MAX_LOOK_UPS = 256;
const REOPEN_PAUSE_MS = 1000;
/** How often to ask Citus what it spreads, and over which workers. */
const FOLLOW_MS = 1000;

const deadline = () => performance.now() + STORE_PATIENCE_MS;

const limitAt =
  (until: number): Limit =>
  (end) => {
    const tooLong = () => end(new StoreUnavailable('a transaction took too long'));
    const timeout = setTimeout(tooLong, Math.max(0, until - performance.now()));
    return () => clearTimeout(timeout);
  };

export async function openPostgres(layout: Layout, location: PostgresLocation, opening: Opening): Promise<Engine> {
  const store = new PostgresEngine(layout, { applicationName: layout.name, ...location }, opening);
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
  readonly opened: Promise<StoreSchema>;
  readonly gauges = [
    { ...WAITING, value: () => this.creations.length },
    { name: 'connections_to_postgres', help: 'Open connections to PostgreSQL.', value: () => this.connections.size },
    {
      name: 'sessions_in_use',
      help: 'Sessions with PostgreSQL that run a batch, a query or a transaction.',
      value: () => this.inUse,
    },
    {
      name: 'waiting_queries',
      help: 'Queries and transactions of operations that wait for a session with PostgreSQL.',
      value: () => this.turns.length,
    },
  ];
  private readonly layout: Layout;
  private readonly location: PostgresLocation;
  private readonly opening: Opening;
  /** The name of the server in messages. */
  private readonly server: string;
  /** The statements of creates, by the name of the table. */
  private readonly creating: ReadonlyMap<string, Creating>;
  /** Shared by all short reads. */
  private readonly session: Session;
  /** For `ready`, which may wait for a lock: look-ups of tokens do not wait with it. */
  private readonly readiness: Session;
  private readonly idleSessions: Session[] = [];
  private inUse = 0;
  /** The open connections of all sessions. */
  private readonly connections = new Set<PostgresConnection>();
  /** Queries may be long, and look-ups are short. */
  private readonly turns = new Turns(MAX_CONCURRENT_QUERIES, STORE_PATIENCE_MS / 2, {
    short: MAX_CONCURRENT_BATCHES,
    spare: SPARE_QUERIES,
  });
  private readonly creations: Queue<NewRow, Creation>;
  /** The callers with creates in statements of their own, as they may wait for a lock, and how many each has. */
  private readonly apart = new Map<CallerKey, number>();
  /** One for each table, so that a locked table does not delay the look-ups of others. */
  private readonly lookUps = new Map<string, Queue<LookUp, AnyRow | undefined>>();
  private readonly closing = new AbortController();
  /** The reason why calls fail until the store is open. */
  private notOpen: Error | undefined = new StoreUnavailable('the store is being opened');

  constructor(layout: Layout, location: PostgresLocation, opening: Opening) {
    this.layout = layout;
    this.location = location;
    this.opening = opening;
    this.server = serverOf(location);
    this.creating = formatsOf(layout.tables, Creating);
    // Until the server answers, the session makes short tries, so that the log says at once that the server is away.
    this.session = this.newSession(opening.onUnreachable !== undefined);
    this.readiness = this.newSession();
    this.creations = new Queue({
      work: (rows, until, _more, callerOf) => this.write(rows, until, callerOf),
      bytesOf: (row) => bytesOf(row),
      maxActive: MAX_CONCURRENT_BATCHES,
    });
    this.opened = this.open();
    // The caller may await `opened` only after it has failed.
    this.opened.catch(() => undefined);
  }

  /** Why no call can succeed now. */
  private get unusable(): Error | undefined {
    return this.closing.signal.aborted ? new StoreUnavailable('the store is closed') : this.notOpen;
  }

  private requireUsable(): void {
    const { unusable } = this;
    if (unusable !== undefined) throw unusable;
  }

  create(row: NewRow): Promise<Creation> {
    const { unusable } = this;
    if (unusable !== undefined) return Promise.reject(unusable);
    const caller = currentCaller();
    if (!this.apart.has(caller)) return this.creations.add(row);
    return this.createApart([row], caller, deadline()).then(([outcome]) => creationOf(outcome));
  }

  async get(lookUp: LookUp): Promise<AnyRow | undefined> {
    this.requireUsable();
    const [table] = lookUp;
    const creating = ofTable(this.creating, table);
    if (creating.spread !== undefined) {
      // Citus sends a statement with one key to the worker that has its row. It would join `unnest` on its coordinator.
      const statement = statementOf(this.creating, 'postgres', lookUp);
      const [row] = (await this.read(statement, true)).rows;
      return row && withoutNulls(row);
    }
    const queue = this.lookUps.getOrInsertComputed(table, () => this.lookUpsOf(creating));
    return await queue.add(lookUp);
  }

  private lookUpsOf(creating: Creating): Queue<LookUp, AnyRow | undefined> {
    return new Queue({
      work: async (lookUps, until) => {
        const lookUp = (session: Session) =>
          lookUpBatch((work) => session.withRetries(work, until, true), creating, lookUps);
        const answers = await this.turns.run(() => this.withSession(lookUp), { isShort: true });
        return answers.map((answer) => (Error.isError(answer) ? atWork(answer) : answer));
      },
      bytesOf: (lookUp) => bytesOf(lookUp),
      maxItems: MAX_LOOK_UPS,
      maxActive: MAX_CONCURRENT_BATCHES,
    });
  }

  readonly run: Run = async (statement) => {
    const { sql, values, writes } = statement;
    if (writes)
      return await this.withTurns((session, until) => session.write(until, sql, ...values), { serializable: true });
    return await this.read(statement);
  };

  private read(statement: Statement, isShort = false): Promise<Result> {
    return this.withTurns((session, until) => runBy(session.queryUntil(until), statement), { isShort });
  }

  readonly runShort: Run = async (statement) => {
    if (statement.writes) return await this.run(statement);
    const work = (query: Query) => runBy(query, statement);
    return await this.translated(() => this.session.withRetries(work, deadline()));
  };

  async transaction<T>(work: Work<T>, repeatable: boolean): Promise<T> {
    let looksFirst = false;
    return await this.withTurns((session, until) => {
      const workOn = (query: Query) => {
        const create = async (row: NewRow) => {
          const creating = ofTable(this.creating, row[0]);
          const stored = looksFirst ? await find(query, creating, [row]) : undefined;
          if (stored !== undefined) return creating.outcomeOf(row, stored);
          try {
            const [creation] = (await insert(query, creating, [row])) as [Creation];
            return creation;
          } catch (error) {
            // PostgreSQL may reject the row, by a CHECK or another unique index, before it finds that the key exists.
            // After that this transaction can ask nothing more: another try looks for the key first.
            const isRejected = error instanceof StatementRejectedError && error.constraint !== 'foreign key';
            if (looksFirst || !isRejected) throw error;
            looksFirst = true;
            throw new InterruptedError(messageOf(error), { cause: error }, 'work');
          }
        };
        return work({ run: (statement: Statement) => runBy(query, statement), create }, limitAt(until));
      };
      return session.attempt(BEGIN, workOn, until, repeatable);
    });
  }

  async *portions({ sql, values }: Statement, size: number): AsyncGenerator<readonly AnyRow[]> {
    this.requireUsable();
    using session = this.newSession();
    try {
      yield* session.portions(size, deadline(), sql, ...values);
    } catch (error) {
      throw atWork(error);
    }
  }

  spread(): readonly string[] {
    return [...this.creating].filter(([, { spread }]) => spread !== undefined).map(([name]) => name);
  }

  async ready(): Promise<void> {
    await this.creations.ask(async (failed) => {
      const statement = readyStatement([...this.creating.values()]);
      const work = async (query: Query) => {
        await query(statement);
        await requireColumns(this.layout, query, this.server);
      };
      await this.translated(() => this.readiness.withRetries(work, deadline()));
      if (failed !== undefined) await this.tryOut(failed);
    });
  }

  /**
   * Inserts a row and rolls back, leaving a dead row: only once after a failed batch, as a success ends the failure.
   */
  private async tryOut(row: NewRow): Promise<void> {
    const undone = new Error('the insert succeeded, and is rolled back');
    const attempt = async (query: Query) => {
      await insert(query, ofTable(this.creating, row[0]), [row]);
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
    await this.creations.idle();
    for (const queue of this.lookUps.values()) await queue.idle();
    this.closing.abort();
    for (const session of [this.session, this.readiness, ...this.idleSessions]) session[Symbol.dispose]();
  }

  private async open(): Promise<StoreSchema> {
    const { layout, session, server } = this;
    const { create, onUnreachable } = this.opening;
    for (;;) {
      try {
        const schema = await migrate(layout, session, server, create, deadline());
        await this.requireSessions();
        if (await this.findSpread(session)) void this.followSpread().catch(() => undefined);
        this.notOpen = undefined;
        return schema;
      } catch (error) {
        if (!(error instanceof InterruptedError)) {
          this.notOpen = error as Error;
          throw error;
        }
        const unavailable = new StoreUnavailable(`${server} is not available: ${error.message}`, { cause: error });
        this.notOpen = unavailable;
        if (onUnreachable === undefined) throw unavailable;
        onUnreachable(unavailable);
        await sleep(REOPEN_PAUSE_MS, undefined, { signal: this.closing.signal });
      }
    }
  }

  /** Returns false without Citus. @throws StoreUnusable, InterruptedError */
  private async findSpread(session: Session): Promise<boolean> {
    const before = this.spread().join();
    const found = await findSpread((...query) => session.query(deadline(), ...query), this.server);
    for (const [name, creating] of this.creating) creating.spread = found?.get(name);
    // The time of a statement on Citus grows with the shards more than with the rows: one large batch beats two.
    this.creations.maxActive = this.spread().length > 0 ? 1 : MAX_CONCURRENT_BATCHES;
    if (this.spread().join() !== before) this.opening.onSpread?.(this.spread());
    return found !== undefined;
  }

  /** The operator may spread a table, or add a worker, under load. Ends when the store closes. */
  private async followSpread(): Promise<never> {
    // A session of its own, as a worker that hangs must not delay look-ups of tokens.
    using session = this.newSession();
    for (;;) {
      await sleep(FOLLOW_MS, undefined, { signal: this.closing.signal, ref: false });
      try {
        await this.findSpread(session);
        this.notOpen = undefined;
      } catch (error) {
        if (!(error instanceof StoreUnusable)) continue;
        const unavailable = new StoreUnavailable(error.message, { cause: error });
        this.notOpen = unavailable;
        this.opening.onUnreachable?.(unavailable);
      }
    }
  }

  /** Two open sessions have two processes of the server, unless a pooler gives each statement any of its connections. */
  private async requireSessions(): Promise<void> {
    using other = this.newSession();
    const pids = [];
    for (const session of [this.session, other]) {
      const { rows } = await session.withRetries((query) => query('select pg_backend_pid() as pid'), deadline());
      pids.push(rows[0]?.['pid']);
    }
    if (pids[0] === pids[1]) throw new StoreUnusable(`${this.server} gives two sessions one connection: ${POOLER}`);
  }

  private async translated<T>(work: () => Promise<T>): Promise<T> {
    this.requireUsable();
    try {
      return await work();
    } catch (error) {
      throw atWork(error);
    }
  }

  /** Each statement inserts into one table: if it fails, the rows of the other tables are stored all the same. */
  private async write(rows: readonly NewRow[], until: number, callerOf: (index: number) => CallerKey) {
    const begunAt = performance.now();
    const outcomes = new Map<NewRow, Creation | Error | undefined>();
    const writeTo = async (creating: Creating, own: readonly NewRow[]) => {
      const writing = this.withSession((session) =>
        creating.spread === undefined
          ? createBatch((work) => session.withRetries(work, until), creating, own, true)
          : createSpread(session, until, creating, own),
      );
      const written = await writing.catch((error: unknown) => own.map(() => error as Error));
      own.forEach((row, index) => outcomes.set(row, written[index]));
    };
    for (const [table, all] of Map.groupBy(rows, ([table]) => table)) {
      const creating = ofTable(this.creating, table);
      // Each server that has a part of the table gets a statement of its own: one that is away fails alone.
      const byServer = Map.groupBy(all, (row) => creating.serverOf(row));
      await Promise.all(byServer.values().map((own) => writeTo(creating, own)));
    }
    this.opening.observer?.written(rows.length, performance.now() - begunAt);
    const locked = rows
      .map((row, index) => [row, callerOf(index)] as const)
      .filter(([row]) => outcomes.get(row) instanceof LockWaited);
    const later = this.createEach(locked, until);
    return rows.map((row) => {
      const outcome = later.get(row) ?? outcomes.get(row);
      return Error.isError(outcome) ? atWork(outcome) : (outcome ?? new Error('PostgreSQL gave no outcome for a row'));
    });
  }

  /** Stores rows of which one waits for a lock: those of each caller by themselves, so that no other caller waits with it. */
  private createEach(rows: readonly (readonly [NewRow, CallerKey])[], until: number): Map<NewRow, Promise<Creation>> {
    const creations = new Map<NewRow, Promise<Creation>>();
    for (const [caller, own] of Map.groupBy(rows, ([, caller]) => caller)) {
      const byTable = Map.groupBy(own, ([[table]]) => table);
      for (const these of byTable.values().map((each) => each.map(([row]) => row))) {
        const outcomes = this.createApart(these, caller, until);
        these.forEach((row, index) => {
          creations.set(
            row,
            outcomes.then((each) => creationOf(each[index])),
          );
        });
      }
    }
    return creations;
  }

  /** Stores rows of one table in a turn of their caller. Its further rows do not join the batches of others meanwhile. */
  private async createApart(rows: readonly NewRow[], caller: CallerKey, until: number): Promise<(Creation | Error)[]> {
    const creating = ofTable(this.creating, rows[0]?.[0] ?? '');
    const work = () =>
      this.turns.run(() =>
        this.withSession((session) => createBatch((each) => session.withRetries(each, until, true), creating, rows)),
      );
    this.apart.set(caller, (this.apart.get(caller) ?? 0) + 1);
    try {
      return await (caller === undefined ? work() : asCaller(caller, work));
    } finally {
      const left = (this.apart.get(caller) ?? 1) - 1;
      if (left > 0) this.apart.set(caller, left);
      else this.apart.delete(caller);
    }
  }

  private newSession(unreachable = false): Session {
    return new Session(this.location, this.layout.tables, this.connections, unreachable);
  }

  /** Runs `work` in turns of its caller, a turn for each try. In the pause before another try, it holds no session. */
  private withTurns<T>(
    work: (session: Session, until: number) => Promise<T>,
    { serializable = false, isShort = false } = {},
  ): Promise<T> {
    let until: number | undefined;
    const attempt = (session: Session, pause: number) => {
      until ??= deadline();
      const end = until;
      return session.tryOnce(() => work(session, end), end, pause, true);
    };
    return retrying((pause) =>
      this.turns.run(() => this.withSession((session) => attempt(session, pause), serializable), {
        isShort,
        until: until && until - CANCEL_MS,
      }),
    );
  }

  private async withSession<T>(work: (session: Session) => Promise<T>, serializable = false): Promise<T> {
    const index = this.idleSessions.findLastIndex(({ isSerializable }) => isSerializable === serializable);
    // If no idle session has this isolation, the last one of the others is used.
    const [session = this.newSession()] = this.idleSessions.splice(index, 1);
    this.inUse++;
    try {
      return await this.translated(() => work(session));
    } finally {
      this.inUse--;
      if (this.closing.signal.aborted) session[Symbol.dispose]();
      else this.idleSessions.push(session);
    }
  }
}

/** @throws the error */
function creationOf(outcome: Creation | Error | undefined): Creation {
  if (typeof outcome === 'string') return outcome;
  throw outcome === undefined ? new Error('PostgreSQL gave no outcome for a row') : atWork(outcome);
}

function runBy(query: Query, { sql, values }: Statement): Promise<Result> {
  return query(sql, ...values);
}
