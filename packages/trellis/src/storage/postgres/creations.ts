import { asCaller, type CallerKey, currentCaller } from '../caller.ts';
import type { NewRow } from '../engine.ts';
import type { Creation } from '../queries.ts';
import { Queue, STORE_PATIENCE_MS } from '../queue.ts';
import { bytesOf, ofTable } from '../rows.ts';
import type { Opening } from '../store.ts';
import type { Turns } from '../turns.ts';
import { createBatch, createSpread, type Creating } from './batch.ts';
import { atWork, LockWaited } from './errors.ts';
import type { Session } from './session.ts';

/** While PostgreSQL flushes one batch, it works on the other. */
export const MAX_CONCURRENT_BATCHES = 2;

/** What creates need of their engine. */
interface CreationParts extends Pick<Opening, 'observer'> {
  readonly turns: Turns;
  readonly withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
}

/** The creates outside of transactions: those that wait are stored together. */
export class Creations {
  readonly queue: Queue<NewRow, Creation>;
  /** The statements of creates, by the name of the table. */
  private readonly creating: ReadonlyMap<string, Creating>;
  private readonly parts: CreationParts;
  /** The callers with creates in statements of their own, as they may wait for a lock, and how many each has. */
  private readonly apart = new Map<CallerKey, number>();

  constructor(creating: ReadonlyMap<string, Creating>, parts: CreationParts) {
    this.creating = creating;
    this.parts = parts;
    this.queue = new Queue({
      work: (rows, until, _more, callerOf) => this.write(rows, until, callerOf),
      bytesOf: (row) => bytesOf(row),
      maxActive: MAX_CONCURRENT_BATCHES,
    });
  }

  add(row: NewRow): Promise<Creation> {
    const caller = currentCaller();
    if (!this.apart.has(caller)) return this.queue.add(row);
    const until = performance.now() + STORE_PATIENCE_MS;
    return this.createApart([row], caller, until).then(([outcome]) => creationOf(outcome));
  }

  /** Each statement inserts into one table: if it fails, the rows of the other tables are stored all the same. */
  private async write(rows: readonly NewRow[], until: number, callerOf: (index: number) => CallerKey) {
    const begunAt = performance.now();
    const outcomes = new Map<NewRow, Creation | Error | undefined>();
    const writeTo = async (creating: Creating, own: readonly NewRow[]) => {
      const writing = this.parts.withSession((session) =>
        creating.spread === undefined
          ? createBatch((work) => session.withRetries(work, until), creating, own, true)
          : createSpread(session, until, creating, own),
      );
      const written = await writing.catch((error: unknown) => own.map(() => error as Error));
      own.forEach((row, index) => outcomes.set(row, written[index]));
    };
    for (const [table, all] of Map.groupBy(rows, ([table]) => table)) {
      const creating = ofTable(this.creating, table);
      // Each server that has a part of the table gets a statement of its own: one that is away fails alone.
      const byServer = Map.groupBy(all, (row) => creating.serverOf(row));
      await Promise.all(byServer.values().map((own) => writeTo(creating, own)));
    }
    this.parts.observer?.written(rows.length, performance.now() - begunAt);
    const locked = rows
      .map((row, index) => [row, callerOf(index)] as const)
      .filter(([row]) => outcomes.get(row) instanceof LockWaited);
    const later = this.createEach(locked, until);
    return rows.map((row) => later.get(row) ?? outcomeOf(outcomes.get(row)));
  }

  /** Stores rows of which one waits for a lock: those of each caller by themselves, so that no other caller waits with it. */
  private createEach(rows: readonly (readonly [NewRow, CallerKey])[], until: number): Map<NewRow, Promise<Creation>> {
    const creations = new Map<NewRow, Promise<Creation>>();
    for (const [caller, own] of Map.groupBy(rows, ([, caller]) => caller)) {
      const byTable = Map.groupBy(own, ([[table]]) => table);
      for (const these of byTable.values().map((each) => each.map(([row]) => row))) {
        const outcomes = this.createApart(these, caller, until);
        these.forEach((row, index) => {
          creations.set(
            row,
            outcomes.then((each) => creationOf(each[index])),
          );
        });
      }
    }
    return creations;
  }

  /** Stores rows of one table in a turn of their caller. Its further rows do not join the batches of others meanwhile. */
  private async createApart(rows: readonly NewRow[], caller: CallerKey, until: number): Promise<(Creation | Error)[]> {
    const creating = ofTable(this.creating, rows[0]?.[0] ?? '');
    const work = () =>
      this.parts.turns.run(() =>
        this.parts.withSession((session) =>
          createBatch((each) => session.withRetries(each, until, true), creating, rows),
        ),
      );
    this.apart.set(caller, (this.apart.get(caller) ?? 0) + 1);
    try {
      return await (caller === undefined ? work() : asCaller(caller, work));
    } finally {
      const left = (this.apart.get(caller) ?? 1) - 1;
      if (left > 0) this.apart.set(caller, left);
      else this.apart.delete(caller);
    }
  }
}

function outcomeOf(outcome: Creation | Error | undefined): Creation | Error {
  if (typeof outcome === 'string') return outcome;
  return atWork(outcome ?? new Error('PostgreSQL gave no outcome for a row'));
}

/** @throws the error */
function creationOf(outcome: Creation | Error | undefined): Creation {
  const created = outcomeOf(outcome);
  if (typeof created === 'string') return created;
  throw created;
}
