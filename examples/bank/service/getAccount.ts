import { errors } from '../generated/openapi.ts';
import { accountReply, findAccount } from './account.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Looks an account up. */
export async function getAccount({ path }: Request<'getAccount'>, { database }: Tools): Promise<Reply<'getAccount'>> {
  const account = await findAccount(database, path.id);
  return account === undefined ? { status: 404, body: errors[40411] } : accountReply(account);
}
