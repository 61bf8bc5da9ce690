import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ExplainedError } from '../explained-error.ts';
import { RESOURCE } from '../resource.ts';
import { ACTS_FILE } from '../storage/acts.ts';
import { dumpCommand } from '../storage/postgres/location.ts';
import { recordAct } from './acts.ts';
import { backUp as backUpSqlite, planRestore, requireForeign as requireForeignTo } from '../storage/sqlite/backup.ts';
import { writeFile, writeNewFile } from '../files/new-file.ts';
import { print } from './print.ts';
import { watchSignals } from './signals.ts';

/** Only the owner may read the hashes of the tokens. */
const MODE = 0o600;

export async function backUp(config: Config, file: string): Promise<void> {
  const path = pathOfStore(config, 'backup', file);
  using interruption = watchSignals();
  const options = { mode: MODE, signal: interruption.signal };
  const count = await writeNewFile(file, options, (copy) => backUpSqlite(path, copy));
  await print(`backed up ${inWords(count)} to ${file}, and checked the copy\n`);
}

export async function restore(config: Config, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const path = pathOfStore(config, 'restore', file);
  using interruption = watchSignals();
  const { target, prepare, place } = planRestore(path, file, (countItems) => {
    const items = force ? 0 : countItems();
    if (items === 0) return;
    throw new ExplainedError(
      `the store has ${inWords(items)}, which the restore would delete: back the store up, then restore with --force`,
    );
  });
  const count = await writeFile(target, { mode: MODE, signal: interruption.signal }, prepare, place);
  await recordAct(config, 'restored', { file: resolve(file), [RESOURCE.many]: count });
  await print(`restored ${inWords(count)} from ${file}, and checked the store\n`);
}

/** @throws ExplainedError if the file belongs to the store, or with PostgreSQL's own command for a store there */
function pathOfStore({ DATABASE_URL: store }: Config, what: 'backup' | 'restore', file: string): string {
  if (store.engine !== 'sqlite') {
    throw new ExplainedError(`use the command of PostgreSQL: ${dumpCommand(store, what, file)}`);
  }
  requireForeign({ DATABASE_URL: store }, file);
  return store.path;
}

/** @throws StoreUnusable if the file belongs to a store in SQLite, or has the name that one of its files will have */
export function requireForeign({ DATABASE_URL: store }: Pick<Config, 'DATABASE_URL'>, file: string): void {
  if (store.engine === 'sqlite') requireForeignTo(store.path, file, ACTS_FILE);
}

function inWords(count: number): string {
  return `${count} ${count === 1 ? RESOURCE.one : RESOURCE.many}`;
}
