import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Looks a note up. */
export async function getNote({ path }: Request<'getNote'>, { get }: Tools): Promise<Reply<'getNote'>> {
  const note = await get('notes', path);
  return note === undefined ? { status: 404, body: errors[40401] } : { status: 200, body: note };
}
