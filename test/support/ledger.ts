import { exactJson } from '../../src/framework/contract/int64.ts';
import type { Item } from '../../src/framework/storage/store.ts';
import { TEXTS } from '../framework/storage/texts.ts';
import { type Answer, Fault } from './clients.ts';

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

/** A generator of plants with any int64 as id, and with difficult texts. */
export function randomPlants(random: () => number): () => Item {
  const pick = () => TEXTS[Math.floor(random() * TEXTS.length)] ?? '';
  return () => {
    const id = BigInt.asIntN(
      64,
      (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)),
    );
    // The id makes the name unique: two plants of one name could be swapped unnoticed.
    const name = `${String(id)} ${pick()}`.slice(0, 1000).toWellFormed();
    return random() < 0.5 ? { id, name } : { id, name, tag: pick().slice(0, 200).toWellFormed() };
  };
}

/** How many acknowledged plants are not stored, and how many stored plants were never sent (phantoms). */
export interface Found {
  readonly lost: number;
  readonly phantoms: number;
}

interface Sent {
  readonly plant: Item;
  acknowledged: boolean;
  refused: boolean;
}

/** Records the plants that clients send and the answers, to compare them with the store. */
export class Ledger {
  /** By id, then by the JSON of the plant. */
  private readonly sent = new Map<bigint, Map<string, Sent>>();
  acknowledged = 0;

  /** Records a plant before a client sends it. Returns whether the service has acknowledged it before. */
  add(plant: Item): boolean {
    return this.entry(plant).acknowledged;
  }

  /**
   * @param known what `add` returned for the plant
   * @throws Fault if the answer contradicts an earlier one
   */
  answer(plant: Item, answer: Answer, known: boolean): void {
    const entry = this.entry(plant);
    if (answer === 'created' && known) throw new Fault(`lost: ${exactJson(plant)} was acknowledged, and created again`);
    if (answer === 'created' || answer === 'replayed') {
      if (!entry.acknowledged) this.acknowledged++;
      entry.acknowledged = true;
    }
    if (answer === 'conflict') entry.refused = true;
    const contents = [...(this.sent.get(plant.id)?.values() ?? [])];
    const winners = contents.filter(({ acknowledged }) => acknowledged);
    if (winners.length > 1) throw new Fault(`two contents of ${String(plant.id)} were acknowledged`);
    if (entry.acknowledged && entry.refused) throw new Fault(`${exactJson(plant)} was acknowledged, and refused`);
  }

  /** Compares the ledger with all stored plants, digit for digit. @throws Fault if they contradict it */
  check(stored: readonly Item[]): Found {
    const byId = new Map(stored.map((plant) => [plant.id, exactJson(plant)]));
    const phantoms = [...byId].filter(([id, json]) => this.sent.get(id)?.has(json) !== true);
    const all = [...this.sent.values()].flatMap((contents) => [...contents]);
    const lost = all.filter(([json, { plant, acknowledged }]) => acknowledged && byId.get(plant.id) !== json);
    const untrue = all.filter(([json, { plant, refused }]) => refused && byId.get(plant.id) === json);
    const example = [...phantoms.map(([, json]) => json), ...[...lost, ...untrue].map(([json]) => json)][0];
    if (example !== undefined) {
      const counts = [lost, phantoms, untrue].map(({ length }) => String(length));
      throw new Fault(`${counts.join(', ')} lost, phantoms, refused although stored: ${example} is one`);
    }
    return { lost: lost.length, phantoms: phantoms.length };
  }

  private entry(plant: Item): Sent {
    const contents = this.sent.get(plant.id) ?? new Map<string, Sent>();
    this.sent.set(plant.id, contents);
    const json = exactJson(plant);
    const entry = contents.get(json) ?? { plant, acknowledged: false, refused: false };
    contents.set(json, entry);
    return entry;
  }
}
