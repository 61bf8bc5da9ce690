import type * as kysely from 'kysely';
import { loadKysely } from './kysely.ts';
import { type Kind, SQL_TYPES } from './tables.ts';

/** The tools to write a step with, for one of the engines. */
export interface Dialect {
  readonly engine: keyof typeof SQL_TYPES;
  /** The schema builder of Kysely (https://kysely.dev/docs/recipes/schemas). On SQLite each new table is STRICT. */
  readonly schema: kysely.SchemaModule;
  /** The type of a column by its kind, for `addColumn`. */
  readonly type: Readonly<Record<Kind, kysely.RawBuilder<unknown>>>;
  /** For SQL that the builder cannot express. */
  readonly sql: typeof kysely.sql;
}

/** A step of the schema: its statements, which run in one transaction. A released step must never change. */
export type Step = (dialect: Dialect) => readonly (kysely.Compilable | kysely.RawBuilder<unknown>)[];
/** Steps by name, in the order in which they run. */
export type Steps = Readonly<Record<string, Step>>;

/** A step in the SQL of one engine. */
export interface CompiledStep {
  readonly name: string;
  readonly statements: readonly string[];
}

/** @throws Error that names the step, if its name or a statement cannot stand in a script */
export function compileSteps(steps: Steps, engine: keyof typeof SQL_TYPES): readonly CompiledStep[] {
  // Loaded here, as a process that opens no store need not load Kysely.
  const library = loadKysely();
  const { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, sql } = library;
  const { PostgresQueryCompiler, SqliteQueryCompiler } = library;
  const compiler = new Kysely<unknown>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => (engine === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
      // Neither has a part in compiling.
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (database) => new SqliteIntrospector(database),
    },
    plugins: engine === 'sqlite' ? [strict(library)] : [],
  });
  const types = Object.entries(SQL_TYPES[engine]).map(([kind, type]) => [kind, sql.raw(type.toLowerCase())]);
  const dialect: Dialect = {
    engine,
    schema: compiler.schema,
    type: Object.fromEntries(types) as Dialect['type'],
    sql,
  };
  return Object.entries(steps).map(([name, step]) => {
    // JavaScript would put names of digits first.
    if (!/^[\w-]+\/[a-z][\w-]*$/i.test(name))
      throw new Error(`the step ${name} must have a name of letters, digits, "-" and "_" that begins with a letter`);
    const statements = step(dialect).map((each) => {
      const { sql: text, parameters } = 'isRawBuilder' in each ? each.compile(compiler) : each.compile();
      if (parameters.length > 0) throw new Error(`the step ${name} has a value as a parameter: write sql.lit(value)`);
      // Such a constraint would fail at the commit, which a whole batch of requests shares.
      if (/(?<!\bnot )\bdeferrable\b/i.test(text))
        throw new Error(`the step ${name} makes a deferrable constraint: leave deferrable out`);
      return text;
    });
    return { name, statements };
  });
}

/** STRICT keeps values of other types out, as PostgreSQL does. */
function strict({ CreateTableNode, RawNode }: typeof kysely): kysely.KyselyPlugin {
  return {
    transformQuery: ({ node }) =>
      CreateTableNode.is(node) ? CreateTableNode.cloneWithEndModifier(node, RawNode.createWithSql('strict')) : node,
    transformResult: ({ result }) => Promise.resolve(result),
  };
}
