import type { Config } from '../config.ts';
import { ExplainedError } from '../explained-error.ts';
import { RESOURCE } from '../resource.ts';
import { dumpCommand } from '../storage/postgres/location.ts';
import { backUp as backUpSqlite, restore as restoreSqlite } from '../storage/sqlite/backup.ts';
import { writeNewFile } from '../files/new-file.ts';
import { print } from './print.ts';
import { watchSignals } from './signals.ts';

/** Copies the store into a new file, also beside a service. Only the owner may read it: it has the tokens' hashes. */
export async function backUp(config: Config, file: string): Promise<void> {
  const path = pathOfStore(config, 'backup', file);
  using interruption = watchSignals();
  const options = { mode: 0o600, signal: interruption.signal };
  const count = await writeNewFile(file, options, (copy) => backUpSqlite(path, copy));
  await print(`${file} has the store as it was: ${inWords(count)}, checked\n`);
}

/** Makes the store what a backup has, also beside a running service. */
export async function restore(config: Config, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const count = await restoreSqlite(pathOfStore(config, 'restore', file), file, (present) => {
    if (present === 0 || force) return;
    throw new ExplainedError(
      `the store has ${inWords(present)}, which would be lost: make a backup of it first, then restore with --force`,
    );
  });
  await print(`the store is what ${file} has: ${inWords(count)}, checked\n`);
}

/** The path of the store in SQLite. @throws ExplainedError which names PostgreSQL's own command, for a store there */
function pathOfStore({ DATABASE_URL: store }: Config, what: 'backup' | 'restore', file: string): string {
  if (store.engine === 'sqlite') return store.path;
  throw new ExplainedError(`PostgreSQL does this itself: ${dumpCommand(store, what, file)}`);
}

function inWords(count: number): string {
  return `${count} ${count === 1 ? RESOURCE.one : RESOURCE.many}`;
}
