import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Config } from '../config.ts';
import type { ItemStore } from '../storage/store.ts';
import { ExplainedError, Interrupted, messageOf } from '../explained-error.ts';
import { type Counts, Importer, StoreLost } from '../files/importer.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { formatOf, openBodyReader, RecordReader } from '../files/records.ts';
import { Rejects } from '../files/rejects.ts';
import { watchSignals } from './signals.ts';
import { withStore } from './with-store.ts';

/** How many bytes of a file are read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** How long an import waits for an unreachable store, in milliseconds. */
const IMPORT_PATIENCE_MS = 60_000;

export interface ImportOptions {
  readonly format?: string;
  readonly rejects?: string;
  readonly dryRun?: true;
}

/**
 * Stores the items of a file, or of stdin. Each must fit the contract, as if a client had sent it.
 *
 * @param patienceMs how long the import waits for an unreachable store
 */
export async function importItems(
  config: Config,
  path: string,
  options: ImportOptions,
  patienceMs: number = IMPORT_PATIENCE_MS,
): Promise<void> {
  const format = formatOf(path, options.format);
  const input = await openInput(path);
  using rejects = new Rejects(options.rejects ?? newRejects(path === '-' ? 'stdin' : path));
  const reader = new RecordReader(input.name, format, await openBodyReader());
  const work = (items: ItemStore | undefined) => importRecords(input, reader, rejects, items, patienceMs);
  if (options.dryRun) await work(undefined);
  else await withStore(config, { create: true }, ({ items }) => work(items));
  if (rejects.count > 0) {
    const which = rejects.count === 1 ? '1 record was' : `${rejects.count} records were`;
    const what = options.dryRun ? 'refused' : 'not stored';
    throw new ExplainedError(`${which} ${what}: ${rejects.path} has each, with the reason`);
  }
}

/** @param items undefined: the records are checked, and not stored */
async function importRecords(
  input: Input,
  reader: RecordReader,
  rejects: Rejects,
  items: ItemStore | undefined,
  patienceMs: number,
): Promise<void> {
  using interruption = watchSignals();
  const { signal } = interruption;
  const progress = new Progress();
  const onReject = rejects.add.bind(rejects);
  const onUnreachable = (reason: string) => {
    progress.say(`the store does not answer, and is tried again for ${patienceMs / 1000} s: ${reason}`);
  };
  const importer = new Importer({ items, patienceMs, onReject, onUnreachable });
  const unfinished = (why: string) => {
    const done = `${input.name} was read up to line ${importer.line}: ${outcomes(importer.counts)}`;
    return `${why}; ${done}; run it again, what is stored is replayed`;
  };
  let bytes = 0;
  try {
    for await (const chunk of input.read(signal)) {
      bytes += chunk.length;
      await importer.add(reader.add(chunk));
      progress.update(importer.given, input.size === undefined ? undefined : bytes / input.size);
      if (signal.aborted) break;
    }
    if (!signal.aborted) await importer.add(reader.end());
    await importer.finish();
  } catch (error) {
    throw error instanceof StoreLost ? new ExplainedError(unfinished(error.message), { cause: error }) : error;
  } finally {
    progress.end();
  }
  if (signal.aborted) throw new Interrupted(unfinished('interrupted'), signal.reason as NodeJS.Signals);
  const { given, counts } = importer;
  const became =
    items === undefined
      ? `${counts.created} fit the contract, ${counts.refused} refused; nothing was stored, and no id looked up`
      : outcomes(counts);
  await print(`${input.name}: ${given} records in ${progress.seconds.toFixed(1)} s: ${became}\n`);
}

/** The name for a new file of rejects: an import does not overwrite the file of an earlier one. */
function newRejects(path: string): string {
  for (let count = 1; ; count++) {
    const rejects = `${path}.rejects${count === 1 ? '' : `.${count}`}.ndjson`;
    if (!existsSync(rejects)) return rejects;
  }
}

function outcomes({ created, replayed, conflict, refused }: Counts): string {
  return `${created} created, ${replayed} replayed, ${conflict} conflicting, ${refused} refused`;
}

interface Input {
  readonly name: string;
  /** In bytes; undefined: not known, as stdin and pipes tell no size. */
  readonly size: number | undefined;
  readonly read: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

/** @throws ExplainedError */
async function openInput(path: string): Promise<Input> {
  if (path === '-') return { name: 'stdin', size: undefined, read: (signal) => chunks(process.stdin, signal, 'stdin') };
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
    // An aborted signal ends the stream with an error, too.
    if (!signal.aborted) throw unreadable(name, error);
  }
}

function unreadable(path: string, error: unknown): ExplainedError {
  return new ExplainedError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
}
