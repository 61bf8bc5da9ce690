import { exactJson } from '../../src/contract/exact-json.ts';
import type { StoredPlant } from '../../src/storage/plant-store.ts';
import { TEXTS } from '../storage/texts.ts';
import type { Answer } from './clients.ts';
import { Fault } from './scenario.ts';

/** Plants of all ids that there are and of difficult texts, from a source of random numbers. */
export function randomPlants(random: () => number): () => StoredPlant {
  const pick = () => TEXTS[Math.floor(random() * TEXTS.length)] ?? '';
  return () => {
    const id = BigInt.asIntN(
      64,
      (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)),
    );
    // What no other has: a name that repeats could hide a plant that took another's place.
    const name = `${String(id)} ${pick()}`.slice(0, 1000).toWellFormed();
    return random() < 0.5 ? { id, name } : { id, name, tag: pick().slice(0, 200).toWellFormed() };
  };
}

interface Sent {
  readonly plant: StoredPlant;
  acknowledged: boolean;
  refused: boolean;
}

/** What was sent, and what was answered: to be held against what is stored. */
export class Ledger {
  /** By id, and by content. */
  private readonly sent = new Map<bigint, Map<string, Sent>>();
  acknowledged = 0;

  /** Before a plant is sent: whatever happens then, it may be stored. True if it is known to be. */
  add(plant: StoredPlant): boolean {
    return this.entry(plant).acknowledged;
  }

  /**
   * @param known what `add` said before the plant was sent
   * @throws Fault if the answer contradicts an earlier one
   */
  answer(plant: StoredPlant, answer: Answer, known: boolean): void {
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

  /** Holds everything against what is stored, digit for digit. @throws Fault */
  check(stored: readonly StoredPlant[]): void {
    const byId = new Map(stored.map((plant) => [plant.id, exactJson(plant)]));
    for (const [id, json] of byId) {
      const entry = this.sent.get(id)?.get(json);
      if (entry === undefined) throw new Fault(`phantom: ${json} is stored, and was never sent`);
      if (entry.refused) throw new Fault(`${json} is stored, and was refused as a conflict`);
    }
    for (const contents of this.sent.values()) {
      for (const [json, { plant, acknowledged }] of contents) {
        if (acknowledged && byId.get(plant.id) !== json) throw new Fault(`lost: ${json} was acknowledged`);
      }
    }
  }

  private entry(plant: StoredPlant): Sent {
    const contents = this.sent.get(plant.id) ?? new Map<string, Sent>();
    this.sent.set(plant.id, contents);
    const json = exactJson(plant);
    const entry = contents.get(json) ?? { plant, acknowledged: false, refused: false };
    contents.set(json, entry);
    return entry;
  }
}
