import { errors } from '../generated/openapi.ts';
import { accountReply } from './account.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Looks an account up. */
export async function getAccount({ path }: Request<'getAccount'>, { get }: Tools): Promise<Reply<'getAccount'>> {
  const account = await get('accounts', path);
  return account === undefined ? { status: 404, body: errors[40411] } : accountReply(account);
}
