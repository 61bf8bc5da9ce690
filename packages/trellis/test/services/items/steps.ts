import type { Dialect, Steps } from 'trellis';
import { KINDS } from './tables.ts';

function kindsTable({ schema, type }: Dialect) {
  const table = schema.createTable('kinds').addColumn('id', type.int64, (column) => column.primaryKey());
  return KINDS.reduce(
    (so, kind) => so.addColumn(kind, type[kind], (column) => column.notNull()).addColumn(`${kind}_or_null`, type[kind]),
    table,
  );
}

export const steps: Steps = {
  items1: (dialect) => {
    const { schema, type } = dialect;
    return [
      schema
        .createTable('items')
        .addColumn('id', type.int64, (column) => column.primaryKey())
        .addColumn('name', type.text, (column) => column.notNull())
        .addColumn('tag', type.text),
      kindsTable(dialect),
      schema
        .createTable('notes')
        .addColumn('item', type.int64, (column) => column.notNull().references('items.id'))
        .addColumn('line', type.text, (column) => column.notNull())
        .addColumn('body', type.text, (column) => column.notNull())
        .addPrimaryKeyConstraint('notes_key', ['item', 'line']),
      schema
        .createTable('members')
        .addColumn('id', type.text, (column) => column.notNull().primaryKey())
        .addColumn('email', type.text, (column) => column.notNull().unique())
        .addColumn('level', type.text, (column) => column.notNull())
        .addColumn('tags', type.json, (column) => column.notNull())
        .addColumn('joined_at', type.timestamp, (column) => column.notNull())
        .addColumn('version', type.int64, (column) => column.notNull())
        .addColumn('left_at', type.timestamp),
    ];
  },
};
