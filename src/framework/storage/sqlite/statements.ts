import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { RESOURCE } from '../../resource.ts';
import { isSameItem, toItem, valuesOf } from '../items.ts';
import { type Creation, type Result, type Row, type Statement, StoreUnavailable } from '../store.ts';
import { COLUMN_LIST, COLUMNS, type Item, SELECT_NONE } from '../tables.ts';
import { atWork, pack, type PackedError, unpack } from './errors.ts';
import { APPLICATION_ID } from './migrations.ts';
import { encode, rowDecoder } from './values.ts';

const INSERT = `insert into ${RESOURCE.many} (${COLUMN_LIST}) values (${COLUMNS.map(() => '?').join()}) on conflict do nothing`;
const INSERT_NONE = `insert into ${RESOURCE.many} (${COLUMN_LIST}) select ${COLUMNS.map(() => 'null').join()} where false on conflict do nothing`;
const SELECT_ONE = `select ${COLUMN_LIST} from ${RESOURCE.many} where id = ?`;

/** Limits the memory, as the text of a query may depend on a request. */
const MAX_PREPARED = 200;

interface Prepared {
  readonly statement: StatementSync;
  readonly decode: ((row: Row) => Row) | undefined;
}

/** The methods that a worker thread runs for `Thread`. */
export class Statements {
  private readonly database: DatabaseSync;
  /** SQLite's `data_version`, which changes when another connection writes. */
  private version: unknown;
  private readonly prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  createBatch(items: readonly Item[]): (Creation | PackedError)[] {
    this.begin();
    try {
      const creations = items.map((item) => this.createOne(item));
      this.commit();
      return creations;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  private createOne(item: Item): Creation | PackedError {
    try {
      const { statement } = this.prepare(INSERT);
      if (statement.run(...valuesOf(item).map(encode)).changes === 1n) return 'created';
      const stored = this.run({ sql: SELECT_ONE, values: [item.id] }).rows.map(toItem)[0];
      return isSameItem(item, stored) ? 'replayed' : 'conflict';
    } catch (error) {
      // SQLite has rolled back the whole transaction, for a reason other than this item.
      if (!this.database.isTransaction) throw error;
      return pack(atWork(error, this.database.location() ?? ''));
    }
  }

  run({ sql, values }: Pick<Statement, 'sql' | 'values'>): Result {
    const { statement, decode } = this.prepare(sql);
    const encoded = values.map(encode);
    if (decode === undefined) return { rows: [], changes: BigInt(statement.run(...encoded).changes) };
    const rows = statement.all(...encoded).map(decode);
    return { rows, changes: BigInt(rows.length) };
  }

  /** @throws Error if SQLite has rolled back the transaction: the statement would take effect on its own */
  runWithin(statement: Statement): Result {
    if (!this.database.isTransaction) throw new Error('SQLite has rolled back the transaction');
    return this.run(statement);
  }

  begin(): void {
    this.database.exec('begin immediate');
  }

  commit(): void {
    this.database.exec('commit');
  }

  /** Does nothing if SQLite has rolled back already. */
  rollback(): void {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  othersWrote(): boolean {
    const version = this.run({ sql: 'pragma data_version', values: [] }).rows[0]?.['data_version'];
    const same = version === this.version;
    this.version = version;
    return !same;
  }

  /**
   * Rewrites a page unchanged, which costs 4 KB of log (WAL) and one fsync. The commit also writes the pages of `failed`,
   * although it takes the items back: a full disk may have room for one page, but not for an item.
   */
  ready(failed: readonly Item[]): void {
    this.begin();
    try {
      this.database.exec('savepoint tried');
      for (const outcome of failed.map((item) => this.createOne(item))) {
        const error = typeof outcome === 'string' ? undefined : unpack(outcome);
        if (error instanceof StoreUnavailable) throw error;
      }
      this.database.exec('rollback to tried');
      for (const sql of [INSERT_NONE, ...SELECT_NONE]) this.run({ sql, values: [] });
      // Not `user_version`, which a newer process may be raising.
      this.database.exec(`pragma application_id = ${APPLICATION_ID}`);
      this.commit();
    } finally {
      this.rollback();
    }
  }

  close(): void {
    this.database.close();
  }

  /** Reads integers as bigint: node:sqlite throws for numbers beyond 2^53, even for the rowid of an inserted item. */
  private prepare(sql: string): Prepared {
    const found = this.prepared.get(sql);
    if (found !== undefined) return found;
    const statement = this.database.prepare(sql, { readBigInts: true });
    const prepared = { statement, decode: statement.columns().length === 0 ? undefined : rowDecoder(statement) };
    const [oldest] = this.prepared.keys();
    if (this.prepared.size >= MAX_PREPARED && oldest !== undefined) this.prepared.delete(oldest);
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
