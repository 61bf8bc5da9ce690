import { parseArgs } from 'node:util';
import { NoCompiler } from '../../test/support/slow-disk.ts';
import { comparison, type Plan } from './comparison.ts';
import { slowDisk } from './disk.ts';
import { measureGrowth } from './growth.ts';
import { checkPeers, installPeers, PEERS } from './installed-peers.ts';
import { filling, type OperationName, TOLD } from './operations.ts';
import { profile } from './profile.ts';
import { type Circumstances, record } from './results.ts';
import { cleanUp, NAMES, onPostgres, Scratch, type ServerName } from './servers.ts';

const ON_SQLITE = NAMES.filter((name) => !onPostgres(name));
const ON_POSTGRES = NAMES.filter(onPostgres);
/** The servers that serve each kind of request. */
const COMPLETE: readonly ServerName[] = ['service', 'fastify-commit', ...ON_POSTGRES];

const KINDS: readonly OperationName[] = ['constant', 'look-up', 'list of 20', 'insert', 'patch', 'transfer'];
const WRITES: readonly OperationName[] = ['insert', 'patch', 'transfer'];
const BESIDE: readonly OperationName[] = [
  'create',
  'create beside scans of the table',
  'create beside transactions that wait 40 ms',
];

const READS: readonly OperationName[] = ['look-up', 'look-up beside scans of a table'];

/** The number of items of the table that long work scans. */
const LARGE = 1_000_000;

const USAGE = `npm run bench                   this service and its peers
npm run bench -- --slow-disk    the same with 5 ms added to each fsync
npm run bench -- --postgres     this service on PostgreSQL, against SQLite and against Fastify
npm run bench -- --operations   each kind of request, against Fastify; also with --slow-disk or --postgres
npm run bench -- --grow N       the speed on stores of up to N items
npm run bench -- --profile      where the time of a create goes, by module and by function; records nothing
npm run bench -- --quick        each of these for a moment, to test the bench itself; records nothing
  --rounds 5                    the number of measurements of each server

A comparison of your choice, also with --slow-disk, --postgres or --operations; records nothing:
  --only NAMES                  of ${ON_SQLITE.join(', ')};
                                with --postgres also of ${ON_POSTGRES.join(', ')}
  --connections 8,64  --seconds 5  --ids sequential|random`;

const OPTIONS = {
  'slow-disk': { type: 'boolean', default: false },
  postgres: { type: 'boolean', default: false },
  operations: { type: 'boolean', default: false },
  grow: { type: 'string' },
  profile: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '5' },
  only: { type: 'string' },
  connections: { type: 'string' },
  seconds: { type: 'string' },
  ids: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function number(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${text} must be a positive integer: see npm run bench -- --help`);
  return Number(text);
}

function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${text} must be one of ${names.join(', ')}`);
  return found;
}

/** Prints a result, and records it in RESULTS.md. */
function publish(heading: string, body: string, known: Circumstances = {}): void {
  console.log(`\n${heading}\n\n${body}`);
  record(heading, ['npm run bench --', ...process.argv.slice(2)].join(' ').replace(/ --$/, ''), body, known);
}

async function grow(plan: Plan, items: number): Promise<string> {
  // The sizes are 0, 1,000, and the next powers of ten.
  const steps = Array.from({ length: 8 }, (_, step) => 10 ** (step + 3)).filter((size) => size < items);
  return await measureGrowth([0, ...steps, items], plan);
}

/** Compares the kinds of requests, and then creates and look-ups beside long work. */
async function operations(plan: Plan, rows: number): Promise<string> {
  const beside: Plan = { ...plan, servers: [plan.subject], operations: BESIDE, filling: filling(rows) };
  if (!plan.servers.includes(plan.subject)) return await comparison(plan);
  const reads: Plan = { ...plan, operations: READS, filling: filling(rows) };
  const note = `The creates of the second table go into ${rows.toLocaleString('en')} items, which the scans of both read.`;
  return `${await comparison(plan)}\n${await comparison(beside)}\n${await comparison(reads)}\n${TOLD} ${note}`;
}

/** Makes each measurement very short, so that a test of the bench itself ends soon. */
async function quick(plan: Plan): Promise<void> {
  checkPeers();
  const moment: Plan = { ...plan, connections: [8], rounds: 1, warmUpSeconds: 0.1, seconds: 0.2 };
  console.log(await comparison(moment));
  const kinds: Plan = { ...moment, servers: ['service', 'fastify-commit'], operations: KINDS, filling: filling(0) };
  console.log(await operations(kinds, 1000));
  const more = {
    servers: ON_POSTGRES,
    subject: 'service-postgres',
    operations: ['create', 'look-up', ...WRITES],
  } as const;
  console.log(await comparison({ ...kinds, ...more }));
  console.log(await grow(moment, 1000));
  using scratch = new Scratch();
  try {
    const environment = slowDisk(scratch);
    console.log(await comparison({ ...moment, servers: ['service', 'fastify-commit'], surroundings: { environment } }));
  } catch (error) {
    if (!(error instanceof NoCompiler)) throw error;
    console.log(error.message);
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  const { only, operations: byKind, postgres, 'slow-disk': onSlowDisk, seconds = '5', ids = 'sequential' } = options;
  const { connections = byKind ? (onSlowDisk ? '256' : '64') : '8,64,256' } = options;
  const others = [options.grow !== undefined, options.profile, options.quick];
  if ([onSlowDisk, postgres, ...others].filter(Boolean).length > 1 || (byKind && others.some(Boolean)))
    throw new Error(
      'choose one of --slow-disk, --postgres, --grow, --profile and --quick; --operations goes with the first two only',
    );
  if (options.help) {
    console.log(USAGE);
    return;
  }
  using scratch = new Scratch();
  const environment = onSlowDisk ? slowDisk(scratch) : {};
  const creators: readonly ServerName[] = postgres ? ['service', ...ON_POSTGRES] : ON_SQLITE;
  const servers = byKind ? COMPLETE.filter((name) => onPostgres(name) === postgres) : creators;
  const plan: Plan = {
    subject: postgres ? 'service-postgres' : 'service',
    servers: only?.split(',').map((name) => oneOf(postgres ? NAMES : ON_SQLITE, name)) ?? servers,
    operations: byKind ? (onSlowDisk ? WRITES : KINDS) : ['create'],
    filling: byKind ? filling(0) : [],
    connections: connections.split(',').map(number),
    ids: oneOf(['sequential', 'random'], ids),
    rounds: number(options.rounds),
    // In the first seconds of a server, V8 still compiles its code.
    warmUpSeconds: byKind ? 3 : 10,
    seconds: number(seconds),
    surroundings: { environment },
  };
  const isOfPeer = (server: string) => PEERS.some(([name]) => server.startsWith(name));
  if (!options.profile && options.grow === undefined && plan.servers.some(isOfPeer)) installPeers();
  const own = [only, options.connections, options.seconds, options.ids].some((option) => option !== undefined);
  if (options.quick) await quick(plan);
  else if (options.profile) {
    for (const each of options.connections === undefined ? [64] : plan.connections)
      console.log(await profile({ ...plan, operation: 'create', connections: each }));
  } else if (options.grow !== undefined) publish('Growth', await grow(plan, number(options.grow)));
  else if (byKind) {
    const body = onSlowDisk ? `${await comparison(plan)}\n${TOLD}` : await operations(plan, LARGE);
    const place = onSlowDisk ? ', on a slow disk' : postgres ? ', on PostgreSQL' : '';
    if (own) console.log(body);
    else publish(`Kinds of requests${place}`, body, { environment, postgres });
  } else if (own) console.log(await comparison(plan));
  else if (onSlowDisk) publish('A slow disk', await comparison(plan), { environment });
  else if (postgres) {
    const note = "CPU and memory are those of the server's process, without those of PostgreSQL.";
    publish('PostgreSQL', `${await comparison(plan)}\n${note}`, { postgres: true });
  } else {
    const shared: Plan = { ...plan, connections: [64], surroundings: { isPinned: false } };
    publish('The service and its peers', `${await comparison(plan)}\n${await comparison(shared)}`);
  }
}

process
  .on('SIGINT', () => process.exit(130))
  .on('SIGTERM', () => process.exit(143))
  .on('SIGHUP', () => process.exit(129))
  .on('exit', cleanUp);
try {
  await main();
} catch (thrown) {
  let error: unknown = thrown;
  // If disposal fails after another error, that first error is the suppressed one.
  while (error instanceof SuppressedError) error = error.suppressed;
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
