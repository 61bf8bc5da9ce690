import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../../packages/contract/src/schema/int64.ts';
import { fullDiskOf } from '../../../packages/trellis/lab/faults/disturbances.ts';
import { inFlush, NOT_SLOWED, slowDisk } from '../../../packages/trellis/lab/faults/flushes.ts';
import { movedFilesOf } from '../../../packages/trellis/lab/faults/mistakes.ts';
import { type Counts, scenario } from '../../../packages/trellis/lab/faults/scenario.ts';
import {
  type Business,
  failoversOf,
  killsOfServer,
  type Traffic,
} from '../../../packages/trellis/lab/faults/server.ts';
import { Fault } from '../../../packages/trellis/test/support/clients.ts';
import { createPlace } from '../../../packages/trellis/test/support/place.ts';
import { clock } from '../../../packages/trellis/test/support/slow-disk.ts';
import { Testbed } from '../../../packages/trellis/test/support/testbed.ts';
import type { Trial } from '../../../packages/trellis/test/support/trials.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';
import { type Answer, Client, type NewTransfer, newTransfer } from '../test/client.ts';
import { BANK } from './program.ts';

const CLIENTS = 32;
const OPENING = 100_000n;
/** How many transfers are acknowledged before each kill. */
const LEAST = { long: 1000, short: 200 };
/** How much longer each fsync takes, in milliseconds. */
const SLOW_MS = 20;

/** Clients that move money between five accounts, and send each transfer until it is answered. */
class Transfers implements Traffic {
  acknowledged = 0;
  failures = 0;
  broken = false;
  /** The addresses of the services, which a restart changes. */
  urls: readonly string[];
  private readonly token: string;
  private readonly next: () => number;
  private readonly balances: Map<string, bigint>;
  /** The accounts that clients have opened since the start, with what each must have. */
  private readonly opened = new Map<string, bigint>();
  private readonly made: { readonly transfer: NewTransfer; readonly answer: Answer }[] = [];
  private over = new AbortController();
  private clients: Promise<unknown> = Promise.resolve();

  private constructor({ place, next }: Testbed, urls: readonly string[], accounts: readonly string[]) {
    this.urls = urls;
    this.token = place.token;
    this.next = next;
    this.balances = new Map(accounts.map((id) => [id, OPENING]));
    this.resume();
  }

  resume(): void {
    this.over = new AbortController();
    const clients = Array.from({ length: CLIENTS }, (_, at) => (at % 8 === 0 ? this.open(at) : this.send(at)));
    this.clients = Promise.all(clients);
    this.clients.catch(() => {
      this.broken = true;
    });
  }

  /** Opens accounts. No transfer uses them, so that the accounts of the transfers stay in demand. */
  private async open(client: number): Promise<void> {
    while (!this.over.signal.aborted) {
      const id = randomUUID();
      const account = { id, owner: 'Ada', currency: 'EUR', opening_balance: OPENING };
      this.opened.set(id, OPENING);
      const answer = await this.insist(client, (bank) => bank.send('POST', '/accounts', account));
      if (answer.status !== 201) throw new Fault(`an account was answered with ${answer.status}`);
      this.acknowledged++;
      await sleep(this.next() * 2 * SLOW_MS);
    }
  }

  static async begin(testbed: Testbed, services: readonly { readonly url: string }[]): Promise<Transfers> {
    const urls = services.map(({ url }) => url);
    const client = new Client({ url: urls[0] ?? '', token: testbed.place.token });
    return new Transfers(testbed, urls, await Promise.all(Array.from({ length: 5 }, () => client.open(OPENING))));
  }

  private async send(client: number): Promise<void> {
    while (!this.over.signal.aborted) {
      const [from = '', to = ''] = [...this.balances.keys()].toSorted(() => this.next() - 0.5);
      const transfer = newTransfer(from, to, BigInt(1 + Math.floor(this.next() * 50_000)));
      const answer = await this.insist(client, (bank) => bank.transfer(transfer));
      if (answer.status === 201) this.count(transfer, answer);
      else if (answer.body['error'] !== 40919n)
        throw new Fault(`a transfer was answered with ${answer.status} ${exactJson(answer.body)}`);
    }
  }

  private count(transfer: NewTransfer, answer: Answer): void {
    const { from_account, to_account, amount } = transfer;
    this.acknowledged++;
    this.made.push({ transfer, answer });
    this.balances.set(from_account, (this.balances.get(from_account) ?? 0n) - amount);
    this.balances.set(to_account, (this.balances.get(to_account) ?? 0n) + amount);
  }

  private async insist(client: number, ask: (bank: Client) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const url = this.urls[client % this.urls.length] ?? '';
      const answer = await ask(new Client({ url, token: this.token })).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return answer;
      this.failures++;
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.over.abort();
    await this.clients;
  }

  [Symbol.dispose](): void {
    this.over.abort();
  }

  /** @throws Fault if money was made or lost, an account is overdrawn, or a transfer is not as it was answered */
  async check(): Promise<Counts> {
    const client = new Client({ url: this.urls[0] ?? '', token: this.token });
    const found = await client.all('/accounts', 'accounts');
    const dues = new Map([...this.balances, ...this.opened]);
    if (found.length !== dues.size) throw new Fault(`${found.length} accounts are stored, of ${dues.size}`);
    for (const { id, balance } of found) {
      const due = dues.get(String(id));
      if (balance !== due) throw new Fault(`an account has ${String(balance)}, where ${String(due)} is due`);
      if ((balance as bigint) < 0n) throw new Fault(`an account has ${String(balance)}`);
    }
    const listed = await Promise.all(
      this.balances.keys().map((id) => client.all(`/accounts/${id}/transfers`, 'transfers')),
    );
    const ids = new Set(listed.flat().map(({ id }) => id));
    if (ids.size !== this.made.length) throw new Fault(`${ids.size} transfers are stored, of ${this.made.length}`);
    const last = this.made.slice(-100);
    for (const { transfer, answer } of last) {
      const again = await client.insist(transfer);
      if (again.headers.get('idempotent-replayed') !== 'true' || again.body['at'] !== answer.body['at'])
        throw new Fault(`a transfer sent again was answered with ${again.status}`);
    }
    return { 'accounts opened': this.opened.size, 'sent again': last.length };
  }
}

const MONEY: Business<Transfers> = {
  name: 'the bank: ',
  program: BANK,
  begin: (testbed, services) => Transfers.begin(testbed, services),
  least: LEAST,
  kills: 20,
  failovers: 10,
  check: (_testbed, transfers) => transfers.check(),
};

const killsInFlushes = scenario(
  `the bank: the service is killed (-9) inside an fsync of ${SLOW_MS} ms under load, and restarted`,
  'SQLite',
  async ({ long, seed }) => {
    await using testbed = new Testbed(await createPlace('SQLite', BANK), seed);
    const disk = slowDisk(testbed, SLOW_MS);
    let service = await testbed.start(disk.environment);
    using transfers = await Transfers.begin(testbed, [service]);
    let kills = 0;
    for (; kills < (long ? 15 : 1); kills++) {
      const from = transfers.acknowledged;
      await until(() => transfers.acknowledged >= from + LEAST[long ? 'long' : 'short'], 300_000);
      await inFlush(disk, service, clock(), 1, new Promise(() => undefined));
      await sleep(testbed.next() * SLOW_MS * 0.8);
      service.child.kill('SIGKILL');
      await service.ended;
      service = await testbed.start(disk.environment);
      transfers.urls = [service.url];
    }
    await transfers.stop();
    const { acknowledged, failures } = transfers;
    return { kills, 'answers 503 or none': failures, acknowledged, ...(await transfers.check()) };
  },
  NOT_SLOWED,
);

/** Money in the bank, while disks and databases fail. */
export const faults: readonly Trial[] = [
  ...[killsInFlushes, fullDiskOf(MONEY), movedFilesOf(MONEY)],
  ...[killsOfServer(MONEY), failoversOf(MONEY)],
];
