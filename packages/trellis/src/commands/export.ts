import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { exactJson, ExplainedError, messageOf } from 'trellis-contract/ground';
import type { AnyService } from '../service.ts';
import type { AnyRow, Store } from '../storage/store.ts';
import { writeNewFile } from '../files/new-file.ts';
import { requireForeign } from './backup.ts';
import type { Job } from './io.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { type Format, formatOf, openRecords, type Records, toNdjson } from '../files/records.ts';
import { watchSignals } from './signals.ts';
import { withStore } from './with-store.ts';

export async function exportRecords(
  job: Job,
  file: string | undefined,
  options: { readonly table?: string; readonly format?: string },
): Promise<void> {
  const { service, config, io } = job;
  const path = file === '-' ? undefined : file;
  const format = formatOf(path ?? '', options.format);
  const records = await openRecords(service, options.table);
  const names = namesIn(service, records);
  if (path !== undefined) requireForeign(config, path);
  await withStore(job, { create: false }, async (store) => {
    // On a terminal, lines of progress would mix with the records.
    const progress = path === undefined && io.stdout.isTTY ? undefined : new Progress(records.table, io.stderr);
    const lines = texts(records, names, service.tables[records.table]?.key ?? [], store, format, progress);
    if (path === undefined) for await (const text of lines) await print(io, text);
    else {
      using interruption = watchSignals(io);
      const { signal } = interruption;
      await writeNewFile(path, { mode: 0o666, signal }, (temporary) =>
        pipeline(lines, createWriteStream(temporary), { signal }),
      );
    }
  });
}

/**
 * The members of a body that are columns of the table, in the order of the contract. The service makes its other columns
 * anew when it imports a record.
 *
 * @throws ExplainedError if the body requires a member that is no column
 */
function namesIn({ tables }: AnyService, { table, operation: { id }, body }: Records): readonly string[] {
  const columns = tables[table]?.columns ?? {};
  for (const name of body.required)
    if (!Object.hasOwn(columns, name))
      throw new ExplainedError(
        `${table} cannot be exported: the body of ${id} requires ${name}, and the table has no such column`,
      );
  return [...body.names].filter((name) => Object.hasOwn(columns, name) && !body.member(name).isReadOnly);
}

async function* texts(
  { table, csv, nulls }: Records,
  names: readonly string[],
  key: readonly string[],
  store: Store,
  format: Format,
  progress: Progress | undefined,
): AsyncGenerator<string> {
  const asBody = (row: AnyRow): AnyRow =>
    Object.fromEntries(
      names.flatMap((name) => (row[name] !== undefined || nulls.has(name) ? [[name, valueOf(row[name])]] : [])),
    );
  const write = (row: AnyRow): string => {
    try {
      return format === 'csv' ? csv.write(asBody(row), names) : toNdjson(asBody(row));
    } catch (error) {
      const named = key.map((column) => `${column} ${exactJson(row[column])}`).join(', ');
      throw new ExplainedError(
        `the row of ${table} with ${named} cannot be exported: ${messageOf(error)}: change its values in the store`,
      );
    }
  };
  let count = 0;
  if (format === 'csv') yield csv.header(names);
  try {
    for await (const portion of store.list(table, [...new Set([...names, ...key])])) {
      yield portion.map(write).join('');
      count += portion.length;
      progress?.update(count, undefined);
    }
  } finally {
    progress?.end();
  }
}

/** The value as JSON has it: a date-time for a date, base64 for bytes. */
function valueOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null);
}
