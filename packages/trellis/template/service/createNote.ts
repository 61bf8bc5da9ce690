import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** The id is the idempotency key: the same note, sent again, gets the same reply. */
export async function createNote({ body }: Request<'createNote'>, { create }: Tools): Promise<Reply<'createNote'>> {
  const { id, text } = body;
  // The whole body: a row that names its members would lose each that the contract gains.
  const creation = await create('notes', body);
  if (creation === 'conflict') return { status: 409, body: errors[40901] };
  return {
    status: 201,
    headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {},
    body: { id, text },
  };
}
