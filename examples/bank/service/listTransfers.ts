import { decodeCursor, encodeCursor, withoutNulls } from 'trellis';
import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Lists the transfers from and to an account from the newest, a page at a time. */
export async function listTransfers(
  { path: { id }, query: { limit, cursor } }: Request<'listTransfers'>,
  { database, get }: Tools,
): Promise<Reply<'listTransfers'>> {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, 'timestamp', 'text');
  if (cursor !== undefined && before === undefined) return { status: 400, body: errors[40011] };
  if ((await get('accounts', { id })) === undefined) return { status: 404, body: errors[40411] };
  /** The newest transfers of one side, from its index. One more than the limit shows whether another page follows. */
  const side = (account: 'from_account' | 'to_account') => {
    let query = database.selectFrom('transfers').selectAll().where(account, '=', id);
    if (before !== undefined)
      query = query.where((eb) => eb(eb.refTuple('at', 'id'), '<', eb.tuple(before[0], before[1])));
    const newest = query
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    return database.selectFrom(newest.as('side')).selectAll();
  };
  const both = side('from_account').unionAll(side('to_account')).orderBy('at', 'desc').orderBy('id', 'desc');
  const found = await both.limit(limit + 1).execute();
  const page = found.slice(0, limit).map(withoutNulls);
  const last = page.at(-1);
  const transfers = page.map((each) => ({ ...each, at: each.at.toISOString() }));
  const next = found.length > limit && last !== undefined ? encodeCursor(last.at, last.id) : undefined;
  return { status: 200, body: { transfers, next } };
}
