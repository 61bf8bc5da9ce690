import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { pino } from 'pino';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { Interrupted } from '../exit-codes.ts';
import { type ImportCounts, Importer, StoreLost } from '../files/importer.ts';
import { recordAct } from '../terminal/acts.ts';
import { requireForeign } from '../terminal/foreign.ts';
import type { Io, Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { openResources } from '../instance/resources.ts';
import { formatOf, openRecords, recordReader, type Records } from '../files/records.ts';
import { Rejects } from '../files/rejects.ts';
import { type RunRecord, runnerOf } from '../files/runner.ts';
import { watchSignals } from '../instance/signals.ts';
import { withStore } from '../terminal/with-store.ts';

const CHUNK_BYTES = 256 * 1024;
const IMPORT_PATIENCE_MS = 60_000;

export interface ImportOptions {
  readonly table?: string;
  readonly format?: string;
  readonly rejects?: string;
  readonly dryRun?: true;
}

/** @param patienceMs how long to retry while the store is unavailable */
export async function importRecords(
  job: Job,
  path: string,
  options: ImportOptions,
  patienceMs: number = IMPORT_PATIENCE_MS,
): Promise<void> {
  const { service, config, io } = job;
  const format = formatOf(path, options.format);
  const records = await openRecords(service, options.table);
  const { table } = records;
  const input = await openInput(path, io);
  const rejectsPath = options.rejects ?? newRejects(path === '-' ? 'stdin' : path);
  requireForeign(config, rejectsPath);
  using rejects = new Rejects(rejectsPath, { atOnce: options.rejects !== undefined, stderr: io.stderr });
  const reader = recordReader(input.name, format, records);
  const work = (run?: RunRecord) => readAll(io, records, input, reader, rejects, run, patienceMs);
  if (options.dryRun) await work();
  else {
    await withStore(job, { create: true, yields: true }, async (store) => {
      const { run } = store;
      const file = path === '-' ? input.name : resolve(path);
      // Recorded before the first record is stored: a command that is killed leaves records behind.
      await recordAct(job, 'import begun', { file, table }, run);
      const log = pino({ level: 'error', base: null }, io.stderr);
      const stopSignal = new AbortController().signal;
      await using stack = new AsyncDisposableStack();
      const shared = await openResources(job, { store, log, stopSignal, stack });
      const counts = await work(runnerOf(records, shared, log));
      await recordAct(job, 'import ended', { file, table, ...counts }, run);
    });
  }
  if (rejects.count > 0) {
    const which = rejects.count === 1 ? '1 record was' : `${rejects.count} records were`;
    const what = options.dryRun ? 'refused' : 'not stored';
    throw new ExplainedError(`${which} ${what}: see ${rejects.path} for the reasons`);
  }
}

/** @param run undefined for a dry run */
async function readAll(
  io: Io,
  { table, key, body }: Records,
  input: Input,
  reader: ReturnType<typeof recordReader>,
  rejects: Rejects,
  run: RunRecord | undefined,
  patienceMs: number,
): Promise<ImportCounts> {
  using interruption = watchSignals(io);
  const { signal } = interruption;
  const progress = new Progress(table, io.stderr);
  const onReject = rejects.add.bind(rejects);
  const onUnreachable = (reason: string) =>
    io.stderr.write(`the store is unavailable, retrying for ${patienceMs / 1000} s: ${reason}\n`);
  const importer = new Importer({ run, patienceMs, onReject, onUnreachable });
  const unfinished = (why: string) => {
    const done = `${input.name} was read up to line ${importer.line}: ${outcomes(importer.counts)}`;
    const again = key.every((name) => body.required.has(name))
      ? 'run the import again, which replays what is stored'
      : `the service makes keys of ${table}, and would store these records twice: import the lines after that one`;
    return `${why}; ${done}; ${again}`;
  };
  let bytes = 0;
  try {
    for await (const chunk of input.read(signal)) {
      bytes += chunk.length;
      await importer.add(reader.add(chunk));
      progress.update(importer.added, input.size === undefined ? undefined : bytes / input.size);
      if (signal.aborted) break;
    }
    if (!signal.aborted) await importer.add(reader.end());
    await importer.finish();
  } catch (error) {
    throw error instanceof StoreLost ? new ExplainedError(unfinished(error.message), { cause: error }) : error;
  }
  if (signal.aborted) throw new Interrupted(unfinished('interrupted'), signal.reason as NodeJS.Signals);
  const { added, counts } = importer;
  const became =
    run === undefined
      ? `${counts.created} valid, ${counts.refused} refused; nothing was stored, conflicts and the rules of the operation were not checked`
      : outcomes(counts);
  await print(io, `${input.name}: ${added} records in ${progress.seconds.toFixed(1)} s: ${became}\n`);
  const { told } = reader.leftOut;
  if (told !== undefined) await print(io, `left out, as no schema names them: ${told}\n`);
  return counts;
}

/** Names a file that does not exist, to keep the rejects of an earlier import. */
function newRejects(path: string): string {
  for (let count = 1; ; count++) {
    const rejects = `${path}.rejects${count === 1 ? '' : `.${count}`}.ndjson`;
    if (!existsSync(rejects)) return rejects;
  }
}

function outcomes({ created, replayed, conflict, refused }: ImportCounts): string {
  return `${created} created, ${replayed} replayed, ${conflict} conflicting, ${refused} refused`;
}

interface Input {
  readonly name: string;
  /** In bytes; undefined for stdin and pipes. */
  readonly size: number | undefined;
  readonly read: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

/** @throws ExplainedError */
async function openInput(path: string, { stdin }: Io): Promise<Input> {
  if (path === '-') return { name: 'stdin', size: undefined, read: (signal) => chunks(stdin, signal, 'stdin') };
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return {
      name: basename(path),
      size: found.isFile() ? found.size : undefined,
      read: (signal) => chunks(createReadStream(path, { highWaterMark: CHUNK_BYTES }), signal, path),
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function* chunks(stream: NodeJS.ReadableStream, signal: AbortSignal, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, stream)) yield chunk as Buffer;
  } catch (error) {
    // The signal also ends the stream with an error.
    if (!signal.aborted) throw unreadable(name, error);
  }
}

function unreadable(path: string, error: unknown): ExplainedError {
  return new ExplainedError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
}
