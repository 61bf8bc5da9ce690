import { exactJson } from '../../../contract/src/schema/int64.ts';
import { TEXTS } from './texts.ts';
import { type Answer, Fault } from './clients.ts';
import type { Item } from '../services/items/index.ts';

/** A generator of pseudorandom numbers from 0 to below 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A generator of items with any int64 as id, and with difficult texts. */
export function randomItems(random: () => number): () => Item {
  const pick = () => TEXTS[Math.floor(random() * TEXTS.length)] ?? '';
  return () => {
    const id = BigInt.asIntN(
      64,
      (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)),
    );
    // The id makes the name unique: two items of one name could be swapped unnoticed.
    const name = `${String(id)} ${pick()}`.slice(0, 1000).toWellFormed();
    return random() < 0.5 ? { id, name } : { id, name, tag: pick().slice(0, 200).toWellFormed() };
  };
}

/** How many acknowledged items are not stored, and how many stored items were never sent (phantoms). */
export interface Found {
  readonly lost: number;
  readonly phantoms: number;
}

interface Sent {
  readonly item: Item;
  acknowledged: boolean;
  refused: boolean;
}

/** Records the items that clients send and the answers, to compare them with the store. */
export class Ledger {
  /** By id, then by the JSON of the item. */
  private readonly sent = new Map<bigint, Map<string, Sent>>();
  acknowledged = 0;

  /** Records an item before a client sends it. Returns whether the service has acknowledged it before. */
  add(item: Item): boolean {
    return this.entry(item).acknowledged;
  }

  /**
   * @param known what `add` returned for the item
   * @throws Fault if the answer contradicts an earlier one
   */
  answer(item: Item, answer: Answer, known: boolean): void {
    const entry = this.entry(item);
    if (answer === 'created' && known) throw new Fault(`lost: ${exactJson(item)} was acknowledged, and created again`);
    if (answer === 'created' || answer === 'replayed') {
      if (!entry.acknowledged) this.acknowledged++;
      entry.acknowledged = true;
    }
    if (answer === 'conflict') entry.refused = true;
    const contents = [...(this.sent.get(item.id)?.values() ?? [])];
    const winners = contents.filter(({ acknowledged }) => acknowledged);
    if (winners.length > 1) throw new Fault(`two contents of ${String(item.id)} were acknowledged`);
    if (entry.acknowledged && entry.refused) throw new Fault(`${exactJson(item)} was acknowledged, and refused`);
  }

  /** Compares the ledger with all stored items, digit for digit. @throws Fault if they contradict it */
  check(stored: readonly Item[]): Found {
    const byId = new Map(stored.map((item) => [item.id, exactJson(item)]));
    const phantoms = [...byId].filter(([id, json]) => this.sent.get(id)?.has(json) !== true);
    const all = [...this.sent.values()].flatMap((contents) => [...contents]);
    const lost = all.filter(([json, { item, acknowledged }]) => acknowledged && byId.get(item.id) !== json);
    const untrue = all.filter(([json, { item, refused }]) => refused && byId.get(item.id) === json);
    const example = [...phantoms.map(([, json]) => json), ...[...lost, ...untrue].map(([json]) => json)][0];
    if (example !== undefined) {
      const counts = [lost, phantoms, untrue].map(({ length }) => String(length));
      throw new Fault(`${counts.join(', ')} lost, phantoms, refused although stored: ${example} is one`);
    }
    return { lost: lost.length, phantoms: phantoms.length };
  }

  private entry(item: Item): Sent {
    const contents = this.sent.get(item.id) ?? new Map<string, Sent>();
    this.sent.set(item.id, contents);
    const json = exactJson(item);
    const entry = contents.get(json) ?? { item, acknowledged: false, refused: false };
    contents.set(json, entry);
    return entry;
  }
}
