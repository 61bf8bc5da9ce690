import { readConfig } from '../config.ts';
import { backUpStore, restoreStore } from '../storage/backup.ts';
import { ExplainedError } from '../explained-error.ts';
import { writeNewFile } from '../files/new-file.ts';
import { print } from './print.ts';
import { stopSignal } from './signals.ts';

/** Copies the store into a new file, also beside a running service. Only its owner may read it: it has the tokens' hashes. */
export async function backUp(file: string): Promise<void> {
  using stop = stopSignal();
  const options = { mode: 0o600, signal: stop.signal };
  const plants = await backUpStore(readConfig().DATABASE_URL, file, (write) => writeNewFile(file, options, write));
  await print(`${file} has the store as it was: ${count(plants)}, checked\n`);
}

/** Puts back what a backup has, also beside a running service. */
export async function restore(file: string, { force = false }: { force?: boolean }): Promise<void> {
  const plants = await restoreStore(readConfig().DATABASE_URL, file, (present) => {
    if (present === 0 || force) return;
    throw new ExplainedError(
      `the store has ${count(present)}, which would be lost: make a backup of it first, then restore with --force`,
    );
  });
  await print(`the store is what ${file} has: ${count(plants)}, checked\n`);
}

function count(plants: number): string {
  return plants === 1 ? '1 plant' : `${plants} plants`;
}
