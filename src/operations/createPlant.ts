import type { Reply, Request } from '../contract/types.ts';
import { ID_TAKEN } from './errors.ts';
import { toItem } from './record.ts';
import type { Tools } from './services.ts';

/** Creates a plant. The id is the idempotency key: sent again, the same plant gets the same answer. */
export async function createPlant({ body }: Request<'createPlant'>, { plants }: Tools): Promise<Reply<'createPlant'>> {
  const creation = await plants.create(toItem(body));
  // An expected failure is returned, as the contract declares its status; any other is thrown.
  if (creation === 'conflict') return { status: 400, body: ID_TAKEN };
  const { name, tag } = body;
  return {
    status: 200,
    headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {},
    body: tag === undefined ? { name } : { name, tag },
  };
}
