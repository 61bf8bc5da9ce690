import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../faults/clients.ts';
import { percentile } from '../support/crowd.ts';
import type { Service } from '../support/service.ts';

const EVERY_MS = 100;
/** Each second create has a connection of its own; the others share so many clients, which keep theirs. */
const KEPT = 4;
/** How long after the end of the attack the last answer may come. */
const RECOVERY_MS = 5000;
/** The ids of the attacker are smaller. */
const FIRST_ID = 1_000_000_000_000;

/** As large as the contract allows: room for less is not enough. */
const [NAME, TAG] = ['n'.repeat(1000), 't'.repeat(200)];

/** What honest clients got. */
export interface Served {
  readonly sent: number;
  /** What came instead of a 200, such as `503` or `ECONNRESET`, with how often. */
  readonly failures: Readonly<Record<string, number>>;
  readonly created: readonly number[];
  /** How long 99 of 100 answers took at most, in milliseconds. */
  readonly p99: number;
}

/** Creates ten plants a second, whether the ones before are answered or not, until the work is over. */
export async function createMeanwhile({ url }: Service, token: string, work: Promise<unknown>): Promise<Served> {
  using clients = new DisposableStack();
  const kept = Array.from({ length: KEPT }, () => clients.use(new Client(token)));
  const failures: Record<string, number> = {};
  const created: number[] = [];
  const times: number[] = [];
  let late = false;
  const create = async (number: number): Promise<void> => {
    using alone = new Client(token);
    const client = (number % 2 === 0 ? kept[(number / 2) % KEPT] : undefined) ?? clients.use(alone);
    const id = FIRST_ID + number;
    const start = performance.now();
    const reply = await client.send(url, { id: BigInt(id), name: NAME, tag: TAG });
    times.push(performance.now() - start);
    if ('status' in reply && reply.status === 200) created.push(id);
    else {
      const failure = 'status' in reply ? String(reply.status) : late ? 'no answer' : (reply.error.code ?? 'cut off');
      failures[failure] = (failures[failure] ?? 0) + 1;
    }
  };
  const over = new AbortController();
  void work.finally(() => {
    over.abort();
  });
  const sent: Promise<void>[] = [];
  const start = performance.now();
  // The last one is sent when the attack is over.
  for (let last = false; !last;) {
    last = over.signal.aborted;
    sent.push(create(sent.length));
    const early = Math.max(0, start + sent.length * EVERY_MS - performance.now());
    await sleep(early, undefined, { signal: over.signal }).catch(() => 0);
  }
  const all = Promise.all(sent);
  // What is not answered by then is broken off.
  await Promise.race([all, sleep(RECOVERY_MS, undefined, { ref: false })]);
  late = true;
  clients.dispose();
  await all;
  const sorted = times.toSorted((one, other) => one - other);
  return { sent: sent.length, failures, created, p99: percentile(sorted, 0.99) };
}
