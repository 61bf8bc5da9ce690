import { int64, optional, type Steps, table, text } from 'trellis';

export const tables = {
  items: table({ id: int64(), name: text(), tag: optional(text()) }, 'id'),
  notes: table({ id: int64(), name: text(), tag: optional(text()), version: int64() }, 'id'),
  accounts: table({ id: int64(), balance: int64(), version: int64() }, 'id'),
  transfers: table({ id: int64(), from_account: int64(), to_account: int64(), amount: int64() }, 'id'),
};

export const steps: Steps = {
  bench1: ({ schema, type }) =>
    Object.entries(tables).map(([name, { columns }]) =>
      Object.entries(columns).reduce(
        (so, [column, { kind, optional: isOptional }]) =>
          so.addColumn(column, type[kind], (made) =>
            column === 'id' ? made.primaryKey() : isOptional ? made : made.notNull(),
          ),
        schema.createTable(name),
      ),
    ),
};
