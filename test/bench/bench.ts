import { parseArgs } from 'node:util';
import type { Plan } from './comparison.ts';
import { compare, show } from './comparison.ts';
import { slowDisk } from './disk.ts';
import { measureEndurance } from './endurance.ts';
import { measureGrowth } from './growth.ts';
import { Scratch } from './processes.ts';
import { record } from './results.ts';
import type { ServerName } from './servers.ts';
import { SERVERS } from './servers.ts';
import { measureStart } from './start.ts';

const USAGE = `npm run bench               this service and its peers, and how fast it starts
npm run bench -- --slow-disk    the same with 5 ms added to each fsync
npm run bench -- --grow N       the speed on stores of up to N plants
npm run bench -- --endure N     the memory after up to N creates
npm run bench -- --quick        all of it for a moment, to see that it works; records nothing

A comparison of one's own, which is not recorded:
  --only NAMES         of ${Object.keys(SERVERS).join(', ')}
  --connections 8,64   --rounds 5   --seconds 5   --ids sequential|random`;

const { values: options } = parseArgs({
  options: {
    'slow-disk': { type: 'boolean', default: false },
    grow: { type: 'string' },
    endure: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    connections: { type: 'string', default: '8,64,256' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    ids: { type: 'string', default: 'sequential' },
    help: { type: 'boolean', default: false },
  },
});

/** The first seconds of a server are those of V8, which compiles. */
const WARM_UP_SECONDS = 5;

const ALL: Plan = {
  servers: Object.keys(SERVERS) as ServerName[],
  connections: options.connections.split(',').map(number),
  ids: options.ids === 'random' ? 'random' : 'sequential',
  rounds: number(options.rounds),
  warmUpSeconds: WARM_UP_SECONDS,
  seconds: number(options.seconds),
  environment: {},
};

function number(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is not a number; see npm run bench -- --help`);
  return Number(text);
}

/** Prints what was measured, and keeps it in RESULTS.md. */
function publish(heading: string, body: string, environment: Plan['environment'] = {}): void {
  console.log(`\n${heading}\n\n${body}`);
  record(heading, ['npm run bench --', ...process.argv.slice(2)].join(' ').replace(/ --$/, ''), body, environment);
}

async function peers(): Promise<void> {
  publish('The service and its peers', show(await compare(ALL)));
  const random: Plan = { ...ALL, servers: ['service', 'bare', 'fastify-commit'], connections: [64], ids: 'random' };
  publish('The same with random ids', show(await compare(random)));
  publish('Start', await measureStart(ALL.rounds));
}

async function slow(): Promise<void> {
  using scratch = new Scratch();
  const environment = slowDisk(scratch);
  const series = await compare({ ...ALL, environment });
  publish('A slow disk', show(series), environment);
}

async function grow(plants: number): Promise<void> {
  // Empty, and in steps of ten from a thousand.
  const sizes = [
    0,
    ...Array.from({ length: 20 }, (_, step) => 10 ** (step + 3)).filter((size) => size < plants),
    plants,
  ];
  publish('Growth', await measureGrowth(sizes, ALL));
}

async function endure(creates: number): Promise<void> {
  publish('Endurance', await measureEndurance(creates));
}

/** Everything for a moment: what a machine that has other things to do can check of this. */
async function quick(): Promise<void> {
  const moment: Plan = { ...ALL, connections: [8], rounds: 1, warmUpSeconds: 0.2, seconds: 0.3 };
  console.log(show(await compare(moment)));
  console.log(await measureStart(1));
  console.log(await measureGrowth([0, 1000], moment));
  console.log(await measureEndurance(1000));
  using scratch = new Scratch();
  const servers: ServerName[] = ['service', 'fastify-commit'];
  console.log(show(await compare({ ...moment, servers, environment: slowDisk(scratch) })));
}

try {
  if (options.help) console.log(USAGE);
  else if (options.quick) await quick();
  else if (options.only !== undefined) {
    const servers = ALL.servers.filter((name) => options.only?.split(',').includes(name));
    console.log(show(await compare({ ...ALL, servers })));
  } else if (options['slow-disk']) await slow();
  else if (options.grow !== undefined) await grow(number(options.grow));
  else if (options.endure !== undefined) await endure(number(options.endure));
  else await peers();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
