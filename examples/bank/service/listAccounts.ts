import { decodeCursor, encodeCursor, withoutNulls } from 'trellis';
import { errors } from '../generated/openapi.ts';
import { shown } from './account.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Lists accounts, a page at a time. */
export async function listAccounts(
  { query: { owner, filter: { currency, min_balance, closed } = {}, limit, cursor } }: Request<'listAccounts'>,
  { database }: Tools,
): Promise<Reply<'listAccounts'>> {
  const after = cursor === undefined ? [] : decodeCursor(cursor, 'text');
  if (after === undefined) return { status: 400, body: errors[40011] };
  let query = database.selectFrom('accounts').selectAll().orderBy('id');
  for (const id of after) query = query.where('id', '>', id);
  if (owner !== undefined) query = query.where('owner', '=', owner);
  if (currency !== undefined) query = query.where('currency', '=', currency);
  if (min_balance !== undefined) query = query.where('balance', '>=', min_balance);
  if (closed !== undefined) query = query.where('closed_at', closed ? 'is not' : 'is', null);
  // One more than the limit shows whether another page follows.
  const found = await query.limit(limit + 1).execute();
  const page = found.slice(0, limit).map(withoutNulls);
  const last = page.at(-1);
  const accounts = page.map(shown);
  const next = found.length > limit && last !== undefined ? encodeCursor(last.id) : undefined;
  return { status: 200, body: { accounts, next } };
}
