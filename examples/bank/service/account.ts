import { entityTag } from 'trellis';
import type { Row, Schema } from './types.ts';

/** The account as clients get it. */
export function shown({ version: _, opened_at, closed_at, contact, ...account }: Row<'accounts'>): Schema<'Account'> {
  return {
    ...account,
    contact: contact && { email: contact.email, phone: contact.phone },
    opened_at: opened_at.toISOString(),
    closed_at: closed_at?.toISOString(),
  };
}

/** A reply with the account, and its version as ETag. */
export function accountReply(account: Row<'accounts'>) {
  return { status: 200, headers: { ETag: entityTag(account.version) }, body: shown(account) } as const;
}
