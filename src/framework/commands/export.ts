import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import type { ItemStore } from '../storage/store.ts';
import { CSV_HEADER, toCsv } from '../files/csv.ts';
import { writeNewFile } from '../files/new-file.ts';
import { requireForeign } from './backup.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { type Format, formatOf, toNdjson } from '../files/records.ts';
import { watchSignals } from './signals.ts';
import { withStore } from './with-store.ts';

export async function exportItems(
  config: Config,
  path: string | undefined,
  options: { format?: string },
): Promise<void> {
  const format = formatOf(path ?? '', options.format);
  if (path !== undefined) requireForeign(config, path);
  await withStore(config, { create: false }, async ({ items }) => {
    if (path === undefined) {
      // On a terminal, lines of progress would mix with the items.
      const progress = process.stdout.isTTY ? undefined : new Progress();
      for await (const text of texts(items, format, progress)) await print(text);
    } else {
      using interruption = watchSignals();
      const { signal } = interruption;
      await writeNewFile(path, { mode: 0o666, signal }, async (temporary) => {
        const lines = Readable.from(texts(items, format, new Progress()));
        await pipeline(lines, createWriteStream(temporary), { signal });
      });
    }
  });
}

async function* texts(items: ItemStore, format: Format, progress: Progress | undefined): AsyncGenerator<string> {
  let count = 0;
  if (format === 'csv') yield CSV_HEADER;
  try {
    for await (const portion of items.list()) {
      yield portion.map(format === 'csv' ? toCsv : toNdjson).join('');
      count += portion.length;
      progress?.update(count, undefined);
    }
  } finally {
    progress?.end();
  }
}
