import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import type { AnyService } from '../service.ts';
import type { Store } from '../storage/store.ts';
import { CsvColumns } from '../files/csv.ts';
import { writeNewFile } from '../files/new-file.ts';
import { requireForeign } from './backup.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { type Format, formatOf, toNdjson } from '../files/records.ts';
import { watchSignals } from './signals.ts';
import { withStore } from './with-store.ts';

export async function exportRecords(
  service: AnyService,
  config: Config,
  path: string | undefined,
  options: { format?: string },
): Promise<void> {
  const format = formatOf(path ?? '', options.format);
  if (path !== undefined) requireForeign(config, path);
  const lines = (store: Store, progress: Progress | undefined) => texts(service, store, format, progress);
  await withStore(service, config, { create: false }, async (store) => {
    if (path === undefined) {
      // On a terminal, lines of progress would mix with the records.
      const progress = process.stdout.isTTY ? undefined : new Progress(service.records.table);
      for await (const text of lines(store, progress)) await print(text);
    } else {
      using interruption = watchSignals();
      const { signal } = interruption;
      await writeNewFile(path, { mode: 0o666, signal }, async (temporary) => {
        const readable = Readable.from(lines(store, new Progress(service.records.table)));
        await pipeline(readable, createWriteStream(temporary), { signal });
      });
    }
  });
}

async function* texts(
  { records: { table }, tables }: AnyService,
  store: Store,
  format: Format,
  progress: Progress | undefined,
): AsyncGenerator<string> {
  let count = 0;
  const csv = new CsvColumns(tables[table]?.columns ?? {});
  if (format === 'csv') yield csv.header;
  try {
    for await (const portion of store.list(table)) {
      yield portion.map(format === 'csv' ? csv.write : toNdjson).join('');
      count += portion.length;
      progress?.update(count, undefined);
    }
  } finally {
    progress?.end();
  }
}
