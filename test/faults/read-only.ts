import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { Client } from './clients.ts';
import { CALM_MS, disturb } from './disturbance.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { Load } from './load.ts';
import { createPlace, readPlants } from './place.ts';
import { type Counts, type Extent, Fault, random, type Scenario } from './scenario.ts';

const CLIENTS = 32;

/**
 * What keeps a process from writing to a file that it has open. Permissions do not, and a file system that becomes
 * read-only does not either: it refuses to (EBUSY), unless it has failed, and then it stays so until it is mounted anew.
 */
const WAYS = {
  /** EPERM; by root, where the file system looks at it. */
  immutable: {
    works: immutableWorks,
    set: (on: boolean, files: readonly string[]) =>
      execFileSync('chattr', [on ? '+i' : '-i', ...files], { stdio: 'pipe' }),
  },
  /** EFBIG: a limit on the size of files, which Linux can set for a process that runs. */
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
    // Neither the command, nor the right, nor the file system for it.
    return false;
  }
  try {
    writeSync(descriptor, 'x');
    return false;
  } catch {
    // Whatever the reason, it cannot be written.
    return true;
  } finally {
    closeSync(descriptor);
    WAYS.immutable.set(false, [file]);
  }
}

/** The files can no longer be written while clients send, and then they can. */
export const readOnly: Scenario = {
  name: 'the open files become immutable, or limited in size, and then they are not, again and again under load',
  engine: 'SQLite',
  impossible: possible.length === 0 ? 'it takes Linux, and the command prlimit' : undefined,
  async run({ long, seed }: Extent): Promise<Counts> {
    const rounds = long ? 50 : 4;
    const next = random(seed);
    const newPlant = randomPlants(next);
    await using place = await createPlace('SQLite');
    const database = place.url.slice('sqlite:'.length);
    const files = [database, `${database}-wal`];
    const service = await startService({ DATABASE_URL: place.url });
    const { pid = 0 } = service.child;
    using client = new Client(place.token);
    const ledger = new Ledger();
    const counts = { immutable: 0, limited: 0, 'answers 503': 0, acknowledged: 0, lost: 0, phantoms: 0 };
    for (let round = 0; round < rounds; round++) {
      const way = possible[round % possible.length] ?? 'limited';
      const end = () => WAYS[way].set(false, files, pid);
      counts[way]++;
      counts['answers 503'] += await disturb(
        () => new Load(CLIENTS, [service.url], client, ledger, newPlant),
        next() * CALM_MS,
        {
          begin: () => {
            WAYS[way].set(true, files, pid);
            // An immutable file cannot even be removed: before all else, should this process be interrupted.
            process.prependListener('exit', end);
          },
          end: () => {
            process.off('exit', end);
            end();
          },
        },
      );
    }
    const code = await service.stop();
    if (code !== 0) throw new Fault(`the service ended with ${String(code)}: ${service.stderr()}`);
    ledger.check(await readPlants(place.url));
    return { ...counts, acknowledged: ledger.acknowledged };
  },
};
