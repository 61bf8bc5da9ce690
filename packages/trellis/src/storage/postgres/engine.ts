import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'trellis-contract/ground';
import type { Layout } from '../layout.ts';
import { Queue, STORE_PATIENCE_MS, WAITING } from '../queue.ts';
import { bytesOf, formatsOf, ofTable, statementOf } from '../rows.ts';
import { ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store-errors.ts';
import type { Creation } from '../queries.ts';
import type { Engine, Limit, LookUp, NewRow, Result, AnyRow, Run, StoreSchema, Statement, Work } from '../engine.ts';
import type { Opening } from '../store.ts';
import { findSpread } from './citus.ts';
import { Creating, find, insert, lookUpBatch, readyStatement } from './batch.ts';
import type { PostgresConnection } from './client.ts';
import { Creations, MAX_CONCURRENT_BATCHES } from './creations.ts';
import { atWork, InterruptedError, POOLER, StatementRejectedError } from './errors.ts';
import { BEGIN, CANCEL_MS, type Query, retrying, Session } from './session.ts';
import { type PostgresLocation, serverOf } from './location.ts';
import { withoutNulls } from '../tables.ts';
import { Turns } from '../turns.ts';
import { migrate, requireColumns } from './migrations.ts';

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
    { ...WAITING, value: () => this.creations.queue.length },
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
  private readonly creations: Creations;
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
    this.creations = new Creations(this.creating, {
      turns: this.turns,
      withSession: (work) => this.withSession(work),
      observer: opening.observer,
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
    return this.creations.add(row);
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
    await this.creations.queue.ask(async (failed) => {
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
    await this.creations.queue.idle();
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
    this.creations.queue.maxActive = this.spread().length > 0 ? 1 : MAX_CONCURRENT_BATCHES;
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

function runBy(query: Query, { sql, values }: Statement): Promise<Result> {
  return query(sql, ...values);
}
