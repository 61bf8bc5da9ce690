import { int64, json, optional, table, text, timestamp } from 'trellis';
import type { components } from '../generated/openapi.ts';

type Currency = components['schemas']['Currency'];
type Contact = components['schemas']['Contact'];

/** The tables that the steps make; the start compares them with the database. */
export const tables = {
  accounts: table(
    {
      id: text(),
      owner: text(),
      currency: text<Currency>(),
      /** The money paid in. It never changes, so that a repeated openAccount is recognised after money has moved. */
      opening_balance: int64(),
      balance: int64(),
      /** Counts the changes, also those by transfers, as they change what clients see, and so the ETag. */
      version: int64(),
      opened_at: timestamp(),
      closed_at: optional(timestamp()),
      contact: optional(json<Contact>()),
    },
    'id',
  ),
  transfers: table(
    {
      id: text(),
      from_account: text(),
      to_account: text(),
      amount: int64(),
      reference: optional(text()),
      at: timestamp(),
    },
    'id',
  ),
  /** The transfers that NOTICE_URL is still to be told of: an outbox. */
  notices: table({ transfer: text(), at: timestamp() }, 'transfer'),
};
