import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { ID_TAKEN } from '../operations/errors.ts';
import { type Creation, type Outcome, type ItemStore, type Item, StoreUnavailable } from '../storage/store.ts';
import type { PlantRecord } from './records.ts';
import type { Reject } from './rejects.ts';

/** The most records in a batch: the store holds its lock while it writes one. */
const MAX_BATCH_RECORDS = 2000;
/** About the most characters in a batch. */
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** How long the importer waits before it tries an unreachable store again, in milliseconds. */
const PAUSE_MS = 1000;

/** What became of records. */
export type Counts = Record<Creation | 'refused', number>;

interface ImporterOptions {
  /** Where plants go; undefined: nowhere, they are only looked at. */
  readonly plants: ItemStore | undefined;
  /** How long the importer waits for an unreachable store, in milliseconds. */
  readonly patienceMs: number;
  readonly onReject: (rejects: readonly Reject[]) => void;
  readonly onUnreachable: (reason: string) => void;
}

/** The store did not come back. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

/** Stores records in batches, and counts what became of them, in their order. */
export class Importer {
  readonly counts: Counts = { created: 0, replayed: 0, conflict: 0, refused: 0 };
  /** How many records were given to it. */
  given = 0;
  /** The line of the last record of which it is known what became of it. */
  line = 0;
  private readonly options: ImporterOptions;
  private batch: PlantRecord[] = [];
  private characters = 0;
  /** Resolves when it is counted what became of all batches so far. */
  private counted: Promise<void> = Promise.resolve();

  constructor(options: ImporterOptions) {
    this.options = options;
  }

  /** Resolves when more can be taken. @throws StoreLost */
  async add(records: readonly PlantRecord[]): Promise<void> {
    for (const record of records) {
      this.given++;
      this.batch.push(record);
      this.characters += record.raw.text.length;
      if (this.batch.length >= MAX_BATCH_RECORDS || this.characters >= MAX_BATCH_CHARACTERS) await this.send();
    }
  }

  /** Resolves when all is stored, and durable. @throws StoreLost */
  async finish(): Promise<void> {
    if (this.batch.length > 0) await this.send();
    await this.counted;
  }

  private async send(): Promise<void> {
    const { batch, counted } = this;
    [this.batch, this.characters] = [[], 0];
    const plants = batch.flatMap(({ plant }) => (plant instanceof Refusal ? [] : [plant]));
    this.counted = Promise.all([this.store(plants), counted]).then(([outcomes]) => {
      this.count(batch, outcomes);
    });
    // Looked at by the next batch, or in the end; one that failed meanwhile is not unhandled.
    this.counted.catch(() => undefined);
    // One batch is written while the next one is read.
    await counted;
  }

  /** Counts what became of a batch, and hands out its rejects. */
  private count(batch: readonly PlantRecord[], outcomes: readonly Outcome[]): void {
    const left = outcomes.values();
    const rejects = batch.flatMap(({ raw: { lineNumber: line, text, excerpt }, plant }): Reject[] => {
      const outcome = plant instanceof Refusal ? plant : left.next().value;
      if (outcome === undefined) throw new Error('the engine did not answer for a plant');
      this.counts[typeof outcome === 'string' ? outcome : 'refused']++;
      this.line = line;
      const problem = problemOf(outcome);
      return problem === undefined ? [] : [{ line, ...problem, ...(excerpt ? { excerpt: text } : { text }) }];
    });
    this.options.onReject(rejects);
  }

  private async store(plants: readonly Item[]): Promise<readonly Outcome[]> {
    const { plants: store, patienceMs, onUnreachable } = this.options;
    if (store === undefined) return plants.map(() => 'created');
    const end = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await store.createAll(plants);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (performance.now() + PAUSE_MS > end) throw new StoreLost(error.message, { cause: error });
        // Told once, not with each try.
        if (tries === 0) onUnreachable(error.message);
        await sleep(PAUSE_MS);
      }
    }
  }
}

/** Why a record is not stored, in the words that createPlant has for a client; undefined: it is. */
function problemOf(outcome: Outcome | Refusal): Pick<Reject, 'error' | 'message'> | undefined {
  if (outcome === 'conflict') return ID_TAKEN;
  if (typeof outcome === 'string') return undefined;
  if (outcome instanceof Refusal) return { error: outcome.number, message: outcome.message };
  return { error: ErrorNumber.serviceFailed, message: `the store refuses it: ${outcome.message}` };
}
