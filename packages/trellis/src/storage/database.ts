import type * as kysely from 'kysely';
import { loadKysely } from './kysely.ts';
import type { Database, Result, Statement } from './store.ts';
import type { Queried, Tables, Written } from './tables.ts';
import { attempt, taken } from './values.ts';

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
} = loadKysely();

const DIALECTS = {
  sqlite: [SqliteQueryCompiler, SqliteAdapter, SqliteIntrospector],
  postgres: [PostgresQueryCompiler, PostgresAdapter, PostgresIntrospector],
} as const;

/** Replaces `in ()`, which matches nothing on SQLite and is a syntax error on PostgreSQL. It copies the whole query. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

/** A query as it was when it was called, or why it cannot be asked. */
export type Asked<Given> = Given | Error;

/** Kysely runs a query some microtasks after the call, in which its caller may change what the query holds. */
interface Compiled extends kysely.CompiledQuery {
  readonly asked: Asked<Statement>;
}

function asStatement({ sql, parameters, query }: kysely.CompiledQuery): Statement {
  const { orAction } = query as Partial<kysely.InsertQueryNode>;
  if (orAction !== undefined)
    throw new Error(`only SQLite knows \`or ${orAction.action}\`: use \`onConflict\`, which both engines have`);
  return { sql, values: parameters.map(taken), writes: query.kind !== 'SelectQueryNode' };
}

/**
 * The queries of Kysely on an engine, and nothing that would commit, change the schema or hold a connection: transactions
 * are those of the engine, which alone can retry them.
 */
export function databaseOf<Of = Tables>(
  engine: keyof typeof DIALECTS,
  run: (asked: Asked<Statement>) => Promise<Result>,
): Database<Of> {
  const [Compiler, Adapter, Introspector] = DIALECTS[engine];
  const connection: kysely.DatabaseConnection = {
    async executeQuery(compiled: kysely.CompiledQuery) {
      const { rows, changes } = await run((compiled as Compiled).asked);
      return { rows: rows as never[], numAffectedRows: changes };
    },
    streamQuery() {
      throw new Error('streaming is not supported: read page by page, with a limit');
    },
  };
  const dialect: kysely.Dialect = {
    createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: () => Promise.resolve(connection) }),
    createQueryCompiler: () => {
      const compiler = new Compiler();
      const compileQuery = (...[node, queryId]: Parameters<typeof compiler.compileQuery>): Compiled => {
        let compiled = compiler.compileQuery(node, queryId);
        if (compiled.sql.includes('in ()'))
          compiled = compiler.compileQuery(EMPTY_LISTS.transformQuery({ node, queryId }), queryId);
        return { ...compiled, asked: attempt(() => asStatement(compiled)) };
      };
      return { compileQuery };
    },
    createAdapter: () => new Adapter(),
    createIntrospector: (database) => new Introspector(database),
  };
  const all = new Kysely<Queried<Of>>({ dialect });
  const writing = all.withTables<Written<Of>>();
  return {
    selectFrom: all.selectFrom.bind(all),
    insertInto: writing.insertInto.bind(writing),
    updateTable: writing.updateTable.bind(writing),
    deleteFrom: all.deleteFrom.bind(all),
  };
}
