import { ErrorNumber } from '../contract/errors.ts';
import type { Reply, Request } from '../contract/types.ts';
import type { Services } from './services.ts';

/** Creates a plant. The id is the idempotency key: sent again, the same plant gets the same answer. */
export async function createPlant(
  { body: plant }: Request<'createPlant'>,
  { plants }: Services,
): Promise<Reply<'createPlant'>> {
  const creation = await plants.create(plant);
  if (creation === 'conflict') {
    const message = 'a plant with this id and another name or tag exists';
    return { status: 400, body: { error: ErrorNumber.idTaken, message } };
  }
  const { name, tag } = plant;
  const body = tag === undefined ? { name } : { name, tag };
  return creation === 'created'
    ? { status: 200, body }
    : { status: 200, headers: { 'Idempotent-Replayed': true }, body };
}
