import { PostgresServer } from '../../test/support/postgres.ts';
import type { Load } from './load.ts';
import { type OperationName, OPERATIONS } from './operations.ts';
import { median, table } from './results.ts';
import {
  endings,
  type Measured,
  onPostgres,
  type Place,
  RunningServer,
  Scratch,
  type ServerName,
  type Surroundings,
} from './servers.ts';

export interface Plan {
  readonly servers: readonly ServerName[];
  /** The id of the server that the table compares with each other server. */
  readonly subject: ServerName;
  readonly operations: readonly OperationName[];
  /** The statements that fill the tables before a server starts. */
  readonly filling: readonly string[];
  readonly connections: readonly number[];
  readonly ids: Load['ids'];
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly surroundings: Surroundings;
}

/** The measurements of one server with one operation and number of connections: one for each round. */
interface Series {
  readonly server: ServerName;
  readonly operation: OperationName;
  readonly connections: number;
  readonly rounds: Measured[];
}

/**
 * Puts the same load on each server in turn. Each round begins with another server, so that other work of the machine
 * affects all servers. In each round, the bench starts each server on a new store, and measures it with each operation
 * and number of connections.
 */
async function compare(plan: Plan): Promise<Series[]> {
  const series = plan.servers.flatMap((server) =>
    plan.operations.flatMap((operation) =>
      plan.connections.map((connections): Series => ({ server, operation, connections, rounds: [] })),
    ),
  );
  using disk = new Scratch();
  await using postgres = plan.servers.some(onPostgres) ? await startPostgres(disk) : undefined;
  for (let round = 1; round <= plan.rounds; round++) {
    const first = round % plan.servers.length;
    for (const server of [...plan.servers.slice(first), ...plan.servers.slice(0, first)]) {
      using scratch = new Scratch();
      const database = onPostgres(server) ? await postgres?.createDatabase() : undefined;
      const place: Place =
        postgres === undefined || database === undefined
          ? scratch
          : { folder: scratch.folder, url: postgres.url(database), query: (sql) => postgres.query(sql, database) };
      console.error(`round ${round}: ${server}`);
      const own = series.filter((each) => each.server === server);
      for (const [query, answers] of await trial(plan, server, place, own)) {
        const [row = {}] = await place.query(query);
        const kept = Number(Object.values(row)[0]);
        if (kept !== answers) throw new Error(`${server} kept ${kept} of ${answers} answered requests: ${query}`);
      }
      // Dropping a database makes PostgreSQL write a checkpoint, which must not happen during the next measurement.
      if (database !== undefined) await postgres?.query(`drop database ${database} with (force)`);
    }
  }
  return series;
}

/** Measures a server for one round. Returns the number of answers, by the query that counts the requests in the store. */
async function trial(
  { operations, ids, seconds, warmUpSeconds, surroundings, filling }: Plan,
  server: ServerName,
  place: Place,
  own: readonly Series[],
): Promise<Map<string, number>> {
  await using running = await RunningServer.start(server, place, surroundings, filling);
  const answers = new Map<string, number>();
  const measure = async (operation: OperationName, load: Pick<Load, 'connections' | 'seconds' | 'warmUpSeconds'>) => {
    const measured = await running.measure({ ...load, operation, ids });
    const { kept } = OPERATIONS[operation];
    if (kept !== undefined) answers.set(kept, (answers.get(kept) ?? 0) + measured.allAnswers);
    return measured;
  };
  for (const operation of operations) {
    // One warm-up serves all numbers of connections. An operation beside other work needs none: it was measured alone before.
    if (OPERATIONS[operation].beside === undefined)
      await measure(operation, { connections: 64, seconds: warmUpSeconds, warmUpSeconds: 0 });
    for (const { connections, rounds } of own.filter((each) => each.operation === operation)) {
      // In this second of warm-up, all connections open.
      const measured = await measure(operation, { connections, seconds, warmUpSeconds: Math.min(1, warmUpSeconds) });
      rounds.push(measured);
      console.error(`  ${operation}, ${connections} connections: ${Math.round(rate(measured))}/s`);
    }
  }
  return answers;
}

/**
 * Starts PostgreSQL on the disk of the SQLite stores, with the default size of shared memory. (The tests use less, as
 * they run many servers at once.) PostgreSQL may use every core, but the server and the load only one each.
 */
async function startPostgres({ folder }: Scratch): Promise<PostgresServer> {
  const server = await PostgresServer.prepare(folder);
  endings.add(() => server.stopNow());
  await server.initialise({ shared_buffers: '128MB' });
  return server;
}

const rate = ({ answers, seconds }: Measured) => answers / seconds;
const cpu = ({ cpuMicroseconds }: Measured) => cpuMicroseconds;

/** Makes a table for each number of connections. */
export async function comparison(plan: Plan): Promise<string> {
  const tables = Map.groupBy(await compare(plan), ({ connections }) => connections);
  const place = plan.surroundings.isPinned === false ? ', server and load on any core' : '';
  const show = plan.operations.length > 1 ? byOperation : byServer;
  return [...tables].map(([connections, rows]) => show(`${connections} connections${place}`, rows, plan)).join('\n');
}

const of = (row: Series, value: (measured: Measured) => number) => median(row.rounds.map(value));

/** Divides the value of one server by that of another in each round, and returns the median. */
function ratio(own: Series | undefined, row: Series, value: (measured: Measured) => number): string {
  if (own === undefined) return '–';
  const ratios = row.rounds.flatMap((each, round) => {
    const ours = own.rounds[round];
    return ours === undefined ? [] : [value(ours) / value(each)];
  });
  return `${median(ratios).toFixed(2)} ×`;
}

/** The median of the rates, marked if the load generator used its whole core, so that the server could do more. */
const shownRate = (row: Series) => `${of(row, ({ busy }) => busy) > 0.95 ? '≥ ' : ''}${of(row, rate).toFixed(0)}`;

/** A row for each operation. The last columns compare the subject with each other server. */
function byOperation(title: string, all: readonly Series[], { servers, operations, subject }: Plan): string {
  const others = servers.filter((server) => server !== subject).flatMap((server) => [`to ${server}`, 'CPU']);
  const rows = operations.map((operation) => {
    const row = all.filter((each) => each.operation === operation);
    const own = row.find(({ server }) => server === subject);
    return [
      operation,
      ...row.flatMap((each) => [shownRate(each), of(each, ({ p99 }) => p99).toFixed(2), of(each, cpu).toFixed(1)]),
      ...row.filter((each) => each !== own).flatMap((each) => [ratio(own, each, rate), ratio(own, each, cpu)]),
    ];
  });
  return table(title, ['', ...servers.flatMap((server) => [`${server}/s`, 'p99 ms', 'CPU µs']), ...others], rows);
}

/** A row for each server. The last columns compare the subject with each of them. */
function byServer(title: string, rows: readonly Series[], { subject }: Plan): string {
  const own = rows.find(({ server }) => server === subject);
  return table(
    title,
    ['', 'creates/s', 'rounds', 'p50 ms', 'p99 ms', 'CPU µs', 'peak MB so far', `${subject}: creates`, 'CPU', 'p99'],
    rows.map((row) => {
      const rates = row.rounds.map(rate);
      return [
        row.server,
        shownRate(row),
        `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`,
        of(row, ({ p50 }) => p50).toFixed(2),
        of(row, ({ p99 }) => p99).toFixed(2),
        of(row, cpu).toFixed(1),
        (of(row, ({ peakBytes }) => peakBytes) / 1e6).toFixed(0),
        ratio(own, row, rate),
        ratio(own, row, cpu),
        ratio(own, row, ({ p99 }) => p99),
      ];
    }),
  );
}
