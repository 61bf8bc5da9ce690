import { scopesText, toToken } from '../token-row.ts';
import { type NewToken, observed, type StoredToken, type StoreObserver, type TokenStore } from '../store.ts';
import type { Query, Value, WithRetries } from './session.ts';

const SELECT = 'select name, scopes, created_at, expires_at, revoked_at from tokens';
const FIND = `${SELECT} where hash = $1::bytea and revoked_at is null`;
/** It locks the row, so that its commit waits until the standby has all earlier commits (see plants.ts). */
const FIND_DURABLE = 'select name from tokens where hash = $1::bytea and revoked_at is null for key share';
const LIST = `${SELECT} order by created_at, position`;

/** The row of the schema is locked by the statement that sets what it says: of several that try at once one succeeds. */
const HAD_TOKEN = 'update schema_version set had_token = true where not had_token';
const TOKEN_COLUMNS = '(hash, name, scopes, created_at, expires_at)';
const TOKEN_VALUES = '$1::bytea, $2::text, $3::text, $4::bigint, $5::bigint';
const ADD = `with had as (${HAD_TOKEN} returning id)
  insert into tokens ${TOKEN_COLUMNS} values (${TOKEN_VALUES}) on conflict do nothing`;
/** Looks for tokens too: one may be added while another, the only one before it, is deleted. */
const ADD_FIRST = `with had as (${HAD_TOKEN} and not exists (select 1 from tokens) returning id)
  insert into tokens ${TOKEN_COLUMNS} select ${TOKEN_VALUES} from had on conflict do nothing`;
const REVOKE = 'update tokens set revoked_at = $1::bigint where name = $2 and revoked_at is null returning name';
const DELETE = `with gone as (delete from tokens where hash = $1::bytea)
  update schema_version set had_token = exists (select 1 from tokens where hash <> $1::bytea)`;

/** @param change runs a statement that returns what it changed, and says whether it changed anything */
export function tokenStore(
  withRetries: WithRetries,
  change: (...statement: Parameters<Query>) => Promise<boolean>,
  observer: StoreObserver | undefined,
): TokenStore {
  /** An insert whose answer was lost has succeeded if the token is there: no other has its hash. */
  async function add(text: string, token: NewToken): Promise<boolean> {
    const { name, hash, expiresAt } = token;
    const values: Value[] = [hash, name, scopesText(token), Date.now(), expiresAt ?? null];
    return await withRetries(async (query) => {
      await query(text, ...values);
      return (await query(FIND_DURABLE, hash)).length > 0;
    });
  }
  async function find(hash: Uint8Array): Promise<StoredToken | undefined> {
    const [row] = await withRetries((query) => query(FIND, hash));
    return row && toToken(row);
  }
  return {
    find: (hash) => observed(find(hash), observer),
    add: (token) => add(ADD, token),
    addFirst: (token) => add(ADD_FIRST, token),
    list: async () => (await withRetries((query) => query(LIST))).map(toToken),
    revoke: (name) => change(REVOKE, Date.now(), name),
    delete: async (hash) => {
      await withRetries((query) => query(DELETE, hash));
    },
  };
}
