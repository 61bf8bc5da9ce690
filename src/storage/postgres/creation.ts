import type { Creation, Outcome, StoredPlant } from '../store.ts';
import { Refused } from './errors.ts';
import { insert, isSame, isStorable, type Kept } from './plants.ts';
import type { Run } from './statement.ts';

/** Does some work, again if what went wrong may pass. */
export type Attempt = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

type Stored = Kept | { readonly error: Error };

interface Ticket {
  readonly plant: StoredPlant;
  outcome: Outcome<Creation> | undefined;
}

/** Creates plants as `PlantStore.create` says for each, in few statements. @throws what `attempt` does, for all */
export async function createAll(attempt: Attempt, plants: readonly StoredPlant[]): Promise<Outcome<Creation>[]> {
  const tickets = plants.map((plant): Ticket => ({ plant, outcome: undefined }));
  for (let left = tickets; left.length > 0; left = left.filter(({ outcome }) => outcome === undefined)) {
    // Of plants with one id the first is stored, and the others are held against what is there then.
    const firsts = new Map(left.toReversed().map((ticket) => [ticket.plant.id, ticket]));
    const stored = await storeAll(
      attempt,
      Array.from(firsts.values(), ({ plant }) => plant),
    );
    for (const ticket of left) {
      const { id } = ticket.plant;
      ticket.outcome = judge(ticket.plant, stored.get(id), firsts.get(id) === ticket);
    }
  }
  return tickets.map(({ outcome }) => outcome ?? { error: new Error('a plant was forgotten') });
}

/** What became of a plant; undefined: not known, as another one of its id was tried, and cannot be stored. */
function judge(plant: StoredPlant, stored: Stored | undefined, isFirst: boolean): Outcome<Creation> | undefined {
  if (stored === undefined) return { error: new Error('PostgreSQL did not answer for a plant') };
  if ('error' in stored) return isFirst ? stored : undefined;
  if (stored.created && isFirst) return { result: 'created' };
  return { result: isSame(plant, stored.content) ? 'replayed' : 'conflict' };
}

/** Stores plants of different ids. Those that PostgreSQL refuses are found by halves: the others are stored. */
async function storeAll(attempt: Attempt, plants: readonly StoredPlant[]): Promise<Map<bigint, Stored>> {
  const bad = plants.filter((plant) => !isStorable(plant));
  const good = bad.length === 0 ? plants : plants.filter(isStorable);
  const error = new Refused('a text with U+0000 or a lone surrogate cannot be stored as it is');
  return new Map<bigint, Stored>([
    ...bad.map(({ id }) => [id, { error }] as const),
    ...(await storeHalves(attempt, good)),
  ]);
}

async function storeHalves(attempt: Attempt, plants: readonly StoredPlant[]): Promise<Map<bigint, Stored>> {
  try {
    return await attempt((run) => insert(run, plants));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const [first] = plants;
    if (plants.length === 1 && first !== undefined) return new Map([[first.id, { error }]]);
    const middle = Math.ceil(plants.length / 2);
    const stored = await storeHalves(attempt, plants.slice(0, middle));
    return new Map([...stored, ...(await storeHalves(attempt, plants.slice(middle)))]);
  }
}
