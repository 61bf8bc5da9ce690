import { parseArgs } from 'node:util';
import type { Plan } from './comparison.ts';
import { compare, show } from './comparison.ts';
import { NoCompiler, slowDisk } from './disk.ts';
import { measureEndurance } from './endurance.ts';
import { measureGrowth } from './growth.ts';
import { cleanUp, Scratch } from './processes.ts';
import { record } from './results.ts';
import type { ServerName } from './servers.ts';
import { SERVERS } from './servers.ts';
import { measureStart } from './start.ts';

const USAGE = `npm run bench               this service and its peers, and how fast it starts
npm run bench -- --slow-disk    the same with 5 ms added to each fsync
npm run bench -- --grow N       the speed on stores of up to N plants
npm run bench -- --endure N     the memory after up to N creates
npm run bench -- --quick        all of it for a moment, to see that it works; records nothing
  --rounds 5                    how often everything is measured

A comparison of one's own, also with --slow-disk, which is not recorded:
  --only NAMES         of ${Object.keys(SERVERS).join(', ')}
  --connections 8,64   --seconds 5   --ids sequential|random`;

/** The first seconds of a server are those of V8, which compiles. */
const WARM_UP_SECONDS = 5;

const OPTIONS = {
  'slow-disk': { type: 'boolean', default: false },
  grow: { type: 'string' },
  endure: { type: 'string' },
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
function publish(heading: string, body: string, environment: Plan['environment'] = {}): void {
  console.log(`\n${heading}\n\n${body}`);
  record(heading, ['npm run bench --', ...process.argv.slice(2)].join(' ').replace(/ --$/, ''), body, environment);
}

async function peers(plan: Plan): Promise<void> {
  publish('The service and its peers', show(await compare(plan)));
  const random: Plan = { ...plan, servers: ['service', 'bare', 'fastify-commit'], connections: [64], ids: 'random' };
  publish('The same with random ids', show(await compare(random)));
  publish('Start', await measureStart(plan.rounds));
}

async function slow(plan: Plan): Promise<void> {
  using scratch = new Scratch();
  const environment = slowDisk(scratch);
  publish('A slow disk', show(await compare({ ...plan, environment })), environment);
}

async function ownComparison(plan: Plan, onSlowDisk: boolean): Promise<void> {
  using scratch = new Scratch();
  console.log(show(await compare({ ...plan, environment: onSlowDisk ? slowDisk(scratch) : {} })));
}

async function grow(plan: Plan, plants: number): Promise<void> {
  // Empty, and in steps of ten from a thousand.
  const steps = Array.from({ length: 8 }, (_, step) => 10 ** (step + 3)).filter((size) => size < plants);
  publish('Growth', await measureGrowth([0, ...steps, plants], plan));
}

async function endure(creates: number): Promise<void> {
  publish('Endurance', await measureEndurance(creates));
}

/** Everything for a moment: what a machine that has other things to do can check of this. */
async function quick(plan: Plan): Promise<void> {
  const moment: Plan = { ...plan, connections: [8], rounds: 1, warmUpSeconds: 0.2, seconds: 0.3 };
  console.log(show(await compare(moment)));
  console.log(await measureStart(1));
  console.log(await measureGrowth([0, 1000], moment));
  console.log(await measureEndurance(1000));
  using scratch = new Scratch();
  try {
    const environment = slowDisk(scratch);
    console.log(show(await compare({ ...moment, servers: ['service', 'fastify-commit'], environment })));
  } catch (error) {
    if (!(error instanceof NoCompiler)) throw error;
    console.log(error.message);
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  const names = Object.keys(SERVERS) as ServerName[];
  const { only, connections = '8,64,256', seconds = '5', ids = 'sequential' } = options;
  const plan: Plan = {
    servers: only === undefined ? names : [...new Set(only.split(',').map((name) => oneOf(names, name)))],
    connections: connections.split(',').map(number),
    ids: oneOf(['sequential', 'random'], ids),
    rounds: number(options.rounds),
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: number(seconds),
    environment: {},
  };
  const modes = [options['slow-disk'], options.grow !== undefined, options.endure !== undefined, options.quick];
  const own = [only, options.connections, options.seconds, options.ids].some((option) => option !== undefined);
  if (modes.filter(Boolean).length > 1) throw new Error('one at a time of --slow-disk, --grow, --endure and --quick');
  if (options.help) console.log(USAGE);
  else if (options.quick) await quick(plan);
  else if (options.grow !== undefined) await grow(plan, number(options.grow));
  else if (options.endure !== undefined) await endure(number(options.endure));
  else if (own) await ownComparison(plan, options['slow-disk']);
  else if (options['slow-disk']) await slow(plan);
  else await peers(plan);
}

process
  .on('SIGINT', () => process.exit(130))
  .on('SIGTERM', () => process.exit(143))
  .on('SIGHUP', () => process.exit(129))
  .on('exit', cleanUp);
try {
  await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
