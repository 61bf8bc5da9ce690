import { type Layout, MARK, STEPS_TABLE, type StoreEngine } from './layout.ts';
import type { CompiledStep } from './steps.ts';
import type { AnyRow } from './engine.ts';
import { StoreUnusable } from './store-errors.ts';
import { SQL_TYPES } from './tables.ts';

/**
 * @param database its name in messages
 * @throws StoreUnusable if its schema is newer, or is older and `mayMigrate` is false
 */
export function requireVersion({ name, version }: Layout, database: string, found: number, mayMigrate: boolean): void {
  const has = `${database} has schema ${found}, but this ${name} needs ${version}`;
  if (found > version) throw new StoreUnusable(`${has}: install a newer ${name}`);
  if (found < version && !mayMigrate) throw new StoreUnusable(`${has}: run \`migrate\` first`);
}

/**
 * @param database its name in messages
 * @param version the version of its schema
 * @param listed the names of the steps that it has been through; undefined: no table lists them
 * @returns the steps that are missing
 * @throws StoreUnusable if a step is unknown, or is missing and `mayMigrate` is false, or if the list does not fit the
 *   version
 */
export function missingSteps(
  layout: Layout,
  engine: StoreEngine,
  database: string,
  version: number,
  listed: readonly string[] | undefined,
  mayMigrate: boolean,
): readonly CompiledStep[] {
  const { name, released } = layout;
  const done = listed ?? released[Math.min(version, released.length) - 1] ?? [];
  const steps = layout.steps[engine];
  const unknown = done.filter((each) => !steps.some((step) => step.name === each));
  if (unknown.some((each) => each.startsWith(MARK)))
    throw new StoreUnusable(`${database} belongs to another application: choose another database`);
  // One transaction writes the version and the list. A store of version 0 has lost its version: the list decides.
  const counted = countOf(done);
  if (version > 0 && listed !== undefined && counted !== version) {
    const isLeft = version < counted && version <= released.length;
    const cure = isLeft
      ? `a dump of an older store was restored over a newer one, which left that table: drop ${STEPS_TABLE}, then start again`
      : 'only a part of a dump was restored, or one of the two was changed: restore the whole dump into an empty database';
    throw new StoreUnusable(
      `${database} has schema ${version}, but its table ${STEPS_TABLE} lists the steps of schema ${counted}: ${cure}`,
    );
  }
  if (unknown[0] !== undefined)
    throw new StoreUnusable(
      `${database} has been through the step ${unknown[0]}, which this ${name} does not have: install a newer ${name}`,
    );
  const missing = steps.filter((step) => !done.includes(step.name));
  const [first] = missing;
  if (first !== undefined && !mayMigrate)
    throw new StoreUnusable(`${database} lacks the step ${first.name}: run \`migrate\` first`);
  return missing;
}

/** The version of the schema after these steps. */
function countOf(steps: readonly string[]): number {
  return steps.filter((each) => !each.startsWith(MARK)).length - 1;
}

/**
 * The one rule of the start, of readiness and of backups: a store has the columns of the tables as they are described,
 * and no other column that is required, as a create leaves it out.
 *
 * @param database its name in messages
 * @param found its columns, with the members `table`, `column`, `type`, `required`, `default` (whether it has one) and
 * `key` (whether it is part of the primary key)
 * @throws StoreUnusable that names the first difference from the tables
 */
export function requireTables(
  { tables }: Layout,
  engine: StoreEngine,
  database: string,
  found: readonly AnyRow[],
): void {
  for (const [table, { columns, key }] of Object.entries(tables)) {
    const inTable = found.filter((each) => each['table'] === table);
    if (inTable.length === 0) throw outOfStep(`${database} lacks the table ${table}`, LACKING);
    for (const [column, { kind, optional }] of Object.entries(columns)) {
      const wanted = `${SQL_TYPES[engine][kind]}${optional ? '' : ' not null'}`;
      const has = inTable.find((each) => each['column'] === column);
      const name = `the column "${column}" of ${table}`;
      if (has === undefined) throw outOfStep(`${database} lacks ${name}, ${wanted}`, LACKING);
      const is = typeOf(has);
      if (is !== wanted) throw outOfStep(`${database} has ${name} as ${is}, not as ${wanted}`, CHANGED);
    }
    // The statement of a create names the key, and fails if the table has no index for it.
    const hasKey = inTable.filter((each) => each['key']).map(({ column }) => String(column));
    if (key.length !== hasKey.length || !key.every((column) => hasKey.includes(column)))
      throw outOfStep(`${database} has ${table} with the primary key (${hasKey.join()}), not (${key.join()})`, CHANGED);
    requireSpare(database, Object.keys(columns), inTable);
  }
}

/** The type of a column, in SQL. */
export function typeOf({ type, required }: AnyRow): string {
  return `${String(type)}${required ? ' not null' : ''}`;
}

/**
 * @param own the columns that a create fills
 * @param found the columns that the table has
 */
export function requireSpare(database: string, own: readonly unknown[], found: readonly AnyRow[]): void {
  const more = found.find((each) => !own.includes(each['column']) && each['required'] && !each['default']);
  if (more === undefined) return;
  const { table, column } = more;
  const difference = `the column "${String(column)}" of ${String(table)} as ${typeOf(more)}, which no create fills`;
  throw outOfStep(`${database} has ${difference}`, 'give it a default, let it be null, or drop it');
}

const CHANGED = 'change it back';
const LACKING = 'make it again, or restore a backup';

function outOfStep(difference: string, cure: string): StoreUnusable {
  return new StoreUnusable(`${difference}: ${cure}; after a change of the tables, add a step`);
}
