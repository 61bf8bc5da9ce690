import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTokens } from '../faults/place.ts';
import { ROOT, type Service, start, type Started, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import type { Attack, Extent, Orders, Tally } from './attack.ts';
import { createMeanwhile, type Served } from './honest.ts';

const ATTACKER = join(import.meta.dirname, 'attacker.ts');

/** V8 ends a process whose heap would grow beyond it. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=400 --max-semi-space-size=16' };

const SECONDS: Readonly<Record<Extent, number>> = { short: 3, long: 20 };
const secondsOf = ({ seconds = SECONDS.long }: Attack, extent: Extent) => (extent === 'long' ? seconds : SECONDS.short);
const TOKENS: Readonly<Record<Attack['caller'], number>> = { none: 0, 'one token': 1, 'many tokens': 50 };

/** What is promised. */
const PEAK_MB = 400;
/** Of few creates beside other tests, one may take longer. */
const P99_MS: Readonly<Record<Extent, number>> = { short: 5000, long: 1000 };

/** How long a process may take longer than it should, until it is killed. */
const GRACE_MS = 30_000;

/** Why no attack can be judged on this machine; undefined: it can. */
export const IMPOSSIBLE =
  process.platform === 'linux' ? undefined : 'the memory of a process is read from /proc, which only Linux has';

/** What came of an attack; a fault is a promise that was broken. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly served: Served;
  readonly peakMb: number;
  readonly tally: Tally;
}

/** Attacks a new service, that of another checkout if one is given. */
export async function attackOnce(attack: Attack, extent: Extent, checkout = ROOT): Promise<Outcome> {
  const path = join(temporaryFolder(), 'plants.db');
  const url = `sqlite:${path}`;
  const [honest = '', ...tokens] = await addTokens(url, 1 + TOKENS[attack.caller]);
  const main = join(checkout, 'src/main.ts');
  const service = await startService({ DATABASE_URL: url, ...HEAP }, checkout, main);
  const began = performance.now();
  const memory = watchMemory(service);
  const death = service.ended.then((how) => {
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const cause = service.stderr().includes('heap out of memory') ? 'out of memory' : `ended with ${String(how)}`;
    return `${cause} after ${seconds} s`;
  });
  const orders: Orders = {
    attack,
    url: service.url,
    tokens,
    connections: attack.connections[extent],
    seconds: secondsOf(attack, extent),
  };
  const attacker = start(process.execPath, [ATTACKER, JSON.stringify(orders)], {}, ROOT);
  // There is nothing left to attack.
  void death.then(() => attacker.child.kill());
  const attacked = within(attacker, orders.seconds * 1000 + GRACE_MS);
  const served = await createMeanwhile(service, honest, attacked);
  const peakMb = memory.peakMb();
  const died = await Promise.race([death, sleep(0, undefined)]);
  const stopped = died === undefined ? await stop(service) : undefined;
  const failure = died === undefined && (await attacked) !== 0 && `the attacker failed: ${attacker.stderr()}`;
  const tally = JSON.parse(attacker.stdout() || '{"opened":0,"closed":0,"answers":{},"refused":[]}') as Tally;
  const stored = readIds(path);
  const lost = served.created.filter((id) => !stored.has(id)).length;
  const phantoms = tally.refused.filter((id) => stored.has(id)).length;
  const failed = Object.entries(served.failures).map(([what, count]) => `${count} × ${what}`);
  const expected = attack.log?.[extent];
  const unsaid = died === undefined && expected?.test(service.stdout()) === false;
  const faults = [
    died,
    failed.length > 0 && `of ${served.sent} creates ${failed.join(', ')}`,
    attack.kind === 'holds' && served.p99 >= P99_MS[extent] && `p99 ${served.p99.toFixed(0)} ms`,
    peakMb >= PEAK_MB && `peak ${peakMb.toFixed(0)} MB`,
    lost > 0 && `${lost} plants lost`,
    phantoms > 0 && `${phantoms} refused plants stored`,
    unsaid && `no line of the log has ${String(expected)}`,
    stopped !== undefined && stopped !== 0 && `stopped with ${String(stopped)}`,
    failure,
  ].filter((fault) => typeof fault === 'string');
  return { faults, served, peakMb, tally };
}

/** The most memory that the process had, as the kernel counts it, read until it ends. */
function watchMemory({ child, ended }: Started): { peakMb: () => number } {
  let peakMb = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
      peakMb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? peakMb * 1024) / 1024;
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, 200);
  void ended.then(() => {
    clearInterval(timer);
  });
  return {
    peakMb: () => {
      look();
      return peakMb;
    },
  };
}

/** Waits for the end of a process, or ends it. */
async function within({ child, ended }: Started, ms: number): ReturnType<Service['stop']> {
  const late = setTimeout(() => child.kill('SIGKILL'), ms);
  const how = await ended;
  clearTimeout(late);
  return how;
}

function stop(service: Service): ReturnType<Service['stop']> {
  service.child.kill('SIGTERM');
  return within(service, GRACE_MS);
}

function readIds(path: string): ReadonlySet<number> {
  using database = new DatabaseSync(path);
  const rows = database.prepare('select id from plants').all();
  return new Set(rows.map((row) => Number(row['id'])));
}
