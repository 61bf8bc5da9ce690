import { closeSync, constants, fchownSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import type { Run } from './engine.ts';

/** The end of the name of the file, beside a store in SQLite, that records what operators did to the store. */
export const ACTS_FILE = '.acts.ndjson';

/**
 * Appends a line to that file, and waits for the disk. A restore does not replace the file, as it would replace a
 * table. The file has the owner and the mode of the store, as SQLite gives them to -wal.
 */
export function appendAct(store: string, line: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_SYNC, O_NOFOLLOW, O_NONBLOCK } = constants;
  // A link and its target are one store, with one file.
  const target = realpathSync(store);
  const { mode, uid, gid } = statSync(target);
  // Follows no link, and waits for no reader of a pipe: a command of root may run in a folder of the service's user.
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_SYNC | O_NOFOLLOW | O_NONBLOCK;
  const file = openSync(target + ACTS_FILE, flags, mode & 0o666);
  try {
    if (process.getuid?.() === 0) fchownSync(file, uid, gid);
    // Unlike writeSync, this writes all bytes or throws.
    writeFileSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

/** Writes a line to the log of the PostgreSQL server, which the role of the service cannot change afterwards. */
export async function raiseAct(run: Run, line: string): Promise<void> {
  await run({ sql: `do ${literal(`begin raise log '%', ${literal(line)}; end`)}`, values: [], writes: true });
}

/** Every session has `standard_conforming_strings`, so that only quotes are special. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
