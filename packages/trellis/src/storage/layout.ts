import { type CompiledStep, compileSteps, type Steps } from './steps.ts';
import { bytes, int64, optional, table, type Tables, text } from './tables.ts';

/** The names of the engines, as settings and layouts have them. */
export type StoreEngine = 'sqlite' | 'postgres';

/** What a store holds. It is plain data, so that it can be sent to a worker thread. */
export interface Layout {
  /** The name of the service, in messages. */
  readonly name: string;
  /** Four characters of ASCII, which mark a database as a store of this service. */
  readonly marker: string;
  /** All tables, also those of the framework. */
  readonly tables: Tables;
  /** The service's own tables, also those that `records` does not name: `backup` and `restore` count their rows. */
  readonly counted: readonly string[];
  /** The version of the schema, once a store has been through all steps. */
  readonly version: number;
  /** The steps of the schema of a database, for each engine. */
  readonly steps: Readonly<Record<StoreEngine, readonly CompiledStep[]>>;
  /** The names of the steps of a store of version 1, and of version 2: such a store has no table that lists them. */
  readonly released: readonly [readonly string[], readonly string[]];
}

/** The table that lists the steps of a store by name. */
export const STEPS_TABLE = 'schema_steps';

/** The step whose name begins with this marks a store as that of one service, and does nothing else. */
export const MARK = 'marker/';

export const OWN_TABLES = {
  tokens: table(
    {
      hash: bytes(),
      name: text(),
      /** Separated by spaces. */
      scopes: text(),
      created_at: int64(),
      expires_at: optional(int64()),
      revoked_at: optional(int64()),
    },
    'hash',
  ),
};
/** The names that no table of a service may have. */
export const RESERVED = [...Object.keys(OWN_TABLES), STEPS_TABLE, 'schema_version'];

const OWN_STEPS: Steps = {
  // The store keeps no texts of tokens. Revoked tokens stay, so that a first token is never created again.
  tokens1: ({ schema, type, sql }) => [
    schema
      .createTable('tokens')
      .addColumn('hash', type.bytes, (column) => column.primaryKey())
      .addColumn('name', type.text, (column) => column.notNull())
      .addColumn('created_at', type.int64, (column) => column.notNull())
      .addColumn('expires_at', type.int64)
      .addColumn('revoked_at', type.int64),
    schema.createIndex('tokens_in_use').unique().on('tokens').column('name').where(sql.ref('revoked_at'), 'is', null),
  ],
  // In SQL, as a released step must not change, and SQLite keeps the text of a column.
  tokens2: ({ schema, type, sql }) => [
    schema.alterTable('tokens').addColumn('scopes', sql`${type.text} not null default ''`),
  ],
};

/** The part of a service that its store needs. */
interface Described extends Pick<Layout, 'name' | 'marker' | 'tables'> {
  readonly steps: Steps;
}

/**
 * Adds the framework's own tables and steps to those of a service. Names of steps begin with their owner, so that both
 * may add some; the framework's run first. The version counts the steps, the first two as one, as in the first release.
 *
 * @throws Error if the marker, the name of a table or a step cannot be used
 */
export function layoutOf({ name, marker, tables, steps }: Described): Layout {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(`the name ${name} of the service must have small letters, digits and "-" only`);
  const unnamed = Object.keys(tables).find((table) => !/^[a-z_][a-z0-9_]*$/.test(table));
  if (unnamed !== undefined)
    throw new Error(`the name of the table ${unnamed} must have small letters, digits and "_" only`);
  const reserved = RESERVED.find((own) => Object.hasOwn(tables, own));
  if (!/^[!-~]{4}$/.test(marker)) throw new Error(`the marker ${marker} must be four visible characters of ASCII`);
  if (reserved !== undefined) throw new Error(`the framework has a table ${reserved} of its own: choose another name`);
  const own = prefixed('service', steps);
  const all = { ...prefixed('framework', OWN_STEPS), ...own };
  const [first] = Object.keys(own);
  const mark = { name: MARK + Buffer.from(marker, 'ascii').toString('hex'), statements: [] };
  const version1 = [mark.name, 'framework/tokens1', ...(first === undefined ? [] : [first])];
  return {
    name,
    marker,
    tables: { ...tables, ...OWN_TABLES },
    counted: Object.keys(tables),
    version: versionOf(steps),
    steps: {
      sqlite: [mark, ...compileSteps(all, 'sqlite')],
      postgres: [mark, ...compileSteps(all, 'postgres')],
    },
    released: [version1, [...version1, 'framework/tokens2']],
  };
}

/** The version of the schema with the steps of a service. */
export function versionOf(steps: Steps): number {
  return Object.keys(OWN_STEPS).length + Object.keys(steps).length - 1;
}

function prefixed(owner: string, steps: Steps): Steps {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [`${owner}/${name}`, step]));
}
