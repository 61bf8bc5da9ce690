import { createRequire } from 'node:module';
import type * as kysely from 'kysely';
import type { Database, Run } from './store.ts';
import type { Tables } from './tables.ts';
import { requireStorable } from './values.ts';

// By `require`, Node loads the 250 files of Kysely in half the time.
const {
  DummyDriver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} = createRequire(import.meta.url)('kysely') as typeof kysely;

const DIALECTS = {
  sqlite: [SqliteQueryCompiler, SqliteAdapter, SqliteIntrospector],
  postgres: [PostgresQueryCompiler, PostgresAdapter, PostgresIntrospector],
} as const;

/** PostgreSQL refuses `in ()`, where SQLite finds nothing. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

/** Kysely, whose statements an engine runs. Its transactions are not used: those of the engine run again if they must. */
export function databaseOf(engine: keyof typeof DIALECTS, run: Run): Database {
  const [Compiler, Adapter, Introspector] = DIALECTS[engine];
  const connection: kysely.DatabaseConnection = {
    async executeQuery({ sql, parameters, query }: kysely.CompiledQuery) {
      requireStorable(parameters);
      // A `with` may write. A statement that was written by hand is not looked into.
      const writes = query.kind !== 'SelectQueryNode' || query.with !== undefined;
      const { rows, changes } = await run({ sql, values: parameters, writes });
      // Kysely knows the type from the query.
      return { rows: rows as never[], numAffectedRows: changes };
    },
    streamQuery() {
      throw new Error('a query is not streamed: ask for a page after the other');
    },
  };
  class Driver extends DummyDriver {
    override acquireConnection(): Promise<kysely.DatabaseConnection> {
      return Promise.resolve(connection);
    }
  }
  const dialect: kysely.Dialect = {
    createDriver: () => new Driver(),
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (database) => new Introspector(database),
  };
  return new Kysely<Tables>({ dialect, plugins: [EMPTY_LISTS] });
}
