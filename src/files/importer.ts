import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { type Creation, type Outcome, type PlantStore, type StoredPlant, StoreUnavailable } from '../storage/store.ts';
import type { PlantRecord } from './records.ts';
import type { Reject } from './rejects.ts';

type Refused = Pick<Reject, 'error' | 'message'>;

/** How many plants are written together, and about how many characters of them: a lock is held for so long. */
const MOST_TOGETHER = 2000;
const MOST_CHARACTERS = 1024 * 1024;
/** How many batches are under way: one is written while the next one is read. */
const MOST_UNDER_WAY = 2;
const PAUSE_MS = 1000;

/** What became of records. */
export type Counts = Record<Creation | 'refused', number>;

export interface ImporterOptions {
  /** Where plants go; undefined: nowhere, they are only looked at. */
  readonly plants: PlantStore | undefined;
  /** How long a store that is away is waited for, in milliseconds. */
  readonly patienceMs: number;
  readonly onReject: (rejects: readonly Reject[]) => void;
  readonly onAway: (reason: string) => void;
}

/** The store did not come back. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

/** Stores records in batches, and counts what became of them, in their order. */
export class Importer {
  readonly counts: Counts = { created: 0, replayed: 0, conflict: 0, refused: 0 };
  /** How many records were given to it, and the line of the last one of which it is known what became of it. */
  given = 0;
  line = 0;
  private readonly options: ImporterOptions;
  private batch: PlantRecord[] = [];
  private characters = 0;
  private readonly underWay: Promise<() => void>[] = [];

  constructor(options: ImporterOptions) {
    this.options = options;
  }

  /** Resolves when more can be taken. @throws StoreLost */
  async add(records: readonly PlantRecord[]): Promise<void> {
    for (const record of records) {
      this.given++;
      this.batch.push(record);
      this.characters += record.line.text.length;
      if (this.batch.length >= MOST_TOGETHER || this.characters >= MOST_CHARACTERS) await this.send();
    }
  }

  /** Resolves when all is stored, and durable. @throws StoreLost */
  async finish(): Promise<void> {
    if (this.batch.length > 0) await this.send();
    await this.settle(0);
  }

  private async send(): Promise<void> {
    const written = this.write(this.batch);
    // Looked at in turn; one that failed meanwhile is not unhandled.
    written.catch(() => undefined);
    this.underWay.push(written);
    [this.batch, this.characters] = [[], 0];
    await this.settle(MOST_UNDER_WAY - 1);
  }

  /** Waits until only so many batches are under way. */
  private async settle(left: number): Promise<void> {
    while (this.underWay.length > left) {
      const [oldest] = this.underWay;
      const count = await oldest;
      void this.underWay.shift();
      count?.();
    }
  }

  /** Resolves with what counts what became of it. */
  private async write(batch: readonly PlantRecord[]): Promise<() => void> {
    const plants = batch.flatMap(({ plant }) => (plant instanceof Refusal ? [] : [plant]));
    const outcomes = (await this.store(plants)).values();
    return () => {
      const rejects = batch.flatMap(({ line, plant }) => {
        const refused = plant instanceof Refusal ? this.refused(plant) : this.judge(outcomes.next().value);
        this.line = line.number;
        if (refused === undefined) return [];
        return [{ line: line.number, ...refused, ...(line.excerpt ? { excerpt: line.text } : { text: line.text }) }];
      });
      this.options.onReject(rejects);
    };
  }

  private judge(outcome: Outcome | undefined): Refused | undefined {
    if (outcome === undefined) throw new Error('the store did not answer for a plant');
    if (typeof outcome !== 'string') {
      return this.refused(new Refusal(ErrorNumber.serviceFailed, `the store refuses it: ${outcome.message}`));
    }
    this.counts[outcome]++;
    if (outcome !== 'conflict') return undefined;
    return { error: ErrorNumber.idTaken, message: 'a different plant with this id exists' };
  }

  private refused({ number, message }: Refusal): Refused {
    this.counts.refused++;
    return { error: number, message };
  }

  private async store(plants: readonly StoredPlant[]): Promise<readonly Outcome[]> {
    const { plants: store, patienceMs, onAway } = this.options;
    if (store === undefined) return plants.map(() => 'created');
    const end = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await store.createAll(plants);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (performance.now() + PAUSE_MS > end) throw new StoreLost(reasonOf(error), { cause: error });
        // Told once, not with each try.
        if (tries === 0) onAway(reasonOf(error));
        await sleep(PAUSE_MS);
      }
    }
  }
}

function reasonOf({ message, cause }: Error): string {
  return Error.isError(cause) ? `${message}: ${cause.message}` : message;
}
