import { isDeepStrictEqual } from 'node:util';
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

/** The columns of the tables as they are described. A create gives each a value, so that none needs a default. */
export function describedColumns({ tables }: Layout, engine: StoreEngine): readonly AnyRow[] {
  return Object.entries(tables).flatMap(([table, { columns, key }]) =>
    Object.entries(columns).map(([column, { kind, optional }]) => ({
      table,
      column,
      type: SQL_TYPES[engine][kind],
      required: !optional,
      key: key.includes(column),
    })),
  );
}

/**
 * The one rule of the start, of readiness and of backups: a store has the columns that it should have, and no other
 * column that is required, as a create leaves it out. Columns have the members `table`, `column`, `type`, `required`,
 * `default` (whether it has one) and `key` (whether it is part of the primary key).
 *
 * @param database its name in messages
 * @param wanted as described, or those that steps make
 * @param otherwise what to do if the difference cannot be undone
 * @throws StoreUnusable that names the first difference
 */
export function requireTables(
  database: string,
  wanted: readonly AnyRow[],
  found: readonly AnyRow[],
  otherwise = 'restore a backup',
): void {
  const lacking = `make it again, or ${otherwise}`;
  for (const [table, columns] of Map.groupBy(wanted, (each) => String(each['table']))) {
    const inTable = found.filter((each) => each['table'] === table);
    if (inTable.length === 0) throw outOfStep(`${database} lacks the table ${table}`, lacking);
    for (const each of columns) {
      const has = inTable.find(({ column }) => column === each['column']);
      const name = `the column "${String(each['column'])}" of ${table}`;
      if (has === undefined) throw outOfStep(`${database} lacks ${name}, ${typeOf(each)}`, lacking);
      if (typeOf(has) !== typeOf(each))
        throw outOfStep(`${database} has ${name} as ${typeOf(has)}, not as ${typeOf(each)}`, CHANGED);
      if (each['default'] && !has['default']) throw outOfStep(`${database} has ${name} without its default`, CHANGED);
    }
    // The statement of a create names the key, and fails if the table has no index for it.
    const [key, hasKey] = [columns, inTable].map((all) => all.filter((each) => each['key']).map(nameOf));
    if (!isDeepStrictEqual(new Set(hasKey), new Set(key)))
      throw outOfStep(
        `${database} has ${table} with the primary key (${String(hasKey)}), not (${String(key)})`,
        CHANGED,
      );
    const names = columns.map(nameOf);
    const spare = inTable.find((each) => !names.includes(nameOf(each)) && each['required'] && !each['default']);
    if (spare === undefined) continue;
    const difference = `the column "${nameOf(spare)}" of ${table} as ${typeOf(spare)}, which no create fills`;
    throw outOfStep(`${database} has ${difference}`, 'give it a default, let it be null, or drop it');
  }
}

const nameOf = ({ column }: AnyRow) => String(column);

/** The type of a column, in SQL. */
export function typeOf({ type, required }: AnyRow): string {
  return `${String(type)}${required ? ' not null' : ''}`;
}

const CHANGED = 'change it back';

function outOfStep(difference: string, cure: string): StoreUnusable {
  return new StoreUnusable(`${difference}: ${cure}; after a change of the tables, add a step`);
}
