import { GCProfiler, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { ContractError } from '../../../contract/src/contract-error.ts';
import { Refusal } from '../../../contract/src/refusal.ts';
import { ReplyError } from '../../../contract/src/message/faults.ts';
import { parseJson } from '../../../contract/src/message/json.ts';
import { Overspent } from '../../../contract/src/schema/budget.ts';
import { validateRequest } from '../../../contract/src/request.ts';
import { random } from '../../test/support/ledger.ts';
import { drawContract, type Drawn, hostileBodies, operationOf } from './drawn.ts';

// A thread with a small heap, which judges messages of one contract, or of many drawn ones.

/** `bodies` are sent to the contract `drawn`; without it, contracts and bodies are drawn from `seeds`. */
export interface Orders {
  readonly bytes: number;
  readonly seeds?: readonly number[];
  readonly drawn?: Drawn;
  readonly bodies?: readonly string[];
}
/** What the costliest verdict took: milliseconds of the processor, megabytes of heap; `kept`: megabytes that stay after all. */
export interface Verdicts {
  readonly judged: number;
  readonly costliest: Readonly<Record<Cost | 'kept', { readonly amount: number; readonly about: string }>>;
  readonly refused: number;
}
type Cost = 'ms' | 'megabytes';

const {
  bytes,
  seeds = [],
  drawn: given,
  bodies = [],
  again,
} = workerData as Orders & {
  /** A verdict that takes more than this is measured again. */
  readonly again: Readonly<Record<Cost, number>>;
};
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const cases = given === undefined ? seeds.map(draw) : [{ name: 'the contract', drawn: given, texts: () => bodies }];
let judged = 0;
let refused = 0;
const costliest = { ms: { amount: 0, about: '' }, megabytes: { amount: 0, about: '' }, kept: { amount: 0, about: '' } };
for (const { name, drawn, texts } of cases) {
  const operation = await operationOf(drawn, bytes).catch((error: unknown) => {
    if (!(error instanceof ContractError)) throw error;
    refused++;
  });
  if (operation === undefined) continue;
  const sent = { path: '/items', query: '', headers: {} };
  const made = texts();
  const base = usedAtLeast();
  for (const [index, text] of made.entries()) {
    measure(`the request ${index} of ${name}`, base, () => {
      validateRequest(sent, { mediaType: 'application/json', text }, operation);
    });
    const content = operation.replies.get('200')?.content;
    measure(`the reply ${index} of ${name}`, base, () => {
      const { body, work } = content?.sent(parseJson(text, content.position)) ?? {};
      operation.validator.reply(200, {}, body, work);
    });
  }
  // Beyond the bodies, what stays is what is known of the contract.
  const kept = (usedAtLeast() - base) / 1e6;
  if (kept > costliest.kept.amount) costliest.kept = { amount: kept, about: name };
}
parentPort?.postMessage({ judged, costliest, refused } satisfies Verdicts);

function draw(seed: number): { name: string; drawn: Drawn; texts: () => readonly string[] } {
  const next = random(seed);
  const drawn = drawContract(next);
  return { name: `the contract of seed ${seed}`, drawn, texts: () => hostileBodies(drawn, bytes, next) };
}

/**
 * Other processes share the machine, V8 compiles, and a collection of the young generation leaves garbage of the old one: of
 * costly verdicts the least of three counts, in the second of which each collection is whole if the memory is in question.
 */
function measure(what: string, base: number, judge: () => void): void {
  const least = { ms: Infinity, megabytes: Infinity };
  judged++;
  for (let round = 0; round < 3 && (least.ms > again.ms || least.megabytes > again.megabytes); round++) {
    const before = round === 0 ? base : usedAtLeast();
    if (round === 1 && least.megabytes > again.megabytes) setFlagsFromString('--gc-global');
    const profiler = new GCProfiler();
    const cpu = process.threadCpuUsage();
    profiler.start();
    try {
      judge();
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof ReplyError || error instanceof Overspent)) throw error;
    }
    const { user, system } = process.threadCpuUsage(cpu);
    setFlagsFromString('--no-gc-global');
    const left = profiler.stop().statistics.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize);
    const most = left.length > 0 ? Math.max(...left) : getHeapStatistics().used_heap_size;
    least.ms = Math.min(least.ms, (user + system) / 1000);
    least.megabytes = Math.min(least.megabytes, (most - before) / 1e6);
  }
  for (const cost of ['ms', 'megabytes'] as const)
    if (least[cost] > costliest[cost].amount) costliest[cost] = { amount: least[cost], about: what };
}

/** The heap without garbage. */
function usedAtLeast(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}
