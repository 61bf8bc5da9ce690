import type { Reply, Request } from '../contract/types.ts';
import type { StoredPlant } from '../storage/store.ts';
import { ID_TAKEN } from './errors.ts';
import type { Services } from './services.ts';

/** A plant of the contract that the store keeps whole: a field that the store does not have does not compile. */
type Kept<Plant> = StoredPlant & Partial<Record<Exclude<keyof Plant, keyof StoredPlant>, 'not in StoredPlant'>>;

/** Creates a plant. The id is the idempotency key: sent again, the same plant gets the same answer. */
export async function createPlant(
  { body }: Request<'createPlant'>,
  { plants }: Services,
): Promise<Reply<'createPlant'>> {
  const plant: Kept<typeof body> = body;
  const creation = await plants.create(plant);
  // An expected failure is returned, as the contract declares its status; any other is thrown.
  if (creation === 'conflict') return { status: 400, body: ID_TAKEN };
  const { name, tag } = body;
  return {
    status: 200,
    headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {},
    body: tag === undefined ? { name } : { name, tag },
  };
}
