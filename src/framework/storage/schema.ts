import { type Row, StoreUnusable } from './store.ts';
import type { CompiledStep } from './steps.ts';
import type { Kind, Tables } from './tables.ts';

/**
 * @param name of the service
 * @throws StoreUnusable if the schema is too new, or too old without `mayMigrate`
 */
export function requireSchema(name: string, database: string, found: number, known: number, mayMigrate: boolean): void {
  const has = `${database} has schema ${found}, but this ${name} needs ${known}`;
  if (found > known) throw new StoreUnusable(`${has}: install a newer ${name}`);
  if (found < known && !mayMigrate) throw new StoreUnusable(`${has}: run \`migrate\` first`);
}

/**
 * @param done the names of the steps that the database has been through
 * @returns the steps that are missing
 * @throws StoreUnusable if a step is unknown, or is missing without `mayMigrate`
 */
export function missingSteps(
  name: string,
  database: string,
  done: readonly string[],
  steps: readonly CompiledStep[],
  mayMigrate: boolean,
): readonly CompiledStep[] {
  const unknown = done.find((each) => !steps.some((step) => step.name === each));
  if (unknown !== undefined)
    throw new StoreUnusable(
      `${database} has been through the step ${unknown}, which this ${name} does not have: install a newer ${name}`,
    );
  const missing = steps.filter((step) => !done.includes(step.name));
  const [first] = missing;
  if (first !== undefined && !mayMigrate)
    throw new StoreUnusable(`${database} lacks the step ${first.name}: run \`migrate\` first`);
  return missing;
}

export interface FoundColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
  /** Whether it is part of the primary key. */
  readonly isKey: boolean;
}

/** @param rows with the members `table`, `column`, `type`, `required` and `key` */
export function toColumns(rows: readonly Row[]): FoundColumn[] {
  return rows.map(({ table, column, type, required, key }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: !required,
    isKey: Boolean(key),
  }));
}

/** @throws StoreUnusable that names the first difference from the tables */
export function requireTables(
  database: string,
  tables: Tables,
  found: readonly FoundColumn[],
  sqlTypes: Readonly<Record<Kind, string>>,
): void {
  for (const [table, { columns, key }] of Object.entries(tables)) {
    const inTable = found.filter((each) => each.table === table);
    if (inTable.length === 0) throw outOfStep(`${database} lacks the table ${table}`);
    for (const [column, { kind, optional }] of Object.entries(columns)) {
      const wanted = `${sqlTypes[kind]}${optional ? '' : ' not null'}`;
      const has = inTable.find((each) => each.column === column);
      const name = `the column "${column}" of ${table}`;
      if (has === undefined) throw outOfStep(`${database} lacks ${name}, ${wanted}`);
      const is = `${has.type}${has.nullable ? '' : ' not null'}`;
      if (is !== wanted) throw outOfStep(`${database} has ${name} as ${is}, not as ${wanted}`);
    }
    // A creation names the key, and without its index each would fail.
    const hasKey = inTable.filter(({ isKey }) => isKey).map(({ column }) => column);
    if (key.length !== hasKey.length || !key.every((column) => hasKey.includes(column)))
      throw outOfStep(`${database} has ${table} with the primary key (${hasKey.join()}), not (${key.join()})`);
  }
}

function outOfStep(difference: string): StoreUnusable {
  return new StoreUnusable(`${difference}: restore a backup; after a change of the tables, add a step`);
}
