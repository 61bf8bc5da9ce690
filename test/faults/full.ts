import { Client } from './clients.ts';
import { CALM_MS, disturb } from './disturbance.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { Load } from './load.ts';
import { createPlace } from './place.ts';
import { type Counts, type Extent, Fault, random, type Scenario } from './scenario.ts';
import { noSmallDisk, SmallDisk } from './small-disk.ts';

const CLIENTS = 32;
/** How many bytes are left, at most, when the disk is filled: some more batches, or none. */
const MOST_ROOM = 200_000;

/** The disk gets full while clients send, and has room again. */
export const fullDisk: Scenario = {
  name: 'the disk is full (ENOSPC), and then it is not, again and again under load',
  engine: 'SQLite',
  impossible: noSmallDisk,
  async run({ long, seed }: Extent): Promise<Counts> {
    const next = random(seed);
    const newPlant = randomPlants(next);
    await using place = await createPlace('SQLite');
    const disk = new SmallDisk(place.url.slice('sqlite:'.length));
    const { url, admin } = await disk.listening();
    using client = new Client(place.token);
    const ledger = new Ledger();
    const counts = { 'times full': 0, 'answers 503': 0, acknowledged: 0, lost: 0, phantoms: 0 };
    for (; counts['times full'] < (long ? 50 : 3); counts['times full']++) {
      counts['answers 503'] += await disturb(
        () => new Load(CLIENTS, [url], client, ledger, newPlant),
        next() * CALM_MS,
        {
          begin: () => {
            disk.fill(Math.floor(next() * MOST_ROOM));
          },
          meanwhile: () => answersOperators(admin),
          end: () => {
            disk.makeRoom();
          },
        },
      );
      ledger.check(await disk.read());
    }
    disk.service.child.kill('SIGTERM');
    const code = await disk.service.ended;
    if (code !== 0) throw new Fault(`the service ended with ${String(code)}: ${disk.service.stderr()}`);
    return { ...counts, acknowledged: ledger.acknowledged };
  },
};

async function answersOperators(admin: string): Promise<void> {
  const [livez, readyz] = await Promise.all(['livez', 'readyz'].map((name) => fetch(`${admin}/${name}`)));
  // There may be room for what it writes: that it answers is what counts.
  await readyz?.text();
  if (livez?.status !== 200) throw new Fault(`/livez says ${String(livez?.status)}`);
}
