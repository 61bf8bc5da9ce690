import { withoutNulls } from 'trellis';
import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Looks a transfer up. */
export async function getTransfer(
  { path }: Request<'getTransfer'>,
  { database }: Tools,
): Promise<Reply<'getTransfer'>> {
  const found = await database.selectFrom('transfers').selectAll().where('id', '=', path.id).executeTakeFirst();
  if (found === undefined) return { status: 404, body: errors[40412] };
  return { status: 200, body: { ...withoutNulls(found), at: found.at.toISOString() } };
}
