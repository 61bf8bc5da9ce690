import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { PlantStore } from '../storage/store.ts';
import { ExplainedError, messageOf } from '../explained-error.ts';
import { type Counts, Importer, StoreLost } from '../files/importer.ts';
import { stopped } from './interruption.ts';
import { print } from './print.ts';
import { Progress } from './progress.ts';
import { formatOf, openBodyReader, Records } from '../files/records.ts';
import { Rejects } from '../files/rejects.ts';
import { withStore } from './with-store.ts';

/** How much of a file is read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** How long a store that is away is waited for, in milliseconds. */
const PATIENCE_MS = 60_000;

export interface ImportOptions {
  readonly format?: string;
  readonly rejects?: string;
  readonly dryRun?: true;
}

/** Stores the plants of a file, or of stdin, each held to the contract as if it had been sent. */
export async function importPlants(path: string, options: ImportOptions): Promise<void> {
  await importFrom(path, options, PATIENCE_MS);
}

/** @param patienceMs how long a store that is away is waited for */
export async function importFrom(path: string, options: ImportOptions, patienceMs: number): Promise<void> {
  const format = formatOf(path, options.format);
  const input = await openInput(path);
  using rejects = new Rejects(options.rejects ?? newRejects(path === '-' ? 'stdin' : path));
  const records = new Records(input.name, format, await openBodyReader());
  const work = (plants: PlantStore | undefined) => run(input, records, rejects, plants, patienceMs);
  if (options.dryRun) await work(undefined);
  else await withStore({ create: true }, ({ plants }) => work(plants));
  if (rejects.count > 0) {
    const which = rejects.count === 1 ? '1 record was' : `${rejects.count} records were`;
    const what = options.dryRun ? 'refused' : 'not stored';
    throw new ExplainedError(`${which} ${what}: ${rejects.path} has each, with the reason`);
  }
}

async function run(
  input: Input,
  records: Records,
  rejects: Rejects,
  plants: PlantStore | undefined,
  patienceMs: number,
): Promise<void> {
  using interrupted = stopped();
  const progress = new Progress(process.stderr);
  const away = (reason: string) => {
    progress.say(`the store does not answer, and is tried again for ${patienceMs / 1000} s: ${reason}`);
  };
  const onReject = rejects.add.bind(rejects);
  const importer = new Importer({ plants, patienceMs, onReject, onAway: away });
  let bytes = 0;
  try {
    for await (const chunk of input.read(interrupted.signal)) {
      bytes += chunk.length;
      await importer.add(records.add(chunk));
      progress.update(importer.given, input.size === undefined ? undefined : bytes / input.size);
      if (interrupted.signal.aborted) break;
    }
    if (!interrupted.signal.aborted) await importer.add(records.end());
    await importer.finish();
  } catch (error) {
    if (!(error instanceof StoreLost)) throw error;
    progress.end();
    throw new ExplainedError(`${error.message}; ${far(input.name, importer)}`, { cause: error });
  } finally {
    progress.end();
  }
  if (interrupted.signal.aborted) throw new ExplainedError(`interrupted; ${far(input.name, importer)}`);
  await print(`${summary(input.name, importer, progress.seconds, plants === undefined)}\n`);
}

/** Where none is yet: what an import before this one has left is kept, and does not keep it from being run again. */
function newRejects(path: string): string {
  for (let count = 1; ; count++) {
    const rejects = `${path}.rejects${count === 1 ? '' : `.${count}`}.ndjson`;
    if (!existsSync(rejects)) return rejects;
  }
}

function summary(name: string, { counts, given }: Importer, seconds: number, dryRun: boolean): string {
  const became = dryRun
    ? `${counts.created} fit the contract, ${counts.refused} refused; nothing was stored, and no id looked up`
    : told(counts);
  return `${name}: ${given} records in ${seconds.toFixed(1)} s: ${became}`;
}

function told({ created, replayed, conflict, refused }: Counts): string {
  return `${created} created, ${replayed} replayed, ${conflict} conflicting, ${refused} refused`;
}

/** How far it got, and what to do. */
function far(name: string, { line, counts }: Importer): string {
  return `${name} was read up to line ${line}: ${told(counts)}; run it again, what is stored is replayed`;
}

interface Input {
  readonly name: string;
  /** In bytes; undefined: not known. */
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
    // What waits for more is told to stop so.
    if (!signal.aborted) throw unreadable(name, error);
  }
}

function unreadable(path: string, error: unknown): ExplainedError {
  return new ExplainedError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
}
