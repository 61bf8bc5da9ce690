import type { Row } from './columns.ts';
import type { NewToken, StoredToken } from './store.ts';

/** Scopes as the table `tokens` has them: with spaces between them, '' for none. */
export function scopesText({ scopes }: NewToken): string {
  return scopes.join(' ');
}

/** A row of the table `tokens`, whose times are milliseconds since 1970. */
export function toToken(row: Row): StoredToken {
  const optional = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  // Schema 1 has no such column: `restore` of SQLite brings a backup up to date once it is in place.
  const scopes = Object.hasOwn(row, 'scopes') ? row['scopes'] : '';
  const [expiresAt, revokedAt] = [optional('expires_at'), optional('revoked_at')];
  return {
    name: String(row['name']),
    scopes: String(scopes).split(' ').filter(Boolean),
    createdAt: Number(row['created_at']),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}
