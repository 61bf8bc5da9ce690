import type { Steps } from 'trellis';

export const steps: Steps = {
  bookings1: ({ schema, type }) => [
    schema
      .createTable('bookings')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('room', type.text, (column) => column.notNull())
      .addColumn('cents', type.int64, (column) => column.notNull()),
    schema
      .createTable('keys')
      .addColumn('caller', type.text, (column) => column.notNull())
      .addColumn('key', type.text, (column) => column.notNull())
      .addColumn('operation', type.text, (column) => column.notNull())
      .addColumn('request', type.json, (column) => column.notNull())
      .addColumn('reply', type.json, (column) => column.notNull())
      .addColumn('at', type.timestamp, (column) => column.notNull())
      .addPrimaryKeyConstraint('keys_key', ['caller', 'key']),
    schema.createIndex('keys_at').on('keys').column('at'),
  ],
};
