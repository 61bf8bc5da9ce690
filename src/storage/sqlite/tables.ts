import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Creation, NewToken, StoredPlant, StoredToken } from '../store.ts';
import { COLUMN_LIST, COLUMNS, isSame, textsOf } from '../columns.ts';
import { scopesText, toToken } from '../token-row.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { APPLICATION_ID } from './migrations.ts';

const INSERT = `insert into plants (${COLUMN_LIST}) values (${COLUMNS.map(() => '?').join()}) on conflict do nothing`;
const SELECT_ONE = `select ${COLUMN_LIST} from plants where id = ?`;

/** The statements of the store, run in the worker thread. */
export class Tables {
  private readonly database: DatabaseSync;
  /** Changes whenever another connection has written. */
  private version: unknown;
  private readonly prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Creates plants in one transaction, as `PlantStore.create` says for each. */
  createBatch(plants: readonly StoredPlant[]): (Creation | PackedError)[] {
    return this.transaction(() => plants.map((plant) => this.createOne(plant)));
  }

  private createOne(plant: StoredPlant): Creation | PackedError {
    try {
      if (!textsOf(plant).every((text) => text.isWellFormed())) {
        throw new Error('a text with a lone surrogate cannot be stored as it is');
      }
      const values = COLUMNS.map((column) => plant[column] ?? null);
      if (this.statement(INSERT).run(...values).changes === 1n) return 'created';
      return isSame(plant, this.statement(SELECT_ONE).get(plant.id)) ? 'replayed' : 'conflict';
    } catch (error) {
      // SQLite gave up the whole transaction: not this plant's fault.
      if (!this.database.isTransaction) throw error;
      return pack(atWork(error));
    }
  }

  /** Whether others have written since this was asked last. */
  othersWrote(): boolean {
    const version = this.statement('pragma data_version').get()?.['data_version'];
    const same = version === this.version;
    this.version = version;
    return !same;
  }

  remove(id: bigint): boolean {
    return this.statement('delete from plants where id = ?').run(id).changes === 1n;
  }

  findToken(hash: Uint8Array): StoredToken | undefined {
    const row = this.statement('select * from tokens where hash = ? and revoked_at is null').get(hash);
    return row && toToken(row);
  }

  listTokens(): StoredToken[] {
    return this.statement('select * from tokens order by created_at, rowid').all().map(toToken);
  }

  addToken(token: NewToken): boolean {
    return this.insertToken('values (?, ?, ?, ?, ?)', token);
  }

  addFirstToken(token: NewToken): boolean {
    return this.insertToken('select ?, ?, ?, ?, ? where not exists (select 1 from tokens)', token);
  }

  private insertToken(values: string, token: NewToken): boolean {
    const { name, hash, expiresAt } = token;
    const columns = '(hash, name, scopes, created_at, expires_at)';
    const added = this.statement(`insert into tokens ${columns} ${values} on conflict do nothing`);
    return added.run(hash, name, scopesText(token), Date.now(), expiresAt ?? null).changes === 1n;
  }

  revokeToken(name: string): boolean {
    const revoked = this.statement('update tokens set revoked_at = ? where name = ? and revoked_at is null');
    return revoked.run(Date.now(), name).changes === 1n;
  }

  deleteToken(hash: Uint8Array): void {
    this.statement('delete from tokens where hash = ?').run(hash);
  }

  /** Writes a page as it is: 4 KB of the log (WAL) and an fsync, for which creates wait once. */
  ready(): void {
    this.transaction(() => {
      this.statement('select 1 from plants limit 1').get();
      // Not the version of the schema, which a newer process may raise meanwhile.
      this.database.exec(`pragma application_id = ${APPLICATION_ID}`);
    });
  }

  close(): void {
    this.database.close();
  }

  private transaction<T>(work: () => T): T {
    this.database.exec('begin immediate');
    try {
      const result = work();
      this.database.exec('commit');
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('rollback');
      throw error;
    }
  }

  /** Integers are read as bigint: node:sqlite refuses those beyond 2^53 otherwise, rowids of inserted plants included. */
  private statement(sql: string): StatementSync {
    const statement = this.prepared.get(sql) ?? this.database.prepare(sql, { readBigInts: true });
    this.prepared.set(sql, statement);
    return statement;
  }
}
