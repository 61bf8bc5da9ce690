import { entityTag, ifMatch, mergePatch, withoutNulls } from 'trellis';
import { errors } from '../generated/openapi.ts';
import { accountReply } from './account.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Changes the owner and the contact of an account, if the account is as the client has seen it. */
export async function updateAccount(
  { path: { id }, header, body }: Request<'updateAccount'>,
  { transaction }: Tools,
): Promise<Reply<'updateAccount'>> {
  const { 'If-Match': expected } = header;
  if (expected === undefined) return { status: 428, body: errors[42811] };
  // Not repeatable: a second run would find its own change, and answer 412.
  return await transaction(async ({ database, get }) => {
    const account = await get('accounts', { id });
    if (account === undefined) return { status: 404, body: errors[40411] };
    if (account.closed_at !== undefined) return { status: 409, body: errors[40912] };
    if (!ifMatch(expected, entityTag(account.version))) return { status: 412, body: errors[41211] };
    // A member that the contract gains is lost here, behind a 200, until its name is added.
    const { owner, contact = null } = mergePatch(account, body);
    const change = { owner, contact, version: account.version + 1n };
    const update = database.updateTable('accounts').set(change).where('id', '=', id).returningAll();
    return accountReply(withoutNulls(await update.executeTakeFirstOrThrow()));
  });
}
