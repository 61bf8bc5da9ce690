import { Agent, request } from 'node:http';
import { exactJson } from '../../src/contract/exact-json.ts';
import type { StoredPlant } from '../../src/storage/plant-store.ts';
import { Fault } from './scenario.ts';

/** What a client was told of a plant; `lost`: nothing, as the connection broke. */
export type Answer = 'created' | 'replayed' | 'conflict' | 'unavailable' | 'lost';

/** A client that keeps its connections. */
export class Client implements Disposable {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  private readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  /**
   * Sends a plant.
   *
   * @param hangUpAfterMs breaks the connection then, answer or not
   * @throws Fault if the answer is none that the contract has for a plant that is valid
   */
  async create(url: string, plant: StoredPlant, hangUpAfterMs?: number): Promise<Answer> {
    const reply = await this.send(url, exactJson(plant), hangUpAfterMs);
    if (reply === undefined) return 'lost';
    const { status, replayed, text } = reply;
    if (status === 503) return 'unavailable';
    if (status === 400 && text.startsWith('{"error":40011,')) return 'conflict';
    const { name, tag } = plant;
    if (status !== 200 || text !== JSON.stringify({ name, tag })) {
      throw new Fault(`${exactJson(plant)} was answered with ${String(status)} ${text}`);
    }
    return replayed ? 'replayed' : 'created';
  }

  private send(
    url: string,
    body: string,
    hangUpAfterMs?: number,
  ): Promise<{ status: number; replayed: boolean; text: string } | undefined> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
      const lost = () => {
        resolve(undefined);
      };
      const sent = request(`${url}/plants`, { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', lost).on('close', () => {
          // Half an answer is none.
          const replayed = response.headers['idempotent-replayed'] === 'true';
          resolve(response.complete ? { status: response.statusCode ?? 0, replayed, text } : undefined);
        });
      });
      sent.on('error', lost).end(body);
      if (hangUpAfterMs !== undefined) setTimeout(() => sent.destroy(), hangUpAfterMs);
    });
  }

  [Symbol.dispose](): void {
    this.agent.destroy();
  }
}
