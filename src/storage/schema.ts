import { SERVICE } from '../resource.ts';
import { type Row, StoreUnusable } from './store.ts';
import { type Kind, kindOf, TABLES } from './tables.ts';

/** @throws StoreUnusable if this version cannot use the schema, or must migrate it first and may not */
export function requireSchema(database: string, found: number, known: number, mayMigrate: boolean): void {
  const has = `${database} has schema ${found}`;
  if (found > known) throw new StoreUnusable(`${has}, newer than ${known}: install a newer ${SERVICE}`);
  if (found < known && !mayMigrate) throw new StoreUnusable(`${has}, older than ${known}: run \`migrate\` first`);
}

export interface FoundColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** Reads rows that name a column of the database each: `table`, `column`, `type`, `required`. */
export function toColumns(rows: readonly Row[]): FoundColumn[] {
  return rows.map(({ table, column, type, required }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: !required,
  }));
}

/**
 * Checks the tables of a database against tables.ts.
 *
 * @throws StoreUnusable that names the first difference
 */
export function requireTables(
  database: string,
  found: readonly FoundColumn[],
  sqlTypes: Readonly<Record<Kind, string>>,
): void {
  for (const [table, columns] of Object.entries(TABLES)) {
    const inTable = found.filter((each) => each.table === table);
    if (inTable.length === 0) throw outOfStep(`${database} lacks the table ${table}`);
    for (const [column, described] of Object.entries(columns)) {
      const { kind, nullable } = kindOf(described);
      const wanted = `${sqlTypes[kind]}${nullable ? '' : ' not null'}`;
      const has = inTable.find((each) => each.column === column);
      const name = `the column "${column}" of ${table}`;
      if (has === undefined) throw outOfStep(`${database} lacks ${name}, ${wanted}`);
      const is = `${has.type}${has.nullable ? '' : ' not null'}`;
      if (is !== wanted) throw outOfStep(`${database} has ${name} as ${is}, but tables.ts as ${wanted}`);
    }
  }
}

function outOfStep(difference: string): StoreUnusable {
  return new StoreUnusable(`${difference}: add a migration`);
}
