import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Client as ExactClient } from 'trellis/testing';

export type { Answer };

/** The program that runs the bank. */
export const MAIN = new URL('../main.ts', import.meta.url);

/** Makes a valid body acceptable: the accounts of a transfer must exist. */
export async function withAccounts<Body extends Readonly<Record<string, unknown>>>(
  operation: string,
  body: Body,
  client: Client,
): Promise<Body> {
  if (operation !== 'transfer') return body;
  const from_account = await client.open(body['amount'] as bigint);
  return { ...body, from_account, to_account: await client.open(0n) };
}

export interface NewTransfer {
  readonly id: string;
  readonly from_account: string;
  readonly to_account: string;
  readonly amount: bigint;
  readonly reference?: string;
}

/** A client of the bank, with the token of the service or another one. */
export class Client extends ExactClient {
  override send<Body = Answer['body']>(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const type = method === 'PATCH' && body !== undefined && { 'Content-Type': 'application/merge-patch+json' };
    return super.send(method, path, body, { ...type, ...headers });
  }

  /** Sends a request until the bank can take it: each of them may be repeated. */
  private async repeat(...request: Parameters<ExactClient['send']>): Promise<Answer> {
    for (;;) {
      const answer = await this.send(...request);
      if (answer.status !== 503) return answer;
      await sleep(50);
    }
  }

  get(path: string): Promise<Answer> {
    return this.repeat('GET', path);
  }

  /** Opens an account, and returns its id. */
  async open(opening_balance: bigint, currency = 'EUR', owner = 'Ada'): Promise<string> {
    const id = randomUUID();
    requireStatus(201, await this.repeat('POST', '/accounts', { id, owner, currency, opening_balance }));
    return id;
  }

  async balanceOf(id: string): Promise<unknown> {
    return (await this.get(`/accounts/${id}`)).body['balance'];
  }

  transfer(transfer: NewTransfer): Promise<Answer> {
    return this.send('POST', '/transfers', transfer);
  }

  /** Sends a transfer until the bank answers whether it has moved the money. */
  insist(transfer: NewTransfer): Promise<Answer> {
    return this.repeat('POST', '/transfers', transfer);
  }

  /** All items of a list, page after page. */
  async all(path: string, member: string): Promise<readonly Answer['body'][]> {
    const items: Answer['body'][] = [];
    for (let cursor = ''; ;) {
      const answer = await this.get(`${path}${path.includes('?') ? '&' : '?'}limit=7${cursor}`);
      requireStatus(200, answer);
      const { body } = answer;
      items.push(...(body[member] as Answer['body'][]));
      if (body['next'] === undefined) return items;
      cursor = `&cursor=${body['next'] as string}`;
    }
  }
}

export function newTransfer(from_account: string, to_account: string, amount: bigint): NewTransfer {
  return { id: randomUUID(), from_account, to_account, amount };
}

function requireStatus(due: number, { status, body }: Answer): void {
  if (status !== due) throw new Error(`answered with ${status} ${String(body['message'])}, where ${due} was due`);
}
