import type * as kysely from 'kysely';
import { ExplainedError } from 'trellis-contract/ground';
import { loadKysely } from './kysely.ts';
import type { Database } from './queries.ts';
import type { Result, Statement } from './engine.ts';
import type { Queried, Tables, Written } from './tables.ts';
import { resultOf, taken } from './values.ts';

const {
  DefaultQueryExecutor,
  OperationNodeTransformer,
  PostgresAdapter,
  PostgresQueryCompiler,
  QueryCreator,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteQueryCompiler,
} = loadKysely();

/** Copies a query, and replaces `in ()`, which matches nothing on SQLite and is a syntax error on PostgreSQL. */
class EmptyLists extends OperationNodeTransformer {
  // HandleEmptyInListsPlugin of Kysely would not look into the operands, which may be queries.
  protected override transformBinaryOperation(node: kysely.BinaryOperationNode, queryId?: kysely.QueryId) {
    return super.transformBinaryOperation(
      hasEmptyList(node) ? replaceWithNoncontingentExpression(node) : node,
      queryId,
    );
  }
}
const EMPTY_LISTS = new EmptyLists();

function hasEmptyList(node: kysely.BinaryOperationNode): node is kysely.EmptyInListNode {
  const { operator } = node.operator as kysely.OperatorNode;
  const { values } = node.rightOperand as Partial<kysely.ValueListNode>;
  return (operator === 'in' || operator === 'not in') && values?.length === 0;
}

/** What a query was given when it was called, or the error because of which it cannot run. */
export type Asked<Given> = Given | Error;

/** `asked` keeps the values of the call: Kysely runs a query with a plugin only some microtasks later. */
interface Compiled extends kysely.CompiledQuery {
  readonly asked: Asked<Statement>;
}

const ANY_OF_LIST = /\bany\s*\(\s*[$?]/i;

/** PostgreSQL refuses a negative limit or offset. SQLite ignores it, and would return all rows. */
function requireNotNegative(name: string, node: kysely.OperationNode | undefined): void {
  const { value } = (node ?? {}) as Partial<kysely.ValueNode>;
  if ((typeof value === 'number' || typeof value === 'bigint') && value < 0)
    throw new Error(
      `the ${name} ${value} is negative: give the parameter that it comes from a minimum in the contract`,
    );
}

function asStatement({ sql, parameters, query }: kysely.CompiledQuery): Statement {
  const { orAction } = query as Partial<kysely.InsertQueryNode>;
  if (orAction !== undefined)
    throw new Error(`only SQLite knows \`or ${orAction.action}\`: use \`onConflict\`, which both engines have`);
  if (parameters.some(Array.isArray) && ANY_OF_LIST.test(sql))
    throw new Error('only PostgreSQL knows `any` of a list: use `in`, which both engines have');
  const { limit, offset } = query as Partial<kysely.SelectQueryNode>;
  requireNotNegative('limit', limit?.limit);
  requireNotNegative('offset', offset?.offset);
  return { sql, values: parameters.map(taken), writes: query.kind !== 'SelectQueryNode' };
}

class StatementCompiler implements kysely.QueryCompiler {
  private readonly compiler: kysely.QueryCompiler;

  constructor(compiler: kysely.QueryCompiler) {
    this.compiler = compiler;
  }

  compileQuery(...[node, queryId]: Parameters<kysely.QueryCompiler['compileQuery']>): Compiled {
    let compiled = this.compiler.compileQuery(node, queryId);
    if (compiled.sql.includes('in ()'))
      compiled = this.compiler.compileQuery(EMPTY_LISTS.transformNode(node, queryId), queryId);
    return { ...compiled, asked: resultOf(() => asStatement(compiled)) };
  }
}

const DIALECTS = {
  sqlite: [new StatementCompiler(new SqliteQueryCompiler()), new SqliteAdapter()],
  postgres: [new StatementCompiler(new PostgresQueryCompiler()), new PostgresAdapter()],
} as const;

type RunAsked = (asked: Asked<Statement>) => Promise<Result>;

/** Runs a query at once: for one with a plugin, Kysely makes eight promises, which cost more than its compilation. */
class Executor extends DefaultQueryExecutor {
  private readonly run: RunAsked;

  constructor(engine: keyof typeof DIALECTS, run: RunAsked) {
    const connection: kysely.DatabaseConnection = {
      executeQuery: (compiled) => this.executeQuery(compiled),
      streamQuery() {
        throw new Error('streaming is not supported: read page by page, with a limit');
      },
    };
    const [compiler, adapter] = DIALECTS[engine];
    super(compiler, adapter, { provideConnection: (consumer) => consumer(connection) });
    this.run = run;
  }

  override async executeQuery<Row>(compiled: kysely.CompiledQuery): Promise<kysely.QueryResult<Row>> {
    try {
      const { rows, changes } = await this.run((compiled as Compiled).asked);
      return { rows: rows as Row[], numAffectedRows: changes };
    } catch (error) {
      // The frames of the engine do not say which operation asked: those from here on do.
      if (Error.isError(error) && !(error instanceof ExplainedError)) Error.captureStackTrace(error);
      throw error;
    }
  }
}

/**
 * The queries of Kysely on an engine, and nothing that would commit, change the schema or hold a connection: transactions
 * are those of the engine, which alone can retry them.
 */
export function databaseOf<Of = Tables>(engine: keyof typeof DIALECTS, run: RunAsked): Database<Of> {
  const executor = new Executor(engine, run);
  const reading = new QueryCreator<Queried<Of>>({ executor });
  const writing = new QueryCreator<Written<Of>>({ executor });
  return {
    selectFrom: reading.selectFrom.bind(reading),
    insertInto: writing.insertInto.bind(writing),
    updateTable: writing.updateTable.bind(writing),
    deleteFrom: reading.deleteFrom.bind(reading),
  };
}
