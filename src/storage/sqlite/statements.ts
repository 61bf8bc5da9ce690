import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { RESOURCE } from '../../resource.ts';
import { isSameItem, toItem, valuesOf } from '../items.ts';
import type { Creation, Result, Row, Statement } from '../store.ts';
import { COLUMN_LIST, COLUMNS, type Item } from '../tables.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { APPLICATION_ID } from './migrations.ts';
import { encode, rowDecoder } from './values.ts';

const INSERT = `insert into ${RESOURCE.many} (${COLUMN_LIST}) values (${COLUMNS.map(() => '?').join()}) on conflict do nothing`;
const SELECT_ONE = `select ${COLUMN_LIST} from ${RESOURCE.many} where id = ?`;

/** How many statements stay prepared: the text of a query may depend on what a client sends. */
const MAX_PREPARED = 200;

interface Prepared {
  readonly statement: StatementSync;
  /** undefined: it answers with no rows. */
  readonly decode: ((row: Row) => Row) | undefined;
}

/** The statements of the store, run in a worker thread. */
export class Statements {
  private readonly database: DatabaseSync;
  /** Changes whenever another connection has written. */
  private version: unknown;
  private readonly prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Creates items in one transaction, as `Creator.create` says for each. */
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
      // SQLite gave up the whole transaction: not this item's fault.
      if (!this.database.isTransaction) throw error;
      return pack(atWork(error));
    }
  }

  run({ sql, values }: Pick<Statement, 'sql' | 'values'>): Result {
    const { statement, decode } = this.prepare(sql);
    const encoded = values.map(encode);
    if (decode === undefined) return { rows: [], changes: BigInt(statement.run(...encoded).changes) };
    const rows = statement.all(...encoded).map(decode);
    return { rows, changes: BigInt(rows.length) };
  }

  /** @throws Error if SQLite has given up the transaction of which the statement is one: it would be done for good */
  runWithin(statement: Statement): Result {
    if (!this.database.isTransaction) throw new Error('the transaction was given up');
    return this.run(statement);
  }

  begin(): void {
    this.database.exec('begin immediate');
  }

  commit(): void {
    this.database.exec('commit');
  }

  /** Does nothing if SQLite has given up the transaction already. */
  rollback(): void {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  /** Whether others have written since this was asked last. */
  othersWrote(): boolean {
    const version = this.run({ sql: 'pragma data_version', values: [] }).rows[0]?.['data_version'];
    const same = version === this.version;
    this.version = version;
    return !same;
  }

  /** Writes a page as it is: 4 KB of the log (WAL) and an fsync, for which creates wait once. */
  ready(): void {
    this.begin();
    try {
      this.run({ sql: `select 1 from ${RESOURCE.many} limit 1`, values: [] });
      // Not the version of the schema, which a newer process may raise meanwhile.
      this.database.exec(`pragma application_id = ${APPLICATION_ID}`);
      this.commit();
    } finally {
      this.rollback();
    }
  }

  close(): void {
    this.database.close();
  }

  /** Integers are read as bigint: node:sqlite refuses those beyond 2^53 otherwise, rowids of inserted items included. */
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
