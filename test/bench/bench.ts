import { parseArgs } from 'node:util';
import { NoCompiler } from '../support/slow-disk.ts';
import { comparison, type Plan } from './comparison.ts';
import { slowDisk } from './disk.ts';
import { measureGrowth } from './growth.ts';
import { profile } from './profile.ts';
import { type Circumstances, record } from './results.ts';
import { cleanUp, NAMES, onPostgres, Scratch } from './servers.ts';

const ON_SQLITE = NAMES.filter((name) => !onPostgres(name));
const ON_POSTGRES = NAMES.filter(onPostgres);

const USAGE = `npm run bench                   this service and its peers
npm run bench -- --slow-disk    the same with 5 ms added to each fsync
npm run bench -- --postgres     this service on PostgreSQL, against SQLite and against Fastify
npm run bench -- --grow N       the speed on stores of up to N items
npm run bench -- --profile      where the time of a create goes, by module and by function; records nothing
npm run bench -- --quick        each of these for a moment, to test the bench itself; records nothing
  --rounds 5                    the number of measurements of each server

A comparison of your choice, also with --slow-disk or --postgres; records nothing:
  --only NAMES                  of ${ON_SQLITE.join(', ')};
                                with --postgres also of ${ON_POSTGRES.join(', ')}
  --connections 8,64  --seconds 5  --ids sequential|random`;

const OPTIONS = {
  'slow-disk': { type: 'boolean', default: false },
  postgres: { type: 'boolean', default: false },
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

/** Makes each measurement very short, so that a test of the bench itself ends soon. */
async function quick(plan: Plan): Promise<void> {
  const moment: Plan = { ...plan, connections: [8], rounds: 1, warmUpSeconds: 0.2, seconds: 0.3 };
  console.log(await comparison(moment));
  console.log(await comparison({ ...moment, servers: ON_POSTGRES, subject: 'service-postgres' }));
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
  const {
    only,
    connections = '8,64,256',
    seconds = '5',
    ids = 'sequential',
    postgres,
    'slow-disk': onSlowDisk,
  } = options;
  const modes = [onSlowDisk, postgres, options.grow !== undefined, options.profile, options.quick];
  if (modes.filter(Boolean).length > 1)
    throw new Error('choose one of --slow-disk, --postgres, --grow, --profile and --quick');
  if (options.help) {
    console.log(USAGE);
    return;
  }
  using scratch = new Scratch();
  const environment = onSlowDisk ? slowDisk(scratch) : {};
  const servers = postgres ? (['service', ...ON_POSTGRES] as const) : ON_SQLITE;
  const plan: Plan = {
    subject: postgres ? 'service-postgres' : 'service',
    servers: only?.split(',').map((name) => oneOf(postgres ? NAMES : ON_SQLITE, name)) ?? servers,
    connections: connections.split(',').map(number),
    ids: oneOf(['sequential', 'random'], ids),
    rounds: number(options.rounds),
    // In the first seconds of a server, V8 still compiles its code.
    warmUpSeconds: 10,
    seconds: number(seconds),
    surroundings: { environment },
  };
  const own = [only, options.connections, options.seconds, options.ids].some((option) => option !== undefined);
  if (options.quick) await quick(plan);
  else if (options.profile) {
    for (const each of connections === '8,64,256' ? [64] : plan.connections)
      console.log(await profile({ ...plan, connections: each }));
  } else if (options.grow !== undefined) publish('Growth', await grow(plan, number(options.grow)));
  else if (own) console.log(await comparison(plan));
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
