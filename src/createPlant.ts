import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** The id is the idempotency key: the same plant, sent again, gets the same reply. */
export async function createPlant({ body }: Request<'createPlant'>, { create }: Tools): Promise<Reply<'createPlant'>> {
  const creation = await create('plants', body);
  // A failure that the contract declares is returned; any other is thrown.
  if (creation === 'conflict') return { status: 400, body: errors[40011] };
  const { name, tag } = body;
  return {
    status: 200,
    headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {},
    body: { name, tag },
  };
}
