import { errors } from '../generated/openapi.ts';
import type { Reply, Request, Tools } from './types.ts';

/** Closes an account without money. The row stays, so that its id is never opened again. */
export async function closeAccount(
  { path: { id } }: Request<'closeAccount'>,
  { transaction, now }: Tools,
): Promise<Reply<'closeAccount'>> {
  const closed_at = now();
  return await transaction(
    async ({ database, get }): Promise<Reply<'closeAccount'>> => {
      const account = await get('accounts', { id });
      if (account === undefined) return { status: 404, body: errors[40411] };
      if (account.balance !== 0n) return { status: 409, body: errors[40913] };
      if (account.closed_at === undefined) {
        const change = { closed_at, version: account.version + 1n };
        await database.updateTable('accounts').set(change).where('id', '=', id).execute();
      }
      return { status: 204 };
    },
    // A second run finds the account closed.
    { repeatable: true },
  );
}
