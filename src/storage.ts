import { int64, optional, type Steps, table, text } from 'trellis';

/** The tables that the steps make; the start compares them with the database. */
export const tables = {
  plants: table({ id: int64(), name: text(), tag: optional(text()) }, 'id'),
};

/** A released step must never change. */
export const steps: Steps = {
  // On SQLite the id is the rowid: an exact 64-bit integer, and the order of the rows on disk.
  plants1: ({ schema, type }) => [
    schema
      .createTable('plants')
      .addColumn('id', type.int64, (column) => column.primaryKey())
      .addColumn('name', type.text, (column) => column.notNull())
      .addColumn('tag', type.text),
  ],
};
