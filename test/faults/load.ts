import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '../../src/storage/store.ts';
import type { Client } from './clients.ts';
import type { Ledger } from './ledger.ts';

/** Clients that send new plants, each again until it is acknowledged, while something else goes on. */
export class Load implements Disposable {
  private readonly over = new AbortController();
  private readonly clients: Promise<void>[];
  /** Plants that were acknowledged, and answers that were a 503 or none. */
  acknowledged = 0;
  failures = 0;
  /** Whether a client has found a fault, which `stop` throws. */
  broken = false;
  private abandoned = false;

  /** @param urls of the instances, one after the other for each client */
  constructor(count: number, urls: readonly string[], client: Client, ledger: Ledger, newPlant: () => StoredPlant) {
    this.clients = Array.from({ length: count }, async (_, index) => {
      const url = urls[index % urls.length] ?? '';
      while (!this.over.signal.aborted) {
        const plant = newPlant();
        while (!(await this.send(client, url, ledger, plant)) && !this.abandoned) await sleep(50);
      }
    });
    Promise.all(this.clients).catch(() => (this.broken = true));
  }

  /** Lets each client end with its request, acknowledged or not: for whoever does not wait. */
  abandon(): void {
    this.abandoned = true;
    this.over.abort();
  }

  [Symbol.dispose](): void {
    this.abandon();
  }

  /** Lets each client come to the end of its plant. */
  async stop(): Promise<void> {
    this.over.abort();
    await Promise.all(this.clients);
  }

  private async send(client: Client, url: string, ledger: Ledger, plant: StoredPlant): Promise<boolean> {
    const known = ledger.add(plant);
    const answer = await client.create(url, plant);
    ledger.answer(plant, answer, known);
    const acknowledged = answer !== 'unavailable' && answer !== 'lost';
    if (acknowledged) this.acknowledged++;
    else this.failures++;
    return acknowledged;
  }
}
