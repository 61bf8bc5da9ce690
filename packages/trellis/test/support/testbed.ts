import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Client } from './clients.ts';
import { type Found, Ledger, random, randomItems } from './ledger.ts';
import { createPlace, type Engine, type Place, readItems } from './place.ts';
import { type Environment, type Program, type Service, startService } from './service.ts';
import type { Item } from '../services/items/index.ts';

/** A store with services on it, a client, and the ledger of its requests and answers. */
export class Testbed implements AsyncDisposable {
  readonly place: Place;
  readonly client: Client;
  readonly ledger = new Ledger();
  /** The next random number, from 0 to below 1. */
  readonly next: () => number;
  readonly newItem: () => Item;
  private readonly services: Service[] = [];

  constructor(place: Place, seed: number) {
    this.place = place;
    this.client = new Client(place.token, place.program.path);
    this.next = random(seed);
    this.newItem = randomItems(this.next);
  }

  static async create(engine: Engine, seed: number, program?: Program): Promise<Testbed> {
    return new Testbed(await createPlace(engine, program), seed);
  }

  async start(environment: Environment = {}, until: 'listening' | 'ready' = 'ready'): Promise<Service> {
    const env = { ...environment, DATABASE_URL: this.place.url };
    const service = await startService(env, undefined, this.place.program.main, until);
    this.services.push(service);
    return service;
  }

  startTwo(): Promise<Service[]> {
    return Promise.all([this.start(), this.start()]);
  }

  /** Sends an item, and records the answer. @throws Fault if the answer contradicts the ledger */
  async send(url: string, item: Item, hangUpAfterMs?: number): Promise<Answer> {
    const known = this.ledger.add(item);
    const answer = await this.client.create(url, item, hangUpAfterMs);
    this.ledger.answer(item, answer, known);
    return answer;
  }

  load(count: number, services: readonly { readonly url: string }[]): Load {
    return new Load(count, services, this);
  }

  /** Compares the ledger with the stored items. @throws Fault if they contradict it */
  async check(url = this.place.url): Promise<Found> {
    return this.ledger.check(await readItems(url, this.place.program));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The services are killed first, because that ends the open requests of the clients.
    for (const { child } of this.services) child.kill('SIGKILL');
    await Promise.all(this.services.map(({ ended }) => ended));
    this.client[Symbol.dispose]();
    await this.place[Symbol.asyncDispose]();
  }
}

/** Clients that send new items in the background, and send each again until the service acknowledges it. */
export class Load implements Disposable {
  private over = new AbortController();
  private clients: Promise<void>[] = [];
  private readonly count: number;
  private readonly services: readonly { readonly url: string }[];
  private readonly testbed: Testbed;
  /** Acknowledged items, and requests that got a 503 or no answer. */
  acknowledged = 0;
  failures = 0;
  /** Whether a client has found a fault, which `stop` throws. */
  broken = false;
  private abandoned = false;

  /** @param services each client uses one of them */
  constructor(count: number, services: readonly { readonly url: string }[], testbed: Testbed) {
    this.count = count;
    this.services = services;
    this.testbed = testbed;
    this.resume();
  }

  /** Lets the clients send again after `stop`. */
  resume(): void {
    this.over = new AbortController();
    const { signal } = this.over;
    this.clients = Array.from({ length: this.count }, async (_, index) => {
      const url = this.services[index % this.services.length]?.url ?? '';
      while (!signal.aborted) {
        const item = this.testbed.newItem();
        while (!this.countAnswer(await this.testbed.send(url, item)) && !this.abandoned) await sleep(50);
      }
    });
    Promise.all(this.clients).catch(() => {
      this.broken = true;
    });
  }

  private countAnswer(answer: Answer): boolean {
    const acknowledged = answer !== 'unavailable' && answer !== 'lost';
    if (acknowledged) this.acknowledged++;
    else this.failures++;
    return acknowledged;
  }

  /** Tells each client to end with its present request, acknowledged or not, and does not wait. */
  [Symbol.dispose](): void {
    this.abandoned = true;
    this.over.abort();
  }

  /** Waits until the service has acknowledged the last item of each client. */
  async stop(): Promise<void> {
    this.over.abort();
    await Promise.all(this.clients);
  }
}

/** Runs `work` `count` times in parallel. */
export async function together(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
