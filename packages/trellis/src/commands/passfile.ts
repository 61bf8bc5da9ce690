import { existsSync, readFileSync, renameSync } from 'node:fs';
import { writeFile as write } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExplainedError } from 'trellis-contract/ground';
import { writeFile } from '../files/new-file.ts';
import { passfileLine, withPassfile } from '../storage/postgres/location.ts';
import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { watchSignals } from '../instance/signals.ts';

/** What this command itself has written. */
const OWN_LINE = /^\*:\*:\*:[^\n]*\n?$/;

/**
 * Writes the password of a store on PostgreSQL to a file, and prints the URL that names the file: an argument of pg_dump is
 * in the list of processes.
 */
export async function writePassfile({ config: { DATABASE_URL: store }, io }: Job, file: string): Promise<void> {
  if (store.engine !== 'postgres')
    throw new ExplainedError('a store in SQLite has no password: `backup` and `restore` need none');
  const path = resolve(file);
  if (store.password !== '') {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // Such as ~/.pgpass: libpq would find no other password in it, and offer this one to any server.
    if (before !== '' && !OWN_LINE.test(before))
      throw new ExplainedError(`the file ${path} has other passwords: name another file`);
    using interruption = watchSignals(io);
    const options = { mode: 0o600, signal: interruption.signal };
    await writeFile(
      path,
      options,
      (temporary) => write(temporary, passfileLine(store)),
      (temporary) => {
        renameSync(temporary, path);
      },
    );
  }
  await print(io, `${store.password === '' ? store.url : withPassfile(store, path)}\n`);
}
