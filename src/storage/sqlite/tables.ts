import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Creation, NewToken, Outcome, StoredToken } from '../store.ts';
import { COLUMNS, readToken, type Value } from '../columns.ts';
import { atWork } from './errors.ts';
import { APPLICATION_ID } from './migrations.ts';
import { DELETE_ONE, eachPlant, INSERT, isSame, SELECT_ONE } from './plants.ts';

const ID = COLUMNS.indexOf('id');

/** The statements of the store, run in the worker thread. */
export class Tables {
  private readonly database: DatabaseSync;
  /** Changes whenever another connection has written. */
  private version: unknown;
  private readonly prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** Creates plants (toValues of plants.ts) in one transaction, as `PlantStore.create` says for each. */
  create(values: readonly Value[]): Outcome<Creation>[] {
    return this.transaction(() => Array.from(eachPlant(values), (plant) => this.createOne(plant)));
  }

  private createOne(plant: readonly Value[]): Outcome<Creation> {
    try {
      if (plant.some((value) => typeof value === 'string' && !value.isWellFormed())) {
        throw new Error('a text with a lone surrogate cannot be stored as it is');
      }
      if (this.statement(INSERT).run(...plant).changes === 1n) return { result: 'created' };
      const stored = this.statement(SELECT_ONE).get(plant[ID] ?? null);
      return { result: isSame(plant, stored) ? 'replayed' : 'conflict' };
    } catch (error) {
      // SQLite gave up the whole transaction: not this plant's fault.
      if (!this.database.isTransaction) throw error;
      return { error: atWork(error) };
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
    return this.statement(DELETE_ONE).run(id).changes === 1n;
  }

  findToken(hash: Uint8Array): StoredToken | undefined {
    const row = this.statement('select * from tokens where hash = ? and revoked_at is null').get(hash);
    return row && readToken(row);
  }

  listTokens(): StoredToken[] {
    return this.statement('select * from tokens order by created_at, rowid').all().map(readToken);
  }

  addToken({ name, hash, expiresAt }: NewToken): boolean {
    const added = this.statement(
      `insert into tokens (hash, name, created_at, expires_at) values (?, ?, ?, ?) on conflict do nothing`,
    );
    return added.run(hash, name, Date.now(), expiresAt ?? null).changes === 1n;
  }

  addFirstToken(token: NewToken): boolean {
    return this.transaction(() => {
      const some = this.statement('select 1 from tokens limit 1').get() !== undefined;
      return !some && this.addToken(token);
    });
  }

  revokeToken(name: string): boolean {
    const revoked = this.statement('update tokens set revoked_at = ? where name = ? and revoked_at is null');
    return revoked.run(Date.now(), name).changes === 1n;
  }

  deleteToken(hash: Uint8Array): void {
    this.statement('delete from tokens where hash = ?').run(hash);
  }

  /** Writes what is there: 4 KB of the log (WAL) and an fsync, for which creates wait once. */
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
    let statement = this.prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      statement.setReadBigInts(true);
      this.prepared.set(sql, statement);
    }
    return statement;
  }
}
