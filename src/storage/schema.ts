import { SERVICE } from '../resource.ts';
import { StoreUnusable } from './store.ts';
import { type Kind, kindOf, TABLES } from './tables.ts';

/**
 * Compares the schema that a database has with the one that this version knows.
 *
 * @param create whether an older schema is about to be brought up to date
 * @throws StoreUnusable if it cannot be used
 */
export function requireSchema(database: string, found: number, known: number, create: boolean): void {
  const has = `${database} has schema ${found}`;
  if (found > known) throw new StoreUnusable(`${has}, of a newer ${SERVICE}; this one knows ${known}`);
  if (found < known && !create) throw new StoreUnusable(`${has}, an older one: run \`migrate\` first`);
}

/** A column as a database has it. */
export interface FoundColumn {
  readonly table: string;
  readonly column: string;
  /** In SQL. */
  readonly type: string;
  readonly nullable: boolean;
}

/**
 * Compares the tables that a database has with those that tables.ts describes.
 *
 * @param sqlTypes what the kinds are called in SQL
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
      if (is !== wanted) throw outOfStep(`${database} has ${name} as ${is}, and tables.ts as ${wanted}`);
    }
  }
}

function outOfStep(difference: string): StoreUnusable {
  return new StoreUnusable(`${difference}: add a migration`);
}
