import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { ExplainedError } from 'trellis-contract/ground';
import { layoutOf } from '../storage/layout.ts';
import { dumpCommand } from '../storage/postgres/location.ts';
import { recordAct } from '../terminal/acts.ts';
import { backUp as backUpSqlite, type Copied, type Counts, planRestore } from '../storage/sqlite/backup.ts';
import { writeFile, writeNewFile } from '../files/new-file.ts';
import { compareSum, sumFileOf, sumLine, sumOf } from '../files/sum.ts';
import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { requireForeign } from '../terminal/foreign.ts';
import { faultOf, firstOf, nameOfRow } from '../terminal/rows.ts';
import { watchSignals } from '../instance/signals.ts';

/** Only the owner may read a backup, which has the hashes of the tokens. */
const MODE = 0o600;

export async function backUp(job: Job, file: string): Promise<void> {
  const path = pathOfStore(job.config, 'backup', file);
  const sumFile = sumFileOf(file);
  requireForeign(job.config, sumFile);
  using interruption = watchSignals(job.io);
  const options = { mode: MODE, signal: interruption.signal };
  const { sum, ...copied } = await writeNewFile(file, options, async (copy) => {
    const copied = backUpSqlite(layoutOf(job.service), path, copy);
    // Of a backup of the same name, which is gone.
    rmSync(sumFile, { force: true });
    return { ...copied, sum: await sumOf(copy) };
  });
  const writeSum = (temporary: string) => {
    writeFileSync(temporary, sumLine(sum, file));
  };
  await writeFile(sumFile, options, writeSum, (temporary) => {
    renameSync(temporary, sumFile);
  });
  await print(job.io, `backed up ${inWords(copied.counts)} to ${file}, and checked the copy\n`);
  requireWhole(job, `the backup ${file}`, copied);
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
  const isCompared = await compareSum(file);
  const copied = await writeFile(target, { mode: MODE, signal: interruption.signal }, prepare, place);
  const { counts } = copied;
  await recordAct(job, 'restored', { file: resolve(file), rows: counts });
  await print(job.io, `restored ${inWords(counts)} from ${file}, and checked the store\n`);
  if (!isCompared)
    job.io.stderr.write(
      `warning: there is no ${sumFileOf(file)}, so that a value which has changed since the backup was not noticed\n`,
    );
  requireWhole(job, `the restored store`, copied);
}

/** @throws ExplainedError that names the rows whose texts a disk has changed */
function requireWhole({ service }: Job, what: string, { damaged }: Copied): void {
  if (damaged.count === 0) return;
  const tables = layoutOf(service).tables;
  const names = damaged.first.map(
    (row) => `${row.table} with ${nameOfRow(tables[row.table]?.key ?? [], row.key)}: ${faultOf(row.columns)}`,
  );
  const cure = 'it has all others; bring these rows back from an older backup, or remove them';
  throw new ExplainedError(`${what} has rows that the disk has changed: ${firstOf(names, damaged.count)}: ${cure}`);
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

function inWords(counts: Counts): string {
  const parts = Object.entries(counts).map(([table, rows]) => `${rows} ${rows === 1 ? 'row' : 'rows'} of ${table}`);
  return parts.length === 0 ? 'the store' : new Intl.ListFormat('en-GB').format(parts);
}
