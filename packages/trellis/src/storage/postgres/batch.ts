import { RowFormat } from '../rows.ts';
import type { AnyRow, LookUp, NewRow } from '../engine.ts';
import type { Creation } from '../queries.ts';
import { SQL_TYPES, type Table, withoutNulls } from '../tables.ts';
import { hashOf, type Spread } from './citus.ts';
import { InterruptedError, LockWaited, StatementRejectedError } from './errors.ts';
import type { Query, Session, WithRetries } from './session.ts';

/** Makes the commit of a read wait as that of a write does. Citus runs it on the server that keeps the row. */
const FLUSHED = "pg_logical_emit_message(true, 'replay'::text, ''::text)";

/** The most values of one statement. The protocol allows 65,535, but a statement is padded with more rows. */
const MAX_VALUES = 60_000;

/**
 * How long a batch waits for a lock: a row whose key is in a transaction of its caller, which may take seconds, would keep
 * the rows of all callers waiting.
 */
const LOCK_MS = 250;

/** A table, with the statements of a create. */
export class Creating extends RowFormat {
  /**
   * Reads rows, and writes to the log for each, so that the commit waits for the disk and for the standby: a visible
   * row may not be on the standby's disk yet if its writer or the server was killed while it waited for the standby.
   */
  readonly selectDurable: string;
  /** Reads a row for each key, in the order of the keys: a row of nulls if the key does not exist. */
  readonly selectEach: string;
  /** How Citus spreads the table over several servers. */
  spread: Spread | undefined;
  /** PostgreSQL runs this form faster than any other. */
  private readonly insertArrays: string;
  /** The same, but it fails after LOCK_MS of waiting for a lock. */
  private readonly insertUnlocked: string;
  private readonly into: string;
  private readonly types: readonly string[];
  private readonly unlessThere: string;

  constructor(name: string, described: Table) {
    super(name, described);
    const { table, columns, columnList, kinds, key, keyList } = this;
    const types = kinds.map((kind) => SQL_TYPES.postgres[kind]);
    const keys = key.map((column, index) => `$${index + 1}::${types[columns.indexOf(column)] ?? ''}[]`);
    const among = keys.length === 1 ? `= any(${keys.join()})` : `in (select * from unnest(${keys.join()}))`;
    this.types = types;
    this.into = `insert into ${table} (${columnList})`;
    this.unlessThere = `on conflict (${keyList}) do nothing returning ${keyList}`;
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    this.insertArrays = `${this.into} select * from unnest(${arrays.join()}) ${this.unlessThere}`;
    const patience = `(select set_config('lock_timeout', '${LOCK_MS}', true)) as patience(ms)`;
    this.insertUnlocked = `${this.into} select given.* from ${patience}, unnest(${arrays.join()}) as given
      where patience.ms is not null ${this.unlessThere}`;
    const given = key.map((_column, index) => `k${index}`);
    this.selectEach = `select ${columns.map((column) => `kept."${column}"`).join()}
      from unnest(${keys.join()}) with ordinality as given(${given.join()}, place) left join ${table} as kept
      on ${key.map((column, index) => `kept."${column}" = given.k${index}`).join(' and ')} order by given.place`;
    this.selectDurable = `select ${columnList}, ${FLUSHED} from ${table} where (${keyList}) ${among}`;
  }

  /** The server that keeps a row; undefined: only Citus knows it. A wrong answer only costs time. */
  serverOf([, , ...values]: NewRow): number | undefined {
    const value = values[this.columns.indexOf(this.spread?.by ?? '')];
    if (typeof value !== 'bigint') return undefined;
    const hash = hashOf(value);
    return this.spread?.servers[this.spread.ends.findIndex((end) => hash <= end)];
  }

  /** The statement that inserts rows, and its values. */
  insert(rows: readonly (readonly unknown[])[], unlocked: boolean): readonly [string, ...unknown[]] {
    const { into, types, unlessThere } = this;
    if (this.spread === undefined)
      return [
        unlocked ? this.insertUnlocked : this.insertArrays,
        ...types.map((_type, index) => rows.map((row) => row[index])),
      ];
    // Citus sends values to their shards, but pulls `unnest` to its coordinator, which takes 20 times as long. The last
    // row is repeated, which changes nothing, so that few statements are prepared.
    const padded = Array.from({ length: paddedLength(rows.length) }, (_, index) => rows[index] ?? rows.at(-1) ?? []);
    const values = padded.map(
      (_row, row) => `(${types.map((type, column) => `$${row * types.length + column + 1}::${type}`).join()})`,
    );
    return [`${into} values ${values.join()} ${unlessThere}`, ...padded.flat()];
  }

  /** The insert with no rows. */
  get insertNone(): string {
    const { into, types, unlessThere } = this;
    return `${into} select ${types.map((type) => `null::${type}`).join()} where false ${unlessThere}`;
  }

  /** The number of rows of one statement. */
  get maxRows(): number {
    return this.spread === undefined ? Infinity : Math.floor(MAX_VALUES / this.types.length);
  }
}

/** Allows only few lengths, so that a connection prepares few statements. */
function paddedLength(rows: number): number {
  const step = rows > 64 ? 64 : rows > 8 ? 8 : 1;
  return Math.ceil(rows / step) * step;
}

/**
 * The statements of a create with no rows, and a row lock, which takes a transaction id, so that the commit waits for
 * the standby as that of an insert does. The statement leaves no dead row. It cannot detect a full disk.
 */
export function readyStatement(creating: readonly Creating[]): string {
  const inserts = creating.map(({ insertNone }, index) => `created${index} as (${insertNone})`);
  const queries = creating.flatMap(({ table, columnList }, index) => [
    `select from created${index}`,
    `select ${columnList} from ${table} limit 0`,
  ]);
  return `with ${inserts.join()} select ${queries.map((query) => `exists (${query})`).join()}
  from schema_version for key share skip locked`;
}

/** How long to wait for a worker that may be away. The session cancels the statement half a second before. */
const AWAY_MS = 1500;

/** How often to insert a row that another writer keeps removing, or a trigger keeps skipping. */
const MAX_TRIES = 3;

/**
 * If PostgreSQL rejects the batch, halves it again and again to isolate the rejected rows and store all others.
 *
 * @param unlocked whether rows that wait for a lock, and those beside them, are answered with LockWaited, and not stored
 */
export async function createBatch(
  withRetries: WithRetries,
  creating: Creating,
  rows: readonly NewRow[],
  unlocked = false,
): Promise<(Creation | Error)[]> {
  const halves = async () => {
    const middle = Math.ceil(rows.length / 2);
    const first = await createBatch(withRetries, creating, rows.slice(0, middle), unlocked);
    return [...first, ...(await createBatch(withRetries, creating, rows.slice(middle), unlocked))];
  };
  if (rows.length > creating.maxRows) return await halves();
  try {
    return await withRetries(async (query) => {
      const read = creating.spread ? inOne(query) : query;
      return await insert(query, creating, rows, { read, unlocked }).catch((error: unknown) => {
        if (!unlocked || !(error instanceof LockWaited)) throw error;
        return rows.map(() => error);
      });
    });
  } catch (error) {
    if (!(error instanceof StatementRejectedError)) throw error;
    if (rows.length === 1) {
      const stored = await findAgain(withRetries, creating, rows);
      return rows.map((row) => (stored === undefined ? error : creating.outcomeOf(row, stored)));
    }
    return await halves();
  }
}

/** Reads the rows of keys in one statement. If PostgreSQL rejects a key, the others get their answers all the same. */
export async function lookUpBatch(
  withRetries: WithRetries,
  creating: Creating,
  lookUps: readonly LookUp[],
): Promise<(AnyRow | undefined | Error)[]> {
  const { key, selectEach } = creating;
  const keys = key.map((_column, index) => lookUps.map((lookUp) => lookUp[index + 1]));
  try {
    const { rows } = await withRetries((query) => query(selectEach, ...keys));
    // No column of a key is null.
    return rows.map((row) => (row[key[0] ?? ''] === null ? undefined : withoutNulls(row)));
  } catch (error) {
    if (!(error instanceof StatementRejectedError)) throw error;
    if (lookUps.length === 1) return [error];
    // Each runs alone, and all at once: if halves ran one after the other, a hostile client's keys would delay the
    // others. No error is thrown here, as the session must not be given back while another look-up is under way.
    const alone = (lookUp: LookUp) =>
      lookUpBatch(withRetries, creating, [lookUp]).catch((fault: unknown) => [fault as Error]);
    return (await Promise.all(lookUps.map(alone))).flat();
  }
}

/**
 * Stores rows of one worker. The rows of the other workers may wait for them: if the worker is away, these rows fail at
 * once, unless the coordinator is away too.
 */
export async function createSpread(session: Session, until: number, creating: Creating, rows: readonly NewRow[]) {
  const attempt = () => {
    const soon = Math.min(until, performance.now() + AWAY_MS);
    return createBatch((work) => work((...query) => session.query(soon, ...query)), creating, rows);
  };
  return await attempt().catch(async (error: unknown) => {
    if (!(error instanceof InterruptedError)) throw error;
    await session.withRetries((query) => query('select'), until);
    return await attempt();
  });
}

/** One transaction, so that each worker waits for its disk once, and not once for each shard. */
function inOne(query: Query): Query {
  return async (...statement) => {
    const [, result] = await Promise.all([query('begin'), query(...statement), query('commit')]);
    return result;
  };
}

/** Looks up the key of a rejected row: if the key exists, the answer is `replayed` or `conflict`. */
async function findAgain(
  withRetries: WithRetries,
  creating: Creating,
  rows: readonly NewRow[],
): Promise<readonly unknown[] | undefined> {
  try {
    return await withRetries((query) => find(query, creating, rows));
  } catch (error) {
    if (error instanceof StatementRejectedError) return undefined;
    throw error;
  }
}

/** The stored row with the key of a row. */
export async function find(
  query: Query,
  creating: Creating,
  rows: readonly NewRow[],
): Promise<readonly unknown[] | undefined> {
  const [found] = (await query(creating.selectDurable, ...keysOf(creating, rows))).rows;
  return found && creating.valuesOf(found);
}

/** @throws StatementRejectedError if PostgreSQL rejects a row; some rows may have been stored */
export async function insert(
  query: Query,
  creating: Creating,
  rows: readonly NewRow[],
  { read = query, unlocked = false } = {},
): Promise<Creation[]> {
  const keys = new Map(rows.map((row) => [row, creating.identityOf(valuesOf(row))]));
  const firsts = new Map(rows.toReversed().map((row) => [keys.get(row), row]));
  const stored = new Map<unknown, readonly unknown[] | undefined>();
  const created = new Set<unknown>();
  // Two instances that insert in the order of the keys cannot deadlock.
  let missing = [...firsts].sort(([one], [other]) => ((one as bigint) < (other as bigint) ? -1 : 1));
  for (let tries = 0; missing.length > 0; tries++) {
    if (tries === MAX_TRIES)
      throw new StatementRejectedError(
        `PostgreSQL did not insert the row, and its key does not exist: check the triggers of ${creating.table}`,
      );
    // What the first try has stored would be a replay if the rest of a later one were repeated.
    const statement = creating.insert(
      missing.map(([, row]) => valuesOf(row)),
      unlocked && tries === 0,
    );
    for (const found of (await query(...statement)).rows) {
      const key = creating.identityOf(creating.valuesOf(found));
      const first = firsts.get(key);
      created.add(key);
      stored.set(key, first && valuesOf(first));
    }
    const others = missing.filter(([key]) => !created.has(key)).map(([, row]) => row);
    const found = others.length > 0 ? (await read(creating.selectDurable, ...keysOf(creating, others))).rows : [];
    for (const values of found.map((row) => creating.valuesOf(row))) stored.set(creating.identityOf(values), values);
    missing = missing.filter(([key]) => !stored.has(key));
  }
  return rows.map((row) => {
    const key = keys.get(row);
    return created.delete(key) ? 'created' : creating.outcomeOf(row, stored.get(key));
  });
}

/** An array for each column of the key. */
function keysOf(creating: Creating, rows: readonly NewRow[]): unknown[][] {
  const keys = rows.map((row) => creating.keyOf(valuesOf(row)));
  return creating.key.map((_column, index) => keys.map((key) => key[index]));
}

function valuesOf([, , ...values]: NewRow): unknown[] {
  return values;
}
