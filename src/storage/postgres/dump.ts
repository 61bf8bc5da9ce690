import type { PostgresLocation } from './location.ts';
import { nameOf } from './location.ts';

/** The command by which PostgreSQL backs the database up, or restores it; without the password, which it asks for. */
export function dumpCommand(location: PostgresLocation, what: 'backup' | 'restore', file: string): string {
  const url = `'postgres://${encodeURIComponent(location.user)}@${nameOf(location)}'`;
  const name = `'${file.replaceAll("'", "'\\''")}'`;
  return what === 'backup'
    ? `pg_dump --format=custom --file=${name} ${url}`
    : `pg_restore --clean --if-exists --single-transaction --dbname=${url} ${name}`;
}
