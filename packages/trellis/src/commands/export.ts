import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import type { AnyService } from '../service.ts';
import { layoutOf } from '../storage/layout.ts';
import { connectReader } from '../storage/sqlite/connection.ts';
import { damageOf } from '../storage/sqlite/damaged-texts.ts';
import type { AnyRow } from '../storage/engine.ts';
import type { Store } from '../storage/store.ts';
import { writeNewFile } from '../files/new-file.ts';
import { requireForeign } from '../terminal/foreign.ts';
import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { faultOf, firstOf, MAX_NAMED, nameOfRow, valueOf } from '../terminal/rows.ts';
import { type Format, formatOf, openRecords, type Records, toNdjson } from '../files/records.ts';
import { watchSignals } from '../instance/signals.ts';
import { withStore } from '../terminal/with-store.ts';

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
  const without = [...records.body.names].filter(
    (name) => !names.includes(name) && !records.body.member(name).isReadOnly,
  );
  if (without.length > 0)
    io.stderr.write(`the export lacks ${without.join(', ')}: ${records.table} has no such column\n`);
  if (path !== undefined) requireForeign(config, path);
  await withStore(job, { create: false }, async (store) => {
    // On a terminal, lines of progress would mix with the records.
    const progress = path === undefined && io.stdout.isTTY ? undefined : new Progress(records.table, io.stderr);
    const key = service.tables[records.table]?.key ?? [];
    using reader = config.DATABASE_URL.engine === 'sqlite' ? connectReader(config.DATABASE_URL.path) : undefined;
    const columns = [...new Set([...names, ...key])];
    const damage = reader && damageOf(layoutOf(service), reader, records.table);
    const requireUndamaged = (row: AnyRow, text: string) => {
      // node:sqlite reads U+FFFD where bytes are not UTF-8, which a text may have too.
      const isDoubtful = text.includes('\uFFFD') || key.some((column) => String(row[column]).includes('\uFFFD'));
      if (damage === undefined || !isDoubtful) return;
      const found = damage(row)?.filter((column) => columns.includes(column));
      if (found === undefined) throw new Error('it was removed during the export');
      if (found.length > 0) throw new Error(faultOf(found));
    };
    const leftOut: string[] = [];
    let missing = 0;
    const leaveOut = (row: AnyRow, reason: string) => {
      missing++;
      if (leftOut.length < MAX_NAMED) leftOut.push(`${nameOfRow(key, row)}: ${reason}`);
    };
    const lines = texts(records, names, columns, store, format, progress, requireUndamaged, leaveOut);
    if (path === undefined) for await (const text of lines) await print(io, text);
    else {
      using interruption = watchSignals(io);
      const { signal } = interruption;
      await writeNewFile(path, { mode: 0o666, signal }, (temporary) =>
        pipeline(lines, createWriteStream(temporary), { signal }),
      );
    }
    if (missing > 0) {
      throw new ExplainedError(
        `the export has all rows of ${records.table} but ${missing}: ${firstOf(leftOut, missing)}: change their values in the store, or bring them back from a backup`,
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
  columns: readonly string[],
  store: Store,
  format: Format,
  progress: Progress | undefined,
  requireUndamaged: (row: AnyRow, text: string) => void,
  leaveOut: (row: AnyRow, reason: string) => unknown,
): AsyncGenerator<string> {
  const asBody = (row: AnyRow): AnyRow =>
    Object.fromEntries(
      names.flatMap((name) => (row[name] !== undefined || nulls.has(name) ? [[name, valueOf(row[name])]] : [])),
    );
  const write = (row: AnyRow): string => {
    try {
      const text = format === 'csv' ? csv.write(asBody(row), names) : toNdjson(asBody(row));
      requireUndamaged(row, text);
      return text;
    } catch (error) {
      // One bad row must not keep the others from being rescued.
      leaveOut(row, messageOf(error));
      return '';
    }
  };
  let count = 0;
  if (format === 'csv') yield csv.header(names);
  for await (const portion of store.list(table, columns)) {
    yield portion.map(write).join('');
    count += portion.length;
    progress?.update(count, undefined);
  }
}
