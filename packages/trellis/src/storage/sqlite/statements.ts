import type { DatabaseSync } from 'node:sqlite';
import type { Layout } from '../layout.ts';
import { bytesOf, formatsOf, ofTable, RowFormat } from '../rows.ts';
import type { Creation } from '../queries.ts';
import type { LookUp, NewRow, Statement } from '../engine.ts';
import { StoreUnavailable } from '../store-errors.ts';
import type { Table } from '../tables.ts';
import { connectReader } from './connection.ts';
import { atWork, pack, type PackedError, unpackEach } from './errors.ts';
import { applicationId, requireColumns } from './migrations.ts';
import { type FoundRows, Prepared, resultOf } from './values.ts';

/** A table, with the statements of a create. */
class SqliteCreating extends RowFormat {
  readonly insert: string;
  /** Stores nothing, and fails if a column is missing. */
  readonly insertNone: string;

  constructor(name: string, described: Table) {
    super(name, described);
    const { table, columns, columnList, keyList } = this;
    const into = `insert into ${table} (${columnList})`;
    const unlessThere = `on conflict (${keyList}) do nothing`;
    this.insert = `${into} values (${columns.map(() => '?').join()}) ${unlessThere}`;
    this.insertNone = `${into} select ${columns.map(() => 'null').join()} where false ${unlessThere}`;
  }
}

/** Limits the memory, as the text of a query may depend on a request. */
const MAX_PREPARED = 200;

/** What one step of an operation asks of the store. The next type is the answer. */
export type RowOrStatement = NewRow | Statement;
export type CreationOrFound = Creation | FoundRows;

/** The methods that a worker thread runs for `Thread`. */
export class Statements {
  private readonly layout: Layout;
  private readonly database: DatabaseSync;
  /** The statements of creates, by the name of the table. */
  private readonly creating: ReadonlyMap<string, SqliteCreating>;
  private readonly prepared = new Map<string, Prepared>();
  private reader: Statements | undefined;
  /** The transaction that has asked last since the last commit. */
  private savepoint: number | undefined;

  constructor(layout: Layout, database: DatabaseSync) {
    this.layout = layout;
    this.database = database;
    this.creating = formatsOf(layout.tables, SqliteCreating);
  }

  /**
   * Does what is asked in its order, in the transaction of SQLite under way. What fails has no effect on the rest.
   *
   * @throws Error if nothing of that transaction has an effect
   */
  write(
    asked: readonly RowOrStatement[],
    { begins, commits }: { readonly begins: boolean; readonly commits: boolean },
  ): (CreationOrFound | PackedError)[] {
    if (begins) this.begin();
    const answers = asked.map((each) => this.try(each));
    if (commits) this.database.exec('commit');
    return answers;
  }

  private try(asked: RowOrStatement): CreationOrFound | PackedError {
    try {
      return this.do(asked);
    } catch (error) {
      // SQLite has rolled back the whole transaction.
      if (!this.database.isTransaction) throw error;
      return pack(atWork(error, this.path));
    }
  }

  /** Does what a transaction asks. The number of its savepoint is its own. */
  ask(asked: RowOrStatement, savepoint: number): CreationOrFound {
    if (this.database.isTransaction && this.savepoint !== savepoint) {
      this.database.exec(this.savepoint === undefined ? 'savepoint part' : 'release part; savepoint part');
      this.savepoint = savepoint;
    }
    return this.do(asked);
  }

  /** Undoes all that was asked with the number. @throws Error if SQLite has rolled back more than that */
  undo(savepoint: number): void {
    if (this.savepoint === savepoint) this.database.exec('rollback to part');
  }

  /** @throws Error if SQLite has rolled back the transaction: outside it, the row would be committed alone */
  private do(asked: RowOrStatement): CreationOrFound {
    if (!this.database.isTransaction) throw new Error('SQLite has rolled back the transaction');
    return 'sql' in asked ? this.run(asked) : this.insert(asked);
  }

  private insert(row: NewRow): Creation {
    const [table, , ...values] = row;
    const creating = ofTable(this.creating, table);
    let refusal: unknown;
    try {
      if (this.run({ sql: creating.insert, values }).changes === 1n) return 'created';
    } catch (error) {
      if (!this.database.isTransaction) throw error;
      // SQLite tests a CHECK first: it may not have seen that the key exists.
      refusal = error;
    }
    const [stored] = resultOf(this.run({ sql: creating.selectOne.sqlite, values: creating.keyOf(values) })).rows;
    if (stored === undefined && refusal !== undefined) throw refusal as Error;
    return creating.outcomeOf(row, stored && creating.valuesOf(stored));
  }

  read(statements: readonly Statement[]): (FoundRows | PackedError)[] {
    return this.each(statements, (statement) => this.run(statement));
  }

  /** The values of the rows of keys, as SQLite has them. */
  lookUp(lookUps: readonly LookUp[]): (readonly unknown[] | undefined | PackedError)[] {
    return this.each(lookUps, ([table, ...values]) => {
      const { sqlite: sql } = ofTable(this.creating, table).selectOne;
      return this.run({ sql, values }).rows[0];
    });
  }

  private each<Item, Answer>(items: readonly Item[], read: (item: Item) => Answer): (Answer | PackedError)[] {
    return items.map((item) => {
      try {
        return read(item);
      } catch (error) {
        return pack(atWork(error, this.path));
      }
    });
  }

  /** Reads on a connection of its own, which sees no row of a transaction that is under way. */
  readShort(statement: Statement): FoundRows {
    this.reader ??= new Statements(this.layout, connectReader(this.path));
    return this.reader.run(statement);
  }

  private run({ sql, values }: Pick<Statement, 'sql' | 'values'>): FoundRows {
    return this.prepare(sql).run(values);
  }

  private begin(): void {
    this.database.exec('begin immediate');
    this.savepoint = undefined;
  }

  /** Does nothing if SQLite has rolled back already. */
  rollback(): void {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  /**
   * Rewrites a page unchanged, which costs 4 KB of log (WAL) and one fsync. The commit also writes the pages of
   * `failed`, although it takes the job back: a full disk may have room for one page, but not for a row. Does not wait
   * for a transaction under way, whose commit will show whether the store works.
   */
  ready(failed: RowOrStatement | undefined): void {
    if (this.database.isTransaction) {
      if (failed !== undefined) throw new StoreUnavailable('the store has failed, and a transaction is under way');
      return;
    }
    this.begin();
    try {
      this.database.exec('savepoint tried');
      const [answer] = unpackEach(failed === undefined ? [] : [this.try(failed)]);
      if (answer instanceof StoreUnavailable) throw answer;
      this.database.exec('rollback to tried');
      for (const { insertNone } of this.creating.values()) this.run({ sql: insertNone, values: [] });
      requireColumns(this.layout, this.database, this.path);
      // Not `user_version`, which a newer process may be raising.
      this.database.exec(`pragma application_id = ${applicationId(this.layout.marker)}`);
      this.database.exec('commit');
    } finally {
      this.rollback();
    }
  }

  close(): void {
    this.reader?.close();
    this.database.close();
  }

  private get path(): string {
    return this.database.location() ?? '';
  }

  private prepare(sql: string): Prepared {
    const found = this.prepared.get(sql);
    if (found !== undefined) return found;
    const prepared = new Prepared(this.layout.tables, this.database, sql);
    const [oldest] = this.prepared.keys();
    if (this.prepared.size >= MAX_PREPARED && oldest !== undefined) this.prepared.delete(oldest);
    this.prepared.set(sql, prepared);
    return prepared;
  }
}

/** Estimates the memory of what is asked, in bytes. */
export function bytesOfAsked(asked: RowOrStatement): number {
  return bytesOf('sql' in asked ? [asked.sql, ...asked.values] : asked);
}
