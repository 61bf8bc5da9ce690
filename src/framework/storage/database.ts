import { createRequire } from 'node:module';
import type * as kysely from 'kysely';
import type { Database, Run } from './store.ts';
import type { Queried, Tables } from './tables.ts';
import { isObject, Json, requireStorable } from './values.ts';

// Node loads the 250 files of Kysely by `require` in half the time that `import` takes.
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

/** Replaces `in ()`, which matches nothing on SQLite and is a syntax error on PostgreSQL. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

/**
 * The queries of Kysely on an engine, and nothing that would commit, change the schema or hold a connection: transactions
 * are those of the engine, which alone can retry them.
 */
export function databaseOf<Of = Tables>(engine: keyof typeof DIALECTS, run: Run): Database<Of> {
  const [Compiler, Adapter, Introspector] = DIALECTS[engine];
  const connection: kysely.DatabaseConnection = {
    async executeQuery({ sql, parameters, query }: kysely.CompiledQuery) {
      const values = parameters.map((value) => (isObject(value) ? new Json(value) : value));
      requireStorable(values);
      const { rows, changes } = await run({ sql, values, writes: query.kind !== 'SelectQueryNode' });
      return { rows: rows as never[], numAffectedRows: changes };
    },
    streamQuery() {
      throw new Error('streaming is not supported: read page by page, with a limit');
    },
  };
  const dialect: kysely.Dialect = {
    createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: () => Promise.resolve(connection) }),
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (database) => new Introspector(database),
  };
  const all = new Kysely<Queried<Of>>({ dialect, plugins: [EMPTY_LISTS] });
  return {
    selectFrom: all.selectFrom.bind(all),
    insertInto: all.insertInto.bind(all),
    updateTable: all.updateTable.bind(all),
    deleteFrom: all.deleteFrom.bind(all),
  };
}
