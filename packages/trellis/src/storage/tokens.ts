import type { Selectable } from 'kysely';
import type { OWN_TABLES } from './layout.ts';
import type { Database, Queries, Transaction } from './queries.ts';
import type { NewToken, StoredToken, TokenStore } from './store.ts';
import type { Queried } from './tables.ts';

const COLUMNS = ['name', 'scopes', 'created_at', 'expires_at', 'revoked_at'] as const;

type Own = typeof OWN_TABLES;

export function tokenStore(database: Database<Own>, transaction: Transaction<Own>): TokenStore {
  const find = async (hash: Uint8Array) => {
    const unrevoked = database.selectFrom('tokens').select(COLUMNS).where('revoked_at', 'is', null);
    const row = await unrevoked.where('hash', '=', hash).executeTakeFirst();
    return row && toToken(row);
  };
  const add = ({ hash, name, scopes, expiresAt }: NewToken, onlyFirst: boolean) => {
    const token = {
      hash,
      name,
      scopes: scopes.join(' '),
      created_at: BigInt(Date.now()),
      expires_at: expiresAt === undefined ? null : BigInt(expiresAt),
    };
    const work = async ({ database: tokens }: Queries<Own>) => {
      const found = tokens.selectFrom('tokens').select('hash').limit(1);
      // A hash belongs to one token. If the table has it, an earlier try added the token, and its answer was lost.
      if ((await found.where('hash', '=', hash).executeTakeFirst()) !== undefined) return true;
      if (onlyFirst && (await found.executeTakeFirst()) !== undefined) return false;
      const insert = tokens
        .insertInto('tokens')
        .values(token)
        .onConflict((conflict) => conflict.doNothing());
      return (await insert.executeTakeFirst()).numInsertedOrUpdatedRows === 1n;
    };
    return transaction(work, { repeatable: true });
  };
  return {
    find,
    add: (token) => add(token, false),
    async addFirst(token) {
      // Reads first: while its standby is away PostgreSQL cannot write, but a service that has tokens can start.
      const another = database.selectFrom('tokens').select('hash').where('hash', '!=', token.hash).limit(1);
      if ((await find(token.hash)) === undefined && (await another.executeTakeFirst()) !== undefined) return false;
      return await add(token, true);
    },
    async list() {
      const rows = await database.selectFrom('tokens').select(COLUMNS).orderBy('created_at').orderBy('name').execute();
      return rows.map(toToken);
    },
    async revoke(name) {
      const revoking = database.updateTable('tokens').set({ revoked_at: BigInt(Date.now()) });
      const { numUpdatedRows } = await revoking
        .where('name', '=', name)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(hash) {
      await database.deleteFrom('tokens').where('hash', '=', hash).execute();
    },
  };
}

type TokenRow = Pick<Selectable<Queried<Own>['tokens']>, (typeof COLUMNS)[number]>;

function toToken({ name, scopes, created_at, expires_at, revoked_at }: TokenRow): StoredToken {
  return {
    name,
    scopes: scopes.split(' ').filter(Boolean),
    createdAt: Number(created_at),
    ...(expires_at === null ? {} : { expiresAt: Number(expires_at) }),
    ...(revoked_at === null ? {} : { revokedAt: Number(revoked_at) }),
  };
}
