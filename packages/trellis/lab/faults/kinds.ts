import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { bench } from '../bench/service/index.ts';
import { Fault } from '../../test/support/clients.ts';
import { createPlace } from '../../test/support/place.ts';
import { type Program, ROOT, type Service } from '../../test/support/service.ts';
import { clock } from '../../test/support/slow-disk.ts';
import { Testbed } from '../../test/support/testbed.ts';
import { inFlush, NOT_SLOWED, requireFlush, slowDisk } from './flushes.ts';
import { scenario } from './scenario.ts';

const KINDS: Program = {
  service: bench,
  main: join(ROOT, 'packages/trellis/lab/bench/service/main.ts'),
  path: '/items',
  conflict: 40011,
};
/** How much longer each fsync takes, in milliseconds. */
const SLOW_MS = 100;
/** How many clients send writes of each kind. A transfer takes several turns of the queue, so it has more clients. */
const CLIENTS = { create: 6, insert: 6, patch: 6, transfer: 40 };
const PATCHED = 3;
const ACCOUNTS = 40;
const OPENING = 1_000_000;
/** The accounts whose balance or version contradicts their transfers: at no moment may there be one. */
const TORN = `select id from accounts as a where version <> (select count(*) from transfers
    where a.id in (from_account, to_account)) or balance <> ${OPENING}
    + (select coalesce(sum(amount), 0) from transfers where to_account = a.id)
    - (select coalesce(sum(amount), 0) from transfers where from_account = a.id)`;

type Row = Readonly<Record<string, unknown>>;

/** Clients that send each kind of write, and their requests and answers. */
class Writers {
  looks = 0;
  refused = 0;
  private url = '';
  private readonly testbed: Testbed;
  private readonly path: string;
  /** The JSON of each note and transfer, and whether it was acknowledged. */
  private readonly rows = { notes: new Map<string, boolean>(), transfers: new Map<string, boolean>() };
  private readonly patched = Array.from({ length: PATCHED }, () => ({ tags: [''], versions: new Set<number>() }));
  private ids = 0;
  private answers: { readonly what: string; readonly from: number; readonly to: number }[] = [];

  constructor(testbed: Testbed) {
    this.testbed = testbed;
    this.path = testbed.place.url.slice('sqlite:'.length);
    using database = new DatabaseSync(this.path);
    for (let id = 0; id < ACCOUNTS; id++) database.exec(`insert into accounts values (${id}, ${OPENING}, 0)`);
    for (let id = 1; id <= PATCHED; id++) database.exec(`insert into notes values (${-id}, 'patched', '', 0)`);
  }

  /** Resolves when the service has ended. */
  async send(url: string): Promise<void> {
    this.url = url;
    this.answers = [];
    const clients = Object.entries(CLIENTS).flatMap(([kind, count]) =>
      Array.from({ length: count }, async () => {
        await sleep(this.pick(5 * SLOW_MS));
        let goesOn = true;
        while (goesOn) goesOn = await this[kind as keyof typeof CLIENTS]();
      }),
    );
    await Promise.all(clients);
  }

  /** An item, another one with its id, and the item again: at once, or while the first one is not yet durable. */
  private async create(): Promise<boolean> {
    const { testbed } = this;
    const item = testbed.newItem();
    const from = clock();
    const gap = this.pick(2) * (SLOW_MS / 4);
    const each = [item, { ...item, name: `another ${String(item.id)}` }, item].map(async (content, at) => {
      await sleep(at * gap);
      testbed.ledger.add(content);
      const answer = await testbed.client.create(this.url, content);
      if (answer === 'unavailable') throw new Fault('a 503 although nothing disturbs the service');
      testbed.ledger.answer(content, answer, false);
      if (answer === 'conflict') this.refused++;
      // A refusal and a replay tell of the row that the first request stores.
      if (answer !== 'lost') this.answers.push({ what: `${answer}: ${exactJson(content)}`, from, to: clock() });
      return answer !== 'lost';
    });
    return (await Promise.all(each)).every(Boolean);
  }

  private insert(): Promise<boolean> {
    return this.add('notes', { id: this.ids++, name: 'inserted' }, { version: 0 });
  }

  private transfer(): Promise<boolean> {
    const from_account = this.pick(ACCOUNTS);
    const to_account = (from_account + 1 + this.pick(ACCOUNTS - 1)) % ACCOUNTS;
    return this.add('transfers', { id: this.ids++, from_account, to_account, amount: 1 + this.pick(1000) }, {});
  }

  private async add(table: 'notes' | 'transfers', body: Row, more: Row): Promise<boolean> {
    const json = JSON.stringify({ ...body, ...more });
    this.rows[table].set(json, false);
    const answer = await this.ask('POST', `/${table}`, body, 201);
    if (answer !== undefined) this.rows[table].set(json, true);
    return answer !== undefined;
  }

  private async patch(): Promise<boolean> {
    const at = this.pick(PATCHED);
    const tag = `tag ${this.ids++}`;
    this.patched[at]?.tags.push(tag);
    const answer = await this.ask('PATCH', `/notes/${-1 - at}`, { tag }, 200);
    const version = answer?.['version'] as number;
    if (answer === undefined) return false;
    if (this.patched[at]?.versions.has(version)) throw new Fault(`two patches made version ${version}`);
    this.patched[at]?.versions.add(version);
    return true;
  }

  /** Returns undefined if no answer comes. */
  private async ask(method: string, path: string, sent: Row, due: number): Promise<Row | undefined> {
    const from = clock();
    const body = JSON.stringify(sent);
    const headers = { authorization: `Bearer ${this.testbed.place.token}`, 'content-type': 'application/json' };
    const request = fetch(this.url + path, { method, headers, body });
    const reply = await request
      .then(async (each) => ({ status: each.status, text: await each.text() }))
      .catch(() => undefined);
    if (reply === undefined) return undefined;
    if (reply.status !== due) throw new Fault(`${path} ${body} was answered with ${reply.status} ${reply.text}`);
    this.answers.push({ what: `${path} ${body}`, from, to: clock() });
    return JSON.parse(reply.text) as Row;
  }

  /** @throws Fault if a part of a transaction can be seen */
  look(): void {
    this.looks++;
    const [torn] = this.stored(TORN);
    if (torn !== undefined) throw new Fault(`account ${String(torn['id'])} does not have what its transfers say`);
  }

  /** @throws Fault if a write was answered before an fsync that began after it was sent */
  requireFlushed(flushes: Parameters<typeof requireFlush>[0]): void {
    for (const { what, from, to } of this.answers) requireFlush(flushes, what, from, to);
  }

  /** Compares the store with the answers. @returns how many writes of each kind are stored and were not acknowledged */
  async check(): Promise<number[]> {
    this.look();
    await this.testbed.check();
    const unanswered = Object.entries(this.rows).map(([table, sent]) => {
      const columns = table === 'notes' ? 'id, name, version' : '*';
      const stored = new Set(
        this.stored(`select ${columns} from ${table} where id >= 0`).map((row) => JSON.stringify(row)),
      );
      const lost = sent.entries().find(([json, acknowledged]) => acknowledged && !stored.has(json));
      const phantom = stored.values().find((json) => !sent.has(json));
      if (lost) throw new Fault(`lost: ${lost[0]}`);
      if (phantom !== undefined) throw new Fault(`a phantom: ${phantom}`);
      return stored.size - sent.values().filter(Boolean).toArray().length;
    });
    const patches = this.stored('select tag, version from notes where id < 0 order by id desc').map((note, at) => {
      const { tags, versions } = this.patched[at] ?? { tags: [], versions: new Set() };
      const version = Number(note['version']);
      if (version < Math.max(0, ...versions) || version > tags.length - 1 || !tags.includes(String(note['tag'])))
        throw new Fault(`${JSON.stringify(note)} is stored after ${versions.size} of ${tags.length - 1} patches`);
      return version - versions.size;
    });
    const [items] = this.stored('select count(*) as count from items');
    return [Number(items?.['count']) - this.testbed.ledger.acknowledged, ...unanswered, Math.max(...patches)];
  }

  get acknowledged() {
    const count = (rows: ReadonlyMap<string, boolean>) => rows.values().filter(Boolean).toArray().length;
    return {
      creates: this.testbed.ledger.acknowledged,
      inserts: count(this.rows.notes),
      patches: this.patched.reduce((sum, { versions }) => sum + versions.size, 0),
      'transfers acknowledged': count(this.rows.transfers),
    };
  }

  /** Reads as another process does: the connection is closed before the next kill, so the next start recovers the log. */
  private stored(sql: string): Row[] {
    using database = new DatabaseSync(this.path, { readOnly: true });
    return database.prepare(sql).all();
  }

  pick(below: number): number {
    return Math.floor(this.testbed.next() * below);
  }
}

async function killInFlush(writers: Writers, service: Service, disk: ReturnType<typeof slowDisk>): Promise<void> {
  const sending = writers.send(service.url);
  const begun = clock();
  const killAt = begun + (10 + writers.pick(10)) * SLOW_MS;
  while (clock() < killAt) {
    writers.look();
    await Promise.race([sending, sleep(20)]);
  }
  await inFlush(disk, service, clock(), 1, sending);
  await sleep(writers.pick(SLOW_MS * 0.8));
  service.child.kill('SIGKILL');
  await Promise.all([sending, service.ended]);
  writers.requireFlushed(disk.flushes(service.child.pid));
}

/** A batch has creates, statements and transactions. What is answered, also a refusal, must hold after a kill. */
export const killsOfAllKinds = scenario(
  `creates, inserts, patches and transactions share batches; the service is killed (-9) inside an fsync of ${SLOW_MS} ms`,
  'SQLite',
  async ({ long, seed }) => {
    await using testbed = new Testbed(await createPlace('SQLite', KINDS), seed);
    const disk = slowDisk(testbed, SLOW_MS);
    const writers = new Writers(testbed);
    let service = await testbed.start(disk.environment);
    const counts = { kills: 0, 'with each kind in the batch': 0 };
    let before = [0, 0, 0, 0];
    // Batches are small and large in turn, and a kill does not choose.
    const isEnough = () => counts.kills >= (long ? 40 : 2) && counts['with each kind in the batch'] > 0;
    for (; !isEnough() && counts.kills < 100; counts.kills++) {
      await killInFlush(writers, service, disk);
      service = await testbed.start(disk.environment, 'listening');
      const unanswered = await writers.check();
      if (unanswered.every((count, at) => count > (before[at] ?? 0))) counts['with each kind in the batch']++;
      before = unanswered;
    }
    if (counts['with each kind in the batch'] === 0)
      throw new Error('no batch that was cut off had writes of each kind');
    return { ...counts, ...writers.acknowledged, refused: writers.refused, 'looks from outside': writers.looks };
  },
  NOT_SLOWED,
);
