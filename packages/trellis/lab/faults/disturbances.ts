import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { STORE_PATIENCE_MS } from '../../src/storage/queue.ts';
import { Fault } from '../../test/support/clients.ts';
import { noSmallDisk, SmallDisk } from '../../test/support/small-disk.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { Testbed, together } from '../../test/support/testbed.ts';
import type { Extent, Trial } from '../../test/support/trials.ts';
import { type Counts, onSqlite, scenario, stop } from './scenario.ts';
import { type Business, ITEMS_SENT, type Traffic } from './server.ts';

/** The number of failures (503, or no answer) after which the test ends a disturbance. */
const FAILURES = 300;
/** How long the test waits for FAILURES, and for answers after the disturbance, in milliseconds. */
const DISTURBED_MS = 30_000;
/** The longest load before a disturbance, and the time after it in which no request may fail, in milliseconds. */
const CALM_MS = 200;

/** A fault that keeps the service from storing items for a while. */
interface Disturbance {
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  meanwhile?(): Promise<unknown>;
}

/**
 * Lets clients send before, during and after a disturbance, and stops them. The service must then take all that they
 * sent without a restart.
 */
export async function disturb({ next }: Testbed, load: Traffic, disturbance: Disturbance): Promise<void> {
  const { failures } = load;
  load.resume();
  await sleep(next() * CALM_MS);
  if (load.failures > failures) throw new Fault('a 503, or no answer, before the disturbance');
  await disturbance.begin();
  try {
    await inTime(
      () => load.broken || load.failures >= failures + FAILURES,
      'no 503 from a store that cannot be written',
    );
    await disturbance.meanwhile?.();
  } finally {
    await disturbance.end();
  }
  let stopped = false;
  const stop = load.stop().finally(() => {
    stopped = true;
  });
  await Promise.race([stop, inTime(() => stopped, 'no 200 from a store that can be written again')]);
  await requireCalm(load);
}

/** Lets clients send while no fault is active. @throws Fault if the service fails to take something */
async function requireCalm(load: Traffic): Promise<void> {
  const { failures } = load;
  load.resume();
  await sleep(CALM_MS);
  await load.stop();
  const count = load.failures - failures;
  if (count > 0) throw new Fault(`${count} failures (503, or no answer) although nothing disturbs the service`);
}

async function inTime(condition: () => boolean, fault: string): Promise<void> {
  const deadline = performance.now() + DISTURBED_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Fault(fault);
    await sleep(10);
  }
}

/** The largest free space of a full disk, in bytes. A few batches fit into it. */
const MAX_ROOM = 200_000;

export function fullDiskOf<T extends Traffic>(business: Business<T>): Trial {
  const what = 'the disk fills up (ENOSPC) and has room again, repeatedly under load';
  const run = async ({ long, seed }: Extent) => {
    await using testbed = await Testbed.create('SQLite', seed, business.program);
    const disk = new SmallDisk(testbed.place.url.slice('sqlite:'.length), business.program);
    const { url, admin } = await disk.listening();
    using load = await business.begin(testbed, [{ url }]);
    await load.stop();
    let times = 0;
    let found: Counts = {};
    for (; times < (long ? 50 : 2); times++) {
      await disturb(testbed, load, {
        begin: () => disk.fill(Math.floor(testbed.next() * MAX_ROOM)),
        // /readyz may answer 200 or 503: its small write may still fit on the full disk.
        meanwhile: () => readiness(admin),
        end: () => disk.makeRoom(),
      });
      found = await business.check(testbed, load, disk.copy());
    }
    await stop(disk.service);
    return { 'times full': times, 'answers 503': load.failures, acknowledged: load.acknowledged, ...found };
  };
  return scenario(business.name + what, 'SQLite', run, noSmallDisk);
}

export const fullDisk = fullDiskOf(ITEMS_SENT);

/** Returns the status that /readyz answers. @throws Fault unless the service is alive */
export async function readiness(admin: string): Promise<number> {
  const [livez, readyz] = await Promise.all([fetch(`${admin}/livez`), fetch(`${admin}/readyz`)]);
  if (livez.status !== 200) throw new Fault(`/livez says ${livez.status}`);
  return readyz.status;
}

/**
 * Ways to stop a process from writing to an open file. A change of permissions does not stop it, and Linux does not
 * remount a file system read-only while a file is open for writing (EBUSY).
 */
const WAYS = {
  /** Writes fail with EPERM. Only root can set the attribute, and not every file system supports it. */
  immutable: {
    works: immutableWorks,
    set: (on: boolean, files: readonly string[]) =>
      execFileSync('chattr', [on ? '+i' : '-i', ...files], { stdio: 'pipe' }),
  },
  /** Writes fail with EFBIG. Linux can set the limit on the size of files for a running process. */
  limited: {
    works: () => spawnSync('prlimit', ['--pid', String(process.pid), '--fsize']).status === 0,
    set: (on: boolean, _files: readonly string[], pid: number) =>
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${on ? '0' : 'unlimited'}:`], { stdio: 'pipe' }),
  },
};

const possible = (['immutable', 'limited'] as const).filter((name) => WAYS[name].works());

function immutableWorks(): boolean {
  const file = join(temporaryFolder(), 'probe');
  const descriptor = openSync(file, 'w');
  try {
    WAYS.immutable.set(true, [file]);
  } catch {
    // The command is missing, the process may not set the attribute, or the file system does not support it.
    return false;
  }
  try {
    writeSync(descriptor, 'x');
    return false;
  } catch {
    return true;
  } finally {
    closeSync(descriptor);
    WAYS.immutable.set(false, [file]);
  }
}

export const readOnly = onSqlite(
  'the open files become immutable or limited in size, then writable again, repeatedly under load',
  async (testbed, long) => {
    const rounds = long ? 50 : 2;
    const database = testbed.place.url.slice('sqlite:'.length);
    const files = [database, `${database}-wal`];
    const service = await testbed.start();
    const { pid = 0 } = service.child;
    using load = await ITEMS_SENT.begin(testbed, [service]);
    await load.stop();
    const counts = { immutable: 0, limited: 0 };
    for (let round = 0; round < rounds; round++) {
      const way = possible[round % possible.length] ?? 'limited';
      const end = () => WAYS[way].set(false, files, pid);
      counts[way]++;
      await disturb(testbed, load, {
        begin: () => {
          WAYS[way].set(true, files, pid);
          // On an interrupt, the process must end the fault before other listeners remove the files.
          process.prependListener('exit', end);
        },
        end: () => {
          process.off('exit', end);
          end();
        },
      });
    }
    await stop(service);
    return { ...counts, 'answers 503': load.failures };
  },
  possible.length === 0 ? 'it takes Linux, and the command prlimit' : undefined,
);

/** The number of clients that send items while another process holds the lock. */
const WAITING = 64;
/** How long the store waits for the lock, in milliseconds (packages/trellis/src/storage/sqlite/connection.ts). */
const LOCK_MS = 2000;
/**
 * The longest time until the answer to a create: the look-up of its token waits for a batch, which waits for the lock;
 * then the item waits for its own batch, which waits for the lock again.
 */
const BOUND_MS = LOCK_MS + STORE_PATIENCE_MS + LOCK_MS;
/** The time that a busy machine may add, in milliseconds. */
const SLACK_MS = 1000;

export const heldLock = onSqlite(
  'another process holds the write lock for longer than a request waits, under load',
  async (testbed, long) => {
    const [rounds, holdMs] = long ? [20, 10_000] : [1, 4500];
    const service = await testbed.start();
    using other = new DatabaseSync(testbed.place.url.slice('sqlite:'.length), { timeout: STORE_PATIENCE_MS });
    const counts = { locks: 0, 'answers 503': 0, 'ms until the latest answer': 0 };
    for (; counts.locks < rounds; counts.locks++) {
      let held = true;
      let released = Infinity;
      other.exec('begin immediate');
      const load = together(WAITING, async () => {
        const item = testbed.newItem();
        for (let stored = false; held || !stored;) {
          const start = performance.now();
          const answer = await testbed.send(service.url, item);
          const ms = Math.ceil(performance.now() - start);
          if (ms > BOUND_MS + SLACK_MS) throw new Fault(`${exactJson(item)} was answered after ${ms} ms`);
          if (answer === 'lost') throw new Fault('a request was cut off');
          counts['ms until the latest answer'] = Math.max(counts['ms until the latest answer'], ms);
          stored = answer !== 'unavailable';
          if (!stored) counts['answers 503']++;
          if (!stored && !held && start > released) throw new Fault('a 503 although no process holds the lock');
        }
      });
      await Promise.race([load, sleep(holdMs)]);
      other.exec('rollback');
      held = false;
      released = performance.now();
      await load;
      using calm = testbed.load(WAITING, [service]);
      await calm.stop();
      await requireCalm(calm);
    }
    if (counts['answers 503'] === 0) throw new Error('no 503 while the store could not be written');
    return counts;
  },
);
