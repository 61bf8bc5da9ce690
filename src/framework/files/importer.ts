import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import type { ErrorBody } from '../contract/types.ts';
import type { Records } from '../service.ts';
import { type Creation, type Outcome, type Row, type Store, StoreUnavailable } from '../storage/store.ts';
import type { FileRecord } from './records.ts';
import type { Reject } from './rejects.ts';

/** SQLite holds its write lock during a batch, so a batch must not take long. */
const MAX_BATCH_RECORDS = 2000;
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** The pause before another try to reach the store. */
const PAUSE_MS = 1000;

export type Counts = Record<Creation | 'refused', number>;

interface ImporterOptions {
  readonly records: Records;
  /** undefined: nothing is stored. */
  readonly store: Store | undefined;
  /** How long to retry while the store is unavailable. */
  readonly patienceMs: number;
  readonly onReject: (rejects: readonly Reject[]) => void;
  readonly onUnreachable: (reason: string) => void;
}

/** The store stayed unavailable for longer than `patienceMs`. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

/** Stores records in batches, and counts the outcomes in the order of the records. */
export class Importer {
  readonly counts: Counts = { created: 0, replayed: 0, conflict: 0, refused: 0 };
  /** The number of records added, including those that still wait. */
  added = 0;
  /** The line of the last record that was counted. */
  line = 0;
  private readonly options: ImporterOptions;
  private batch: FileRecord[] = [];
  private characters = 0;
  /** Resolves when all batches sent so far are counted. */
  private counted: Promise<void> = Promise.resolve();

  constructor(options: ImporterOptions) {
    this.options = options;
  }

  async add(records: readonly FileRecord[]): Promise<void> {
    for (const record of records) {
      this.added++;
      this.batch.push(record);
      this.characters += record.raw.text.length;
      if (this.batch.length >= MAX_BATCH_RECORDS || this.characters >= MAX_BATCH_CHARACTERS) await this.send();
    }
  }

  async finish(): Promise<void> {
    if (this.batch.length > 0) await this.send();
    await this.counted;
  }

  private async send(): Promise<void> {
    const { batch, counted } = this;
    [this.batch, this.characters] = [[], 0];
    const rows = batch.flatMap(({ row }) => (row instanceof Refusal ? [] : [row]));
    this.counted = Promise.all([this.store(rows), counted]).then(([outcomes]) => {
      this.count(batch, outcomes);
    });
    // The next send(), or finish(), awaits a failure; until then Node must not report it as unhandled.
    this.counted.catch(() => undefined);
    // Waits for the batch before this one only, so that the caller reads while the store writes.
    await counted;
  }

  private count(batch: readonly FileRecord[], outcomes: readonly Outcome[]): void {
    const left = outcomes.values();
    const rejects = batch.flatMap(({ raw: { lineNumber: line, text, excerpt }, row }): Reject[] => {
      const outcome = row instanceof Refusal ? row : left.next().value;
      if (outcome === undefined) throw new Error('the engine gave no outcome for a record');
      this.counts[typeof outcome === 'string' ? outcome : 'refused']++;
      this.line = line;
      const problem = problemOf(outcome, this.options.records.conflict);
      return problem === undefined ? [] : [{ line, ...problem, ...(excerpt ? { excerpt: text } : { text }) }];
    });
    this.options.onReject(rejects);
  }

  private async store(rows: readonly Row[]): Promise<readonly Outcome[]> {
    const { store, records, patienceMs, onUnreachable } = this.options;
    if (store === undefined) return rows.map(() => 'created');
    const end = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await store.createAll(records.table, rows);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (performance.now() + PAUSE_MS > end) throw new StoreLost(error.message, { cause: error });
        if (tries === 0) onUnreachable(error.message);
        await sleep(PAUSE_MS);
      }
    }
  }
}

/** The error that a client would get for the record; undefined if it is stored. */
function problemOf(outcome: Outcome | Refusal, conflict: ErrorBody): ErrorBody | undefined {
  if (outcome === 'conflict') return conflict;
  if (typeof outcome === 'string') return undefined;
  if (outcome instanceof Refusal) return { error: outcome.number, message: outcome.message };
  return { error: ErrorNumber.serviceFailed, message: `the store rejects the record: ${outcome.message}` };
}
