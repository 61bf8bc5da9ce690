import { parseArgs } from 'node:util';
import { compare, type Plan, show } from './comparison.ts';
import { NoCompiler } from '../support/slow-disk.ts';
import { slowDisk } from './disk.ts';
import { measureEndurance } from './endurance.ts';
import { measureGrowth } from './growth.ts';
import { measureImport } from './import.ts';
import { cleanUp, Scratch } from './processes.ts';
import { type Circumstances, record } from './results.ts';
import { NAMES, onPostgres } from './servers.ts';
import { hasSetting } from './settings.ts';
import { measureStart } from './start.ts';

/** What is compared, and with which of them. */
type Field = Pick<Plan, 'servers' | 'subject'>;
const ON_SQLITE: Field = {
  servers: NAMES.filter((name) => !onPostgres(name) && !hasSetting(name)),
  subject: 'service',
};
const ON_POSTGRES: Field = { servers: ['service', ...NAMES.filter(onPostgres)], subject: 'service-postgres' };
const WITH_SETTINGS: Field = { servers: ['service', ...NAMES.filter(hasSetting)], subject: 'service' };

const USAGE = `npm run bench               this service and its peers, and how fast it starts
npm run bench -- --slow-disk    the same with 5 ms added to each fsync
npm run bench -- --postgres     this service on PostgreSQL, against SQLite and against Fastify
npm run bench -- --settings     this service as it comes, against itself with settings that cost something
npm run bench -- --grow N       the speed on stores of up to N plants
npm run bench -- --endure N     the memory after up to N creates
npm run bench -- --import N     the speed of import and export, of N plants
npm run bench -- --quick        all of it for a moment, to see that it works; records nothing
  --rounds 5                    how often everything is measured

A comparison of one's own, also with --slow-disk, --postgres or --settings, which is not recorded:
  --only NAMES         of ${ON_SQLITE.servers.join(', ')};
                       with --postgres also of ${NAMES.filter(onPostgres).join(', ')};
                       with --settings of ${WITH_SETTINGS.servers.join(', ')}
  --connections 8,64   --seconds 5   --ids sequential|random`;

/** The first seconds of a server are those of V8, which compiles. */
const WARM_UP_SECONDS = 5;

const OPTIONS = {
  'slow-disk': { type: 'boolean', default: false },
  postgres: { type: 'boolean', default: false },
  settings: { type: 'boolean', default: false },
  grow: { type: 'string' },
  endure: { type: 'string' },
  import: { type: 'string' },
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '5' },
  only: { type: 'string' },
  connections: { type: 'string' },
  seconds: { type: 'string' },
  ids: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function number(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${text} is not a number from 1 on; see npm run bench -- --help`);
  return Number(text);
}

function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${text} is none of ${names.join(', ')}`);
  return found;
}

/** Prints what was measured, and keeps it in RESULTS.md. */
function publish(heading: string, body: string, known: Circumstances = {}): void {
  console.log(`\n${heading}\n\n${body}`);
  record(heading, ['npm run bench --', ...process.argv.slice(2)].join(' ').replace(/ --$/, ''), body, known);
}

const comparison = async (plan: Plan) => show(await compare(plan), plan.subject);

async function peers(plan: Plan): Promise<void> {
  publish('The service and its peers', await comparison(plan));
  const random: Plan = { ...plan, servers: ['service', 'bare', 'fastify-commit'], connections: [64], ids: 'random' };
  publish('The same with random ids', await comparison(random));
  publish('Start', await measureStart(plan.rounds));
}

async function slow(plan: Plan): Promise<void> {
  using scratch = new Scratch();
  const environment = slowDisk(scratch);
  publish('A slow disk', await comparison({ ...plan, environment }), { environment });
}

async function onPostgresToo(plan: Plan): Promise<void> {
  const note = 'CPU and memory are those of the process of the server: what PostgreSQL itself takes comes on top.';
  publish('PostgreSQL', `${await comparison(plan)}\n${note}`, { postgres: true });
}

async function withSettings(plan: Plan): Promise<void> {
  const note = 'service-metrics has ADMIN_PORT set, and its /metrics read each second.';
  publish('What settings cost', `${await comparison(plan)}\n${note}`);
}

async function ownComparison(plan: Plan, onSlowDisk: boolean): Promise<void> {
  using scratch = new Scratch();
  console.log(await comparison({ ...plan, environment: onSlowDisk ? slowDisk(scratch) : {} }));
}

async function grow(plan: Plan, plants: number): Promise<void> {
  // Empty, and in steps of ten from a thousand.
  const steps = Array.from({ length: 8 }, (_, step) => 10 ** (step + 3)).filter((size) => size < plants);
  publish('Growth', await measureGrowth([0, ...steps, plants], plan));
}

async function endure(creates: number): Promise<void> {
  publish('Endurance', await measureEndurance(creates));
}

async function data(plants: number, rounds: number): Promise<void> {
  publish('Import and export', await measureImport(plants, rounds), { postgres: true });
}

/** Everything for a moment: what a machine that has other things to do can check of this. */
async function quick(plan: Plan): Promise<void> {
  const moment: Plan = { ...plan, connections: [8], rounds: 1, warmUpSeconds: 0.2, seconds: 0.3 };
  console.log(await comparison(moment));
  console.log(await comparison({ ...moment, ...ON_POSTGRES }));
  console.log(await comparison({ ...moment, ...WITH_SETTINGS }));
  console.log(await measureStart(1));
  console.log(await measureGrowth([0, 1000], moment));
  console.log(await measureEndurance(1000));
  console.log(await measureImport(1000, 1));
  using scratch = new Scratch();
  try {
    const environment = slowDisk(scratch);
    console.log(await comparison({ ...moment, servers: ['service', 'fastify-commit'], environment }));
  } catch (error) {
    if (!(error instanceof NoCompiler)) throw error;
    console.log(error.message);
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  const { only, connections = '8,64,256', seconds = '5', ids = 'sequential' } = options;
  const { 'slow-disk': onSlowDisk, postgres, settings } = options;
  const { servers, subject } = postgres ? ON_POSTGRES : settings ? WITH_SETTINGS : ON_SQLITE;
  const names = postgres ? [...ON_SQLITE.servers, ...servers] : servers;
  const plan: Plan = {
    subject,
    servers: only === undefined ? servers : [...new Set(only.split(',').map((name) => oneOf(names, name)))],
    connections: connections.split(',').map(number),
    ids: oneOf(['sequential', 'random'], ids),
    rounds: number(options.rounds),
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: number(seconds),
    environment: {},
  };
  const modes = [
    onSlowDisk,
    postgres,
    settings,
    options.grow !== undefined,
    options.endure !== undefined,
    options.import !== undefined,
    options.quick,
  ];
  const own = [only, options.connections, options.seconds, options.ids].some((option) => option !== undefined);
  if (modes.filter(Boolean).length > 1)
    throw new Error('one at a time of --slow-disk, --postgres, --settings, --grow, --endure, --import and --quick');
  if (options.help) console.log(USAGE);
  else if (options.quick) await quick(plan);
  else if (options.grow !== undefined) await grow(plan, number(options.grow));
  else if (options.endure !== undefined) await endure(number(options.endure));
  else if (options.import !== undefined) await data(number(options.import), plan.rounds);
  else if (own) await ownComparison(plan, onSlowDisk);
  else if (onSlowDisk) await slow(plan);
  else if (postgres) await onPostgresToo(plan);
  else if (settings) await withSettings(plan);
  else await peers(plan);
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
  // What failed while all was ended has its cause in what failed before.
  while (error instanceof SuppressedError) error = error.suppressed;
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
