import type { Steps } from 'trellis';

/** A released step must never change. */
export const steps: Steps = {
  notes1: ({ schema, type }) => [
    schema
      .createTable('notes')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('text', type.text, (column) => column.notNull()),
  ],
};
