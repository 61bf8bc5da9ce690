import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from 'trellis-contract/ground';
import { StoreUnavailable } from '../storage/store-errors.ts';
import type { FileRecord } from './records.ts';
import type { Reject } from './rejects.ts';
import { CREATED, type Outcome, type RunRecord } from './runner.ts';

/** Two batches may be under way, whose rows must fit in the queue of the store (storage/queue.ts). */
const MAX_BATCH_RECORDS = 2048;
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** The pause before another try to reach the store. */
const PAUSE_MS = 1000;

export type ImportCounts = Record<Outcome['became'], number>;

interface ImporterOptions {
  /** undefined: nothing is stored. */
  readonly run: RunRecord | undefined;
  readonly patienceMs: number;
  readonly onReject: (rejects: readonly Reject[]) => void;
  readonly onUnreachable: (reason: string) => void;
}

/** The store stayed unavailable for longer than `patienceMs`. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

/** Stores records many at a time, and counts the outcomes in the order of the records. */
export class Importer {
  readonly counts: ImportCounts = { created: 0, replayed: 0, conflict: 0, refused: 0 };
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
    this.batch = [];
    this.characters = 0;
    this.counted = Promise.all([this.store(batch), counted]).then(([outcomes]) => this.count(batch, outcomes));
    // The next send(), or finish(), awaits a failure; until then Node must not report it as unhandled.
    this.counted.catch(() => undefined);
    // Waits for the batch before this one only, so that the caller reads while the store writes.
    await counted;
  }

  private count(batch: readonly FileRecord[], outcomes: readonly Outcome[]): void {
    const rejects = batch.flatMap(({ raw: { lineNumber: line, text, excerpt } }, index): Reject[] => {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error('a record has no outcome');
      this.counts[outcome.became]++;
      this.line = line;
      if (!('reason' in outcome)) return [];
      const { error, message } = outcome.reason;
      return [{ line, error, message, ...(excerpt ? { excerpt: text } : { text }) }];
    });
    this.options.onReject(rejects);
  }

  /** Runs the operation for all records at the same time, so that their rows form one batch of the store. */
  private async store(batch: readonly FileRecord[]): Promise<readonly Outcome[]> {
    const { run, patienceMs, onUnreachable } = this.options;
    const outcomeOf = ({ request }: FileRecord): Outcome | Promise<Outcome | StoreUnavailable> => {
      if (!(request instanceof Refusal)) return run === undefined ? CREATED : run(request);
      return { became: 'refused', reason: { error: request.number, message: request.message } };
    };
    let outcomes: readonly (Outcome | StoreUnavailable)[] = [];
    let tried = batch.length;
    let end = NaN;
    let isSaid = false;
    for (;;) {
      const known = outcomes;
      const retried = batch.map((record, index) => {
        const outcome = known[index];
        return Promise.resolve(outcome === undefined || isUnavailable(outcome) ? outcomeOf(record) : outcome);
      });
      outcomes = await Promise.all(retried);
      const [failure, ...others] = outcomes.filter(isUnavailable);
      // The filter has shown that none of them is unavailable.
      if (failure === undefined) return outcomes as readonly Outcome[];
      const left = others.length + 1;
      // As long as a slow disk stores some of the records in time, the store does not count as lost.
      if (left < tried || Number.isNaN(end)) end = performance.now() + patienceMs;
      if (performance.now() + PAUSE_MS > end) throw new StoreLost(failure.message, { cause: failure });
      if (left === tried && !isSaid) {
        onUnreachable(failure.message);
        isSaid = true;
      }
      tried = left;
      await sleep(PAUSE_MS);
    }
  }
}

function isUnavailable(outcome: Outcome | StoreUnavailable): outcome is StoreUnavailable {
  return outcome instanceof StoreUnavailable;
}
