import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Layout } from '../layout.ts';
import { formatsOf, ofTable, type RowFormat } from '../rows.ts';
import { type Creation, type NewRow, type Result, type Row, type Statement, StoreUnavailable } from '../store.ts';
import type { Tables } from '../tables.ts';
import { atWork, pack, type PackedError, unpack } from './errors.ts';
import { applicationId } from './migrations.ts';
import { encode, rowDecoder } from './values.ts';

/** The statements of a create. */
class Creating {
  readonly format: RowFormat;
  readonly insert: string;
  /** Stores nothing, and fails if a column is missing. */
  readonly insertNone: string;
  readonly select: string;

  constructor(format: RowFormat) {
    const { table, columns, columnList, key, keyList } = format;
    const into = `insert into ${table} (${columnList})`;
    this.format = format;
    const unlessThere = `on conflict (${keyList}) do nothing`;
    this.insert = `${into} values (${columns.map(() => '?').join()}) ${unlessThere}`;
    this.insertNone = `${into} select ${columns.map(() => 'null').join()} where false ${unlessThere}`;
    this.select = `select ${columnList} from ${table} where ${key.map((column) => `"${column}" = ?`).join(' and ')}`;
  }
}

/** Limits the memory, as the text of a query may depend on a request. */
const MAX_PREPARED = 200;

interface Prepared {
  readonly statement: StatementSync;
  readonly decode: ((row: Row) => Row) | undefined;
}

/** The methods that a worker thread runs for `Thread`. */
export class Statements {
  private readonly database: DatabaseSync;
  private readonly applicationId: number;
  private readonly tables: Tables;
  /** By the name of the table. */
  private readonly creating: ReadonlyMap<string, Creating>;
  private readonly prepared = new Map<string, Prepared>();

  constructor({ tables, marker }: Layout, database: DatabaseSync) {
    this.database = database;
    this.applicationId = applicationId(marker);
    this.tables = tables;
    this.creating = new Map(
      formatsOf(tables)
        .entries()
        .map(([name, format]) => [name, new Creating(format)]),
    );
  }

  createBatch(rows: readonly NewRow[]): (Creation | PackedError)[] {
    this.begin();
    try {
      const creations = rows.map((row) => this.createOne(row));
      this.commit();
      return creations;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  private createOne(row: NewRow): Creation | PackedError {
    try {
      return this.insert(row);
    } catch (error) {
      // SQLite has rolled back the whole transaction, for a reason other than this row.
      if (!this.database.isTransaction) throw error;
      return pack(atWork(error, this.database.location() ?? ''));
    }
  }

  private insert(row: NewRow): Creation {
    const { format, insert, select } = ofTable(this.creating, row.table);
    const { changes } = this.prepare(insert).statement.run(...format.valuesOf(row.row).map(encode));
    if (changes === 1n) return 'created';
    const [stored] = this.run({ sql: select, values: format.key.map((column) => row.row[column]) }).rows;
    return format.outcomeOf(row, stored);
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
    this.requireTransaction();
    return this.run(statement);
  }

  /** @throws as `runWithin` does */
  createWithin(row: NewRow): Creation {
    this.requireTransaction();
    return this.insert(row);
  }

  private requireTransaction(): void {
    if (!this.database.isTransaction) throw new Error('SQLite has rolled back the transaction');
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

  /**
   * Rewrites a page unchanged, which costs 4 KB of log (WAL) and one fsync. The commit also writes the pages of `failed`,
   * although it takes the rows back: a full disk may have room for one page, but not for a row.
   */
  ready(failed: readonly NewRow[]): void {
    this.begin();
    try {
      this.database.exec('savepoint tried');
      for (const outcome of failed.map((row) => this.createOne(row))) {
        const error = typeof outcome === 'string' ? undefined : unpack(outcome);
        if (error instanceof StoreUnavailable) throw error;
      }
      this.database.exec('rollback to tried');
      for (const { insertNone } of this.creating.values()) this.run({ sql: insertNone, values: [] });
      // Not `user_version`, which a newer process may be raising.
      this.database.exec(`pragma application_id = ${this.applicationId}`);
      this.commit();
    } finally {
      this.rollback();
    }
  }

  close(): void {
    this.database.close();
  }

  /** Reads integers as bigint: node:sqlite throws for numbers beyond 2^53, even for the rowid of an inserted row. */
  private prepare(sql: string): Prepared {
    const found = this.prepared.get(sql);
    if (found !== undefined) return found;
    const statement = this.database.prepare(sql, { readBigInts: true });
    const prepared = {
      statement,
      decode: statement.columns().length === 0 ? undefined : rowDecoder(this.tables, statement),
    };
    const [oldest] = this.prepared.keys();
    if (this.prepared.size >= MAX_PREPARED && oldest !== undefined) this.prepared.delete(oldest);
    this.prepared.set(sql, prepared);
    return prepared;
  }
}
