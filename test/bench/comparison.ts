import type { Load } from './load.ts';
import { PostgresServer } from '../support/postgres.ts';
import { median, table } from './results.ts';
import {
  endings,
  type Measured,
  onPostgres,
  RunningServer,
  Scratch,
  type ServerName,
  type Surroundings,
} from './servers.ts';

export interface Plan {
  readonly servers: readonly ServerName[];
  /** The id of the server that the table compares with each other server. */
  readonly subject: ServerName;
  readonly connections: readonly number[];
  readonly ids: Load['ids'];
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly surroundings: Surroundings;
}

/** The measurements of one server with one number of connections: one measurement for each round. */
interface Series {
  readonly server: ServerName;
  readonly connections: number;
  readonly rounds: Measured[];
}

/**
 * Puts the same load on each server in turn. Each round begins with another server, so that other work of the machine
 * affects all servers. In each round, the bench starts each server on an empty store, and measures it with each number
 * of connections.
 */
async function compare(plan: Plan): Promise<Series[]> {
  const series = plan.servers.flatMap((server) =>
    plan.connections.map((connections): Series => ({ server, connections, rounds: [] })),
  );
  using disk = new Scratch();
  await using postgres = plan.servers.some(onPostgres) ? await startPostgres(disk) : undefined;
  for (let round = 1; round <= plan.rounds; round++) {
    const first = round % plan.servers.length;
    for (const server of [...plan.servers.slice(first), ...plan.servers.slice(0, first)]) {
      using scratch = new Scratch();
      const database = onPostgres(server) ? await postgres?.createDatabase() : undefined;
      const place = { folder: scratch.folder, url: (database && postgres?.url(database)) ?? scratch.url };
      await using running = await RunningServer.start(server, place, plan.surroundings);
      const { ids, seconds, warmUpSeconds } = plan;
      // The warm-up is the same for each number of connections.
      await running.measure({ connections: 64, ids, seconds: warmUpSeconds, warmUpSeconds: 0 });
      for (const each of series) {
        if (each.server !== server) continue;
        const { connections } = each;
        // During this second, all connections open.
        const measured = await running.measure({ connections, ids, seconds, warmUpSeconds: 1 });
        each.rounds.push(measured);
        const speed = Math.round(rate(measured));
        console.error(`round ${round}: ${server}, ${connections} connections: ${speed}/s`);
      }
      // Dropping a database makes PostgreSQL write a checkpoint, which must not happen during the next measurement.
      if (database !== undefined) await postgres?.query(`drop database ${database} with (force)`);
    }
  }
  return series;
}

/**
 * Starts PostgreSQL on the disk of the SQLite stores, with the default size of shared memory. (The tests use less, as
 * they run many servers at once.) PostgreSQL may use every core, but the server and the load only one each.
 */
async function startPostgres({ folder }: Scratch): Promise<PostgresServer> {
  const server = await PostgresServer.prepare(folder);
  endings.add(() => {
    server.stopNow();
  });
  await server.initialise({ shared_buffers: '128MB' });
  return server;
}

const rate = ({ creates, seconds }: Measured) => creates / seconds;

/** Makes a table for each number of connections. Its last columns compare the subject with each server. */
export async function comparison(plan: Plan): Promise<string> {
  const tables = Map.groupBy(await compare(plan), ({ connections }) => connections);
  const place = plan.surroundings.isPinned === false ? ', server and load on any core' : '';
  return [...tables]
    .map(([connections, rows]) => showOne(`${connections} connections${place}`, rows, plan.subject))
    .join('\n');
}

function showOne(title: string, rows: readonly Series[], subject: ServerName): string {
  const own = rows.find(({ server }) => server === subject);
  const of = (row: Series, value: (measured: Measured) => number) => median(row.rounds.map(value));
  /** Divides the value of the subject by that of another server in each round, and returns the median. */
  const ratio = (row: Series, value: (measured: Measured) => number) => {
    if (own === undefined) return '–';
    const ratios = row.rounds.flatMap((each, round) => {
      const ours = own.rounds[round];
      return ours === undefined ? [] : [value(ours) / value(each)];
    });
    return `${median(ratios).toFixed(2)} ×`;
  };
  return table(
    title,
    ['', 'creates/s', 'rounds', 'p50 ms', 'p99 ms', 'CPU µs', 'peak MB so far', `${subject}: creates`, 'CPU', 'p99'],
    rows.map((row) => {
      const rates = row.rounds.map(rate);
      return [
        row.server,
        // The load generator used its whole core, so the server could do more.
        `${of(row, ({ busy }) => busy) > 0.95 ? '≥ ' : ''}${median(rates).toFixed(0)}`,
        `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`,
        of(row, ({ p50 }) => p50).toFixed(2),
        of(row, ({ p99 }) => p99).toFixed(2),
        of(row, ({ cpuMicroseconds }) => cpuMicroseconds).toFixed(1),
        (of(row, ({ peakBytes }) => peakBytes) / 1e6).toFixed(0),
        ratio(row, rate),
        ratio(row, ({ cpuMicroseconds }) => cpuMicroseconds),
        ratio(row, ({ p99 }) => p99),
      ];
    }),
  );
}
