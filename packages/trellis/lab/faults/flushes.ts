import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { Fault } from '../../test/support/clients.ts';
import type { Service } from '../../test/support/service.ts';
import { clock, type Flush, hasCompiler, readFlushes, slowedBy } from '../../test/support/slow-disk.ts';
import { type Testbed, together } from '../../test/support/testbed.ts';
import { until } from '../../test/support/until.ts';
import { onSqlite } from './scenario.ts';
import type { Item } from '../../test/services/items/index.ts';

/** How much longer each fsync of the service takes, in milliseconds. */
const SLOW_MS = 300;
/** The number of items that the test sends at once. */
const ITEMS = 64;
/** The number of items that clients have sent, without an answer, when the service is killed. */
const UNDER_WAY = 8;

/** Why this machine cannot slow an fsync; undefined if it can. */
export const NOT_SLOWED =
  process.platform !== 'linux'
    ? 'an fsync can be slowed on Linux only'
    : hasCompiler()
      ? undefined
      : 'an fsync cannot be slowed without a C compiler: install gcc or clang, or set CC';

/** A disk whose fsyncs are slow and recorded. */
interface SlowDisk {
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the fsyncs that one process made of the write-ahead log, where SQLite first writes each item. */
  flushes(pid: number | undefined): Flush[];
}

/** @param ms how much longer each fsync takes */
export function slowDisk({ place }: Pick<Testbed, 'place'>, ms = SLOW_MS): SlowDisk {
  const database = place.url.slice('sqlite:'.length);
  const folder = dirname(database);
  const log = join(folder, 'flushes');
  const environment = slowedBy(ms, folder, log);
  // Without this probe, an LD_PRELOAD without effect would look like a service that never calls fsync.
  const program = "const { fsyncSync, openSync } = require('node:fs'); fsyncSync(openSync(process.argv[1], 'w'))";
  spawnSync(process.execPath, ['-e', program, join(folder, 'probe')], { env: { ...process.env, ...environment } });
  const [probe] = readFlushes(log);
  if (probe?.end === undefined || probe.end - probe.begin < ms || probe.end > clock())
    throw new Error('LD_PRELOAD does not slow down an fsync here');
  return {
    environment,
    flushes: (pid) => readFlushes(log).filter((flush) => flush.pid === pid && flush.file === `${database}-wal`),
  };
}

/** @throws Fault unless an fsync began after the first time and ended before the second */
export function requireFlush(flushes: readonly Flush[], what: string, from: number, to: number): void {
  if (flushes.some(({ begin, end = Infinity }) => begin >= from && end <= to)) return;
  throw new Fault(`${what} was answered with 200, and no fsync in the ${(to - from).toFixed(0)} ms before it`);
}

/** The service must flush before it acknowledges an item, even while another request stores the same item. */
export const slowFlushes = onSqlite(
  `each fsync takes ${SLOW_MS} ms, and each item is sent by two clients at once`,
  async (testbed, long) => {
    const items = long ? 20_000 : 200;
    const disk = slowDisk(testbed);
    const service = await testbed.start(disk.environment);
    const answers: { item: Item; from: number; to: number }[] = [];
    let sent = 0;
    await together(ITEMS, async () => {
      while (sent < items) {
        sent++;
        const item = testbed.newItem();
        const from = clock();
        await together(2, async () => {
          // Either of the two requests may create the item, so the ledger must not expect a replay.
          testbed.ledger.add(item);
          const answer = await testbed.client.create(service.url, item);
          const to = clock();
          if (answer === 'lost' || answer === 'unavailable') throw new Fault(`a slow disk made a request ${answer}`);
          testbed.ledger.answer(item, answer, false);
          answers.push({ item, from, to });
        });
      }
    });
    service.child.kill('SIGKILL');
    await service.ended;
    const flushes = disk.flushes(service.child.pid);
    for (const { item, from, to } of answers) {
      requireFlush(flushes, exactJson(item), from, to);
      if (to - from < SLOW_MS) throw new Fault(`${exactJson(item)} was acknowledged in ${(to - from).toFixed(1)} ms`);
    }
    const quickest = Math.floor(Math.min(...answers.map(({ from, to }) => to - from)));
    return { acknowledgements: answers.length, fsyncs: flushes.length, 'ms until the earliest answer': quickest };
  },
  NOT_SLOWED,
);

/** After a kill, the next process can read items that are not on the disk. It must flush them before a replay. */
export const killsInFlushes = onSqlite(
  `the service is killed (-9) inside an fsync of ${SLOW_MS} ms, and restarted`,
  async (testbed, long) => {
    const rounds = long ? 50 : 2;
    const disk = slowDisk(testbed);
    const restart = () => testbed.start(disk.environment, 'listening');
    const counts = { kills: 0, 'created again': 0, replayed: 0, 'early answers': 0 };
    let service = await restart();
    for (; counts.kills < rounds; counts.kills++) {
      const items = Array.from({ length: UNDER_WAY }, testbed.newItem);
      const answers = Promise.all(items.map((item) => testbed.send(service.url, item)));
      // The first fsync flushes the first item, and the second fsync flushes the other items.
      await inFlush(disk, service, clock(), testbed.next() < 0.5 ? 1 : 2, answers);
      await sleep(testbed.next() * SLOW_MS * 0.8);
      service.child.kill('SIGKILL');
      await Promise.all([answers, service.ended]);
      const restarted = clock();
      service = await restart();
      for (const answer of await sendAgain(testbed, service, disk, items, restarted)) counts[answer]++;
    }
    service.child.kill('SIGKILL');
    await service.ended;
    if (counts.replayed === 0) throw new Error('no item was left behind unflushed: no kill hit an fsync');
    return counts;
  },
  NOT_SLOWED,
);

/** Waits until the service is inside the nth fsync since `from`, or until all answers have come. */
export async function inFlush(
  disk: SlowDisk,
  { child }: Service,
  from: number,
  nth: number,
  answers: Promise<unknown>,
): Promise<void> {
  let over = false;
  const begun = () => disk.flushes(child.pid).filter(({ begin }) => begin >= from).length >= nth;
  await Promise.race([answers, until(() => over || begun())]);
  over = true;
}

function sendAgain(
  testbed: Testbed,
  { url, child }: Service,
  disk: SlowDisk,
  items: readonly Item[],
  restarted: number,
): Promise<('created again' | 'replayed')[]> {
  const answers = items.map(async (item) => {
    const from = clock();
    const answer = await testbed.send(url, item);
    const to = clock();
    if (answer !== 'created' && answer !== 'replayed') throw new Fault(`after a restart the answer is: ${answer}`);
    // Any fsync since the restart flushes what the killed process wrote; a new item needs an fsync after its request.
    const since = answer === 'created' ? from : restarted;
    requireFlush(disk.flushes(child.pid), `${answer}: ${exactJson(item)}`, since, to);
    return answer === 'created' ? 'created again' : answer;
  });
  return Promise.all(answers);
}
