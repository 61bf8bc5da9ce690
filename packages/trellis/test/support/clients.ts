import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import type { Item } from '../services/items/index.ts';

/** The service broke a promise. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** The service's answer to a create; `lost`: the connection broke before an answer came. */
export type Answer = 'created' | 'replayed' | 'conflict' | 'unavailable' | 'lost';

/** A complete answer, or the error that came instead. */
export type Reply =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly error: NodeJS.ErrnoException };

/** A client with keep-alive connections. */
export class Client implements Disposable {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  private readonly token: string;
  private readonly path: string;

  /** @param path to which it sends */
  constructor(token: string, path = '/items') {
    this.token = token;
    this.path = path;
  }

  /**
   * Sends an item.
   *
   * @param hangUpAfterMs breaks the connection after this time, answered or not
   * @throws Fault if the contract does not allow this answer to a valid item
   */
  async create(url: string, item: Item, hangUpAfterMs?: number): Promise<Answer> {
    return toAnswer(item, await this.send(url, item, hangUpAfterMs));
  }

  /** Sends an item that the store cannot write. Returns whether the answer is 500. @throws Fault as `create` */
  async fails(url: string, item: Item): Promise<boolean> {
    const reply = await this.send(url, item);
    if ('status' in reply && reply.status === 500 && reply.text.startsWith('{"error":50000,')) return true;
    toAnswer(item, reply);
    return false;
  }

  send(url: string, item: Item, hangUpAfterMs?: number): Promise<Reply> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
      const lost = (error: Error) => {
        resolve({ error });
      };
      const sent = request(url + this.path, { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', lost).on('close', () => {
          const { statusCode: status = 0, headers } = response;
          if (response.complete) resolve({ status, headers, text });
          else lost(new Error('the answer is incomplete'));
        });
      });
      sent.on('error', lost).end(exactJson(item));
      if (hangUpAfterMs !== undefined) setTimeout(() => sent.destroy(), hangUpAfterMs);
    });
  }

  [Symbol.dispose](): void {
    this.agent.destroy();
  }
}

/** Reads the reply to a valid item. @throws Fault if the contract does not allow it */
export function toAnswer(item: Item, reply: Reply): Answer {
  if ('error' in reply) return 'lost';
  const { status, headers, text } = reply;
  if (status === 503 && headers['retry-after'] !== undefined) return 'unavailable';
  if (status === 400 && text.startsWith('{"error":40011,')) return 'conflict';
  const { name, tag } = item;
  if (status !== 200 || text !== JSON.stringify({ name, tag })) {
    throw new Fault(`${exactJson(item)} was answered with ${status} ${text}`);
  }
  return headers['idempotent-replayed'] === 'true' ? 'replayed' : 'created';
}
