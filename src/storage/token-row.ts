import type { Row } from './columns.ts';
import type { StoredToken } from './store.ts';

/** A row of the table `tokens`, whose times are milliseconds since 1970. */
export function toToken(row: Row): StoredToken {
  const optional = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  const [expiresAt, revokedAt] = [optional('expires_at'), optional('revoked_at')];
  return {
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}
