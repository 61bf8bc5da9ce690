import { describedColumns, missingSteps, requireTables, requireVersion, typeOf } from '../schema.ts';
import type { AnyRow, StoreSchema } from '../engine.ts';
import { StoreUnusable } from '../store-errors.ts';
import { type Layout, MARK, STEPS_TABLE } from '../layout.ts';
import type { Query, Session } from './session.ts';

/**
 * Runs the missing steps in one transaction. `schema_steps` names those that a database has been through;
 * `schema_version` counts them, so that an older service refuses the database.
 * The advisory lock, whose key the first release chose, lets one process in at a time: `if not exists` fails when another
 * process creates the same table at the same moment. Changes nothing if another service was first.
 */
function migrationOf({ version, released, steps }: Layout): string {
  const add = (names: readonly string[]) =>
    `insert into ${STEPS_TABLE} values ${names.map((name) => `('${name}')`).join()} on conflict do nothing;`;
  const run = ({ name, statements }: Layout['steps']['postgres'][number]) =>
    `if not exists (select from ${STEPS_TABLE} where name = '${name}') then ${[...statements, add([name])].join('; ')} end if;`;
  const marks = steps.postgres.filter(({ name }) => name.startsWith(MARK)).map(({ name }) => `'${name}'`);
  return `do $migrate$ declare found_version bigint; begin
  perform pg_advisory_xact_lock(x'706c6e74'::int);
  create table if not exists schema_version (id bigint primary key, version bigint not null);
  insert into schema_version (id, version) select 1, 0 where not exists (select from schema_version);
  select version into found_version from schema_version where id = 1 for update;
  -- The first release made two columns more than step 1 does now.
  if found_version < 2 then
    alter table schema_version drop column if exists had_token;
    alter table if exists tokens drop column if exists position;
  end if;
  create table if not exists ${STEPS_TABLE} (name text primary key);
  if exists (select from ${STEPS_TABLE} where name like '${MARK}%' and name not in (${marks.join()})) then return; end if;
  ${released.map((names, index) => `if found_version >= ${index + 1} then ${add(names)} end if;`).join('\n')}
  ${steps.postgres.map(run).join('\n')}
  update schema_version set version = ${version} where version < ${version};
end $migrate$`;
}

/** The columns of `schema_version`, as this version and as the first release made them. */
const VERSION_COLUMNS = 'id bigint not null,version bigint not null';
const VERSION_SHAPES = [VERSION_COLUMNS, `${VERSION_COLUMNS},had_token boolean not null`];

const SELECT_COLUMNS = `select name as "table", attname as "column", format_type(atttypid, atttypmod) as type, attnotnull as required,
    atthasdef or attidentity <> '' as "default",
    exists (select from pg_index where indrelid = attrelid and indisprimary and attnum = any (indkey)) as key
  from unnest($1::text[]) as name join pg_attribute on attrelid = to_regclass(quote_ident(name))
  where attnum > 0 and not attisdropped order by attrelid, attnum`;

/** The time limit of a migration, including its wait for a migration by another process. */
const MIGRATION_MS = 600_000;

/** May run in several processes at once. @throws StoreUnusable, or an error of PostgreSQL or the network */
export async function migrate(
  layout: Layout,
  session: Session,
  server: string,
  create: boolean,
  until: number,
): Promise<StoreSchema> {
  const { name, tables, version: now } = layout;
  return await session.withRetries(async (query) => {
    let found, listed;
    do {
      found = await readVersion(query, tables, server);
      if (found === undefined && !create)
        throw new StoreUnusable(`${server} has no store of ${name}: check DATABASE_URL`);
      requireVersion(layout, server, found ?? 0, create);
      listed = await readSteps(query);
      // Another process may have migrated between the two reads.
    } while (found !== (await readVersion(query, tables, server)));
    const before = found ?? 0;
    const missing = missingSteps(layout, 'postgres', server, before, listed, create);
    // A store of version 2 gets its list only with its next step: until then the service may run as a role that cannot
    // create tables.
    if (found === now && missing.length === 0) {
      await requireColumns(layout, query, server);
      return { before, now, steps: [] };
    }
    const work = async (within: Query) => {
      await within(migrationOf(layout));
      const names = (await readSteps(within)) ?? [];
      missingSteps(layout, 'postgres', server, now, names, false);
      await requireColumns(layout, within, server);
      return { before, now, steps: names.filter((each) => !listed?.includes(each)) };
    };
    // With a deadline of its own, as the migration may run past `until`. In another isolation, its snapshot would be older
    // than the lock that it waits for.
    return await session.attempt('begin isolation level read committed', work, performance.now() + MIGRATION_MS, true);
  }, until);
}

/** @throws StoreUnusable if the columns of the tables are not as described */
export async function requireColumns(layout: Layout, query: Query, server: string): Promise<void> {
  const found = await readColumns(query, Object.keys(layout.tables));
  requireTables(server, describedColumns(layout, 'postgres'), found);
}

async function readVersion(query: Query, tables: Layout['tables'], server: string): Promise<number | undefined> {
  const columns = await readColumns(query, ['schema_version', ...Object.keys(tables)]);
  const own = columns.filter(({ table }) => table === 'schema_version');
  if (own.length === 0) return undefined;
  const described = own.map((row) => `${String(row['column'])} ${typeOf(row)}`).join();
  if (VERSION_SHAPES.includes(described)) {
    const { rows } = await query('select id, version from schema_version limit 2');
    const version = Number(rows[0]?.['version']);
    // One transaction writes the version and creates the tables: a version above 0 without tables is of another program.
    if (rows.length === 1 && rows[0]?.['id'] === 1n && (version === 0 || own.length < columns.length)) return version;
  }
  throw new StoreUnusable(
    `${server} has a table schema_version that is not that of a store: restore a backup of a store, or set DATABASE_URL to a database or a schema of its own`,
  );
}

/** The names of the steps that the database has been through; undefined: no table lists them. */
async function readSteps(query: Query): Promise<readonly string[] | undefined> {
  if ((await readColumns(query, [STEPS_TABLE])).length === 0) return undefined;
  const { rows } = await query(`select name from ${STEPS_TABLE}`);
  return rows.map(({ name }) => String(name));
}

async function readColumns(query: Query, tables: readonly string[]): Promise<readonly AnyRow[]> {
  return (await query(SELECT_COLUMNS, tables)).rows;
}
