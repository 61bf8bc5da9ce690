import type { Steps } from 'trellis';

/** A released step must never change. */
export const steps: Steps = {
  bank1: ({ schema, sql, type }) => [
    schema
      .createTable('accounts')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('owner', type.text, (column) => column.notNull())
      .addColumn('currency', type.text, (column) => column.notNull())
      .addColumn('opening_balance', type.int64, (column) => column.notNull())
      // transfer.ts refuses an overdraft already: this is the last line of defence.
      .addColumn('balance', type.int64, (column) => column.notNull().check(sql`balance >= 0`))
      .addColumn('version', type.int64, (column) => column.notNull())
      .addColumn('opened_at', type.timestamp, (column) => column.notNull())
      .addColumn('closed_at', type.timestamp),
    schema.createIndex('accounts_of_owner').on('accounts').columns(['owner', 'id']),
    schema.createIndex('accounts_in_currency').on('accounts').columns(['currency', 'id']),
    schema
      .createTable('transfers')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('from_account', type.text, (column) => column.notNull().references('accounts.id'))
      .addColumn('to_account', type.text, (column) => column.notNull().references('accounts.id'))
      .addColumn('amount', type.int64, (column) => column.notNull())
      .addColumn('reference', type.text)
      .addColumn('at', type.timestamp, (column) => column.notNull()),
    // Each page of listTransfers reads the ends of these two indexes.
    schema.createIndex('transfers_from').on('transfers').columns(['from_account', 'at', 'id']),
    schema.createIndex('transfers_to').on('transfers').columns(['to_account', 'at', 'id']),
  ],
  bank2: ({ schema, type }) => [schema.alterTable('accounts').addColumn('contact', type.json)],
  bank3: ({ schema, type }) => [
    schema
      .createTable('notices')
      .addColumn('transfer', type.text, (column) => column.notNull().primaryKey().references('transfers.id'))
      .addColumn('at', type.timestamp, (column) => column.notNull()),
    schema.createIndex('notices_by_age').on('notices').columns(['at']),
  ],
};
