import { errors } from '../generated/openapi.ts';
import { accountReply } from './account.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Opens an account. The id is the idempotency key: a repeated request gets the account as it is now. */
export async function openAccount(
  { body }: Request<'openAccount'>,
  { create, get, now }: Tools,
): Promise<Reply<'openAccount'>> {
  const added = { balance: body.opening_balance, version: 1n, opened_at: now(), closed_at: null };
  const creation = await create('accounts', body, added);
  const account = await get('accounts', { id: body.id });
  if (account?.closed_at !== undefined) return { status: 409, body: errors[40912] };
  if (creation === 'conflict') return { status: 409, body: errors[40911] };
  if (account === undefined) throw new Error('an account is gone');
  const reply = accountReply(account);
  const headers = { ...reply.headers, Location: `accounts/${account.id}` };
  return {
    status: 201,
    headers: creation === 'replayed' ? { ...headers, 'Idempotent-Replayed': true } : headers,
    body: reply.body,
  };
}
