import { Worker } from 'node:worker_threads';
import type { AnySchema } from '../../../contract/src/schema/document.ts';
import { Fault } from '../../test/support/clients.ts';
import type { Extent, Trial } from '../../test/support/trials.ts';
import { random } from '../../test/support/ledger.ts';
import type { Orders, Verdicts } from './judge.ts';

/** What a verdict may cost: processor time in milliseconds, and megabytes of heap. */
const LIMITS: Readonly<Record<number, { readonly ms: number; readonly megabytes: number }>> = {
  65_536: { ms: 50, megabytes: 20 },
  1_048_576: { ms: 500, megabytes: 100 },
};
/** A short round runs beside other tests, on machines of any speed: it finds what takes many times as long. */
const SHORT_ROUND = 3;
/** What the service may keep of a contract after any number of messages, for each direction. */
const KEPT_MEGABYTES = 30;
/** What the thread holds before its first verdict: the code, the compiled contract and the bodies. */
const THREAD_MEGABYTES = 90;
/** How long a thread may take to give its verdicts: other processes may take most of the machine. */
const PATIENCE_S = 200;

const NEW_ITEM: AnySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name'],
  properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
};
const objects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'object', required: [`k${index}`] }));
const ITEM = { $ref: '#/components/schemas/Item' };
const row = (items: AnySchema, maxItems: number) => ({
  schema: { type: 'array', maxItems, items: ITEM },
  components: { Item: items },
});

/** Contracts whose refused bodies once kept a process busy for seconds or minutes, or ended it. */
const CONTRACTS: Readonly<Record<string, Required<Pick<Orders, 'drawn'>>['drawn']>> = {
  'a batch of items': row(NEW_ITEM, 100),
  'items of two shapes': row({ oneOf: objects(2) }, 15_000),
  'items of ten shapes': row({ oneOf: objects(10) }, 1000),
  'an item that the body lacks': {
    schema: { type: 'array', contains: { anyOf: Array<AnySchema>(5).fill(ITEM) } },
    components: { Item: { type: 'integer' } },
  },
  'two items that the body lacks': {
    schema: { type: 'array', minContains: 2, contains: { anyOf: [ITEM, ITEM] } },
    components: { Item: { type: 'integer' } },
  },
  'items of shapes within shapes': row({ anyOf: [{ anyOf: objects(3) }, { anyOf: objects(3) }] }, 1000),
};

const NAMES = Array.from('abcdefgh');
/**
 * 25 closed schemas that refer to one another: schema S0 has at `a` another one than S1 has, and so on for each name. A
 * value follows 13 of them at once, and the names in it choose which 13.
 */
function branching(next: () => number): Required<Orders>['drawn'] {
  const to = (index: number) => ({ $ref: `#/components/schemas/S${index}` });
  const all = Array.from({ length: 25 }, (_, index) => index);
  const permuted = NAMES.map(() => all.map((index) => [next(), index] as const).sort(([one], [other]) => one - other));
  const propertiesOf = (index: number) =>
    Object.fromEntries(NAMES.map((name, at) => [name, to(permuted[at]?.[index]?.[1] ?? 0)]));
  return {
    schema: { anyOf: all.slice(0, 13).map(to) },
    components: Object.fromEntries(
      all.map((index) => [
        `S${index}`,
        { type: 'object', additionalProperties: false, properties: propertiesOf(index) },
      ]),
    ),
  };
}

/** Values of such schemas, in each of which most members stand at a place of their own. */
function trees(bytes: number, count: number, next: () => number): string[] {
  return Array.from({ length: count }, () => {
    let left = bytes - 1000;
    const tree = (depth: number): string => {
      const names = depth === 0 || left <= 0 ? [] : NAMES.filter(() => next() < 0.55);
      left -= 6 * names.length + 2;
      return `{${names.map((name) => `"${name}":${tree(depth - 1)}`).join()}}`;
    };
    return tree(24);
  });
}

/** Texts of which V8 would take seconds of processor, or gigabytes, to compile them. */
function expressions(bytes: number): string[] {
  const filled = (before: string, part: string, after = '') =>
    JSON.stringify(before + part.repeat(Math.floor((bytes - 100) / JSON.stringify(part).length)) + after);
  return [
    filled('[', '\\p{L}', ']'),
    filled('(?i:[', '\\W', '])'),
    filled('', '(?<a>)|'),
    filled('', '()'),
    filled('', '(?i:a)'),
    filled('', '\\p{A}'),
    filled('', 'a'),
  ];
}

/** @throws Fault if a verdict takes too long or too much memory */
export async function judge(orders: Orders, long = false): Promise<Verdicts> {
  const { ms: promised, megabytes } = LIMITS[orders.bytes] ?? { ms: 0, megabytes: 0 };
  const ms = promised * (long ? 1 : SHORT_ROUND);
  const verdicts = await new Promise<Verdicts>((resolve, reject) => {
    const thread = new Worker(new URL('judge.ts', import.meta.url), {
      workerData: { ...orders, again: { ms: 0.4 * promised, megabytes: 0.4 * megabytes } },
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES + megabytes, maxYoungGenerationSizeMb: 16 },
    });
    const timer = setTimeout(() => {
      void thread.terminate();
      reject(new Fault(`no verdict within ${PATIENCE_S} s`));
    }, PATIENCE_S * 1000);
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => {
      clearTimeout(timer);
      reject(new Fault('the thread ended without a verdict'));
    });
  });
  const { ms: slowest, megabytes: largest, kept } = verdicts.costliest;
  if (slowest.amount > ms)
    throw new Fault(`${slowest.about} took ${slowest.amount.toFixed(0)} ms of processor, at most ${ms} are allowed`);
  if (largest.amount > megabytes)
    throw new Fault(`${largest.about} took ${largest.amount.toFixed(0)} MB, at most ${megabytes} are allowed`);
  if (kept.amount > KEPT_MEGABYTES)
    throw new Fault(`${kept.about} kept ${kept.amount.toFixed(0)} MB, at most ${KEPT_MEGABYTES} are allowed`);
  return verdicts;
}

function emptyObjects(bytes: number): string {
  return `[${Array<string>(Math.floor(bytes / 3) - 1)
    .fill('{}')
    .join()}]`;
}

/** Compiled contracts stay in the memory of a thread: each thread gets ten. */
function parts(orders: Orders): Orders[] {
  const { seeds } = orders;
  if (seeds === undefined) return [orders];
  return Array.from({ length: Math.ceil(seeds.length / 10) }, (_, index) => ({
    ...orders,
    seeds: seeds.slice(10 * index, 10 * (index + 1)),
  }));
}

function trial(name: string, orders: (extent: Extent, bytes: number) => Orders): Trial {
  return {
    cells: [name, 'body', 'one body', 'one token', 'burns', '1'],
    run: async (extent) => {
      let count = 0;
      const told = [];
      for (const bytes of Object.keys(LIMITS).map(Number)) {
        let [ms, megabytes, unkept] = [0, 0, 0];
        for (const part of parts(orders(extent, bytes))) {
          const { judged, costliest, refused } = await judge(part, extent.long);
          count += judged;
          ms = Math.max(ms, costliest.ms.amount);
          megabytes = Math.max(megabytes, costliest.megabytes.amount);
          unkept += refused;
        }
        const refusals = unkept === 0 ? '' : `, ${unkept} contracts refused`;
        told.push(`${bytes / 1024} KiB ${ms.toFixed(0)} ms of processor and ${megabytes.toFixed(0)} MB${refusals}`);
      }
      return `${count.toLocaleString('en')} verdicts, at most: ${told.join('; ')}`;
    },
  };
}

export const VERDICTS: readonly Trial[] = [
  trial('sends trees to 25 schemas that lead to one another, and gets them back', ({ long, seed }, bytes) => ({
    bytes,
    drawn: branching(random(seed)),
    bodies: trees(bytes, long ? 60 : 4, random(seed)),
  })),
  trial('sends texts that are costly regular expressions', (_, bytes) => ({
    bytes,
    drawn: { schema: { type: 'string', format: 'regex' }, components: {} },
    bodies: expressions(bytes),
  })),
  ...Object.entries(CONTRACTS).map(([name, drawn]) =>
    trial(`sends empty objects where the contract has ${name}`, (_, bytes) => ({
      bytes,
      drawn,
      bodies: [emptyObjects(bytes)],
    })),
  ),
  trial('sends hostile bodies to 500 contracts that a seed draws', ({ long, seed }, bytes) => ({
    bytes,
    // Fewer contracts for the large bodies, as a body of 1 MiB takes sixteen times as long to make and to judge.
    seeds: Array.from({ length: (long ? 500 : 5) / (bytes > 65_536 ? 5 : 1) }, (_, index) => seed + index),
  })),
];
