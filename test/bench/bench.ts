import { parseArgs } from 'node:util';
import { compare, show } from './comparison.ts';
import type { ServerName } from './servers.ts';
import { SERVERS } from './servers.ts';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: Object.keys(SERVERS).join() },
    connections: { type: 'string', default: '8,64,256' },
    ids: { type: 'string', default: 'sequential' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
  },
});
const series = await compare({
  servers: values.servers.split(',') as ServerName[],
  connections: values.connections.split(',').map(Number),
  ids: values.ids as 'sequential',
  rounds: Number(values.rounds),
  warmUpSeconds: 2,
  seconds: Number(values.seconds),
  environment: {},
});
console.log(show(series));
