import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ExplainedError } from 'trellis-contract/ground';
import { layoutOf } from '../storage/layout.ts';
import { dumpCommand } from '../storage/postgres/location.ts';
import { recordAct } from './acts.ts';
import {
  backUp as backUpSqlite,
  type Counts,
  planRestore,
  requireForeign as requireForeignTo,
} from '../storage/sqlite/backup.ts';
import { writeFile, writeNewFile } from '../files/new-file.ts';
import type { Job } from './io.ts';
import { print } from './print.ts';
import { watchSignals } from './signals.ts';

/** Only the owner may read a backup, which has the hashes of the tokens. */
const MODE = 0o600;

export async function backUp(job: Job, file: string): Promise<void> {
  const path = pathOfStore(job.config, 'backup', file);
  using interruption = watchSignals(job.io);
  const options = { mode: MODE, signal: interruption.signal };
  const counts = await writeNewFile(file, options, (copy) => backUpSqlite(layoutOf(job.service), path, copy));
  await print(job.io, `backed up ${inWords(counts)} to ${file}, and checked the copy\n`);
}

export async function restore(job: Job, file: string, { force = false }: { force?: boolean }): Promise<void> {
  const path = pathOfStore(job.config, 'restore', file);
  using interruption = watchSignals(job.io);
  const { target, prepare, place } = planRestore(layoutOf(job.service), path, file, (count) => {
    const counts = force ? {} : count();
    if (Object.values(counts).every((rows) => rows === 0)) return;
    throw new ExplainedError(
      `the store has ${inWords(counts)}, which the restore would delete: back the store up, then restore with --force`,
    );
  });
  const counts = await writeFile(target, { mode: MODE, signal: interruption.signal }, prepare, place);
  await recordAct(job, 'restored', { file: resolve(file), rows: counts });
  await print(job.io, `restored ${inWords(counts)} from ${file}, and checked the store\n`);
}

/**
 * @throws ExplainedError if the file belongs to the store, or the store is on PostgreSQL, which has its own commands
 */
function pathOfStore({ DATABASE_URL: store }: Config, what: 'backup' | 'restore', file: string): string {
  if (store.engine !== 'sqlite')
    throw new ExplainedError(`use the command of PostgreSQL: ${dumpCommand(store, what, file)}`);
  requireForeign({ DATABASE_URL: store }, file);
  return store.path;
}

/** @throws StoreUnusable if the file belongs to a store in SQLite, or has the name that one of its files will have */
export function requireForeign({ DATABASE_URL: store }: Pick<Config, 'DATABASE_URL'>, file: string): void {
  if (store.engine === 'sqlite') requireForeignTo(store.path, file);
}

function inWords(counts: Counts): string {
  const parts = Object.entries(counts).map(([table, rows]) => `${rows} ${rows === 1 ? 'row' : 'rows'} of ${table}`);
  return parts.length === 0 ? 'the store' : new Intl.ListFormat('en-GB').format(parts);
}
