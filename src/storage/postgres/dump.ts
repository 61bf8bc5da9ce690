import type { PostgresLocation } from './location.ts';

/** The command by which PostgreSQL backs the database up, or restores it; without the password, which it asks for. */
export function dumpCommand({ url }: PostgresLocation, what: 'backup' | 'restore', file: string): string {
  return what === 'backup'
    ? `pg_dump --format=custom --file=${quoted(file)} ${quoted(url)}`
    : `pg_restore --clean --if-exists --single-transaction --dbname=${quoted(url)} ${quoted(file)}`;
}

/** As a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
