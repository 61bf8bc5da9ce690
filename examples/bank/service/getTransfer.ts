import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Looks a transfer up. */
export async function getTransfer({ path }: Request<'getTransfer'>, { get }: Tools): Promise<Reply<'getTransfer'>> {
  const found = await get('transfers', path);
  if (found === undefined) return { status: 404, body: errors[40412] };
  return { status: 200, body: { ...found, at: found.at.toISOString() } };
}
