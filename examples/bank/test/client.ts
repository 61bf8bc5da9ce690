import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { read } from '../../../packages/trellis/testing/derived/spelling.ts';
import type { Engine } from '../../../packages/trellis/test/support/place.ts';
import { sharedPostgres } from '../../../packages/trellis/test/support/postgres.ts';
import { type Instance, type Program, ROOT, startInstance } from '../../../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../../../packages/trellis/test/support/temporary.ts';
import { exactJson } from '../../../packages/trellis/src/contract/schema/int64.ts';
import { bank } from '../service/index.ts';

export const ENGINES: readonly Engine[] = ['SQLite', 'PostgreSQL'];

/** The bank as a process. */
export const BANK: Program = {
  service: bank,
  main: join(ROOT, 'examples/bank/main.ts'),
  path: '/accounts',
  conflict: 40911,
  scopes: ['bank:read', 'bank:write', 'bank:admin'],
  related: async (operation, body, service) => {
    if (operation !== 'transfer') return body;
    const client = new Client(service);
    const from_account = await client.open(body['amount'] as bigint);
    return { ...body, from_account, to_account: await client.open(0n) };
  },
};

/** The address of a new store. */
export async function newStore(engine: Engine): Promise<string> {
  if (engine === 'SQLite') return `sqlite:${join(temporaryFolder(), 'bank.db')}`;
  const server = await sharedPostgres();
  return server.url(await server.createDatabase());
}

export async function startBank(url: string): Promise<Instance> {
  return await startInstance({ DATABASE_URL: url }, bank);
}

type Members = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Integers are bigints. */
  readonly body: Members;
}

export interface NewTransfer {
  readonly id: string;
  readonly from_account: string;
  readonly to_account: string;
  readonly amount: bigint;
  readonly reference?: string;
}

/** A client of the bank, with the token of the service or another one. */
export class Client {
  private readonly url: string;
  private readonly token: string | undefined;

  constructor({ url, token }: { readonly url: string; readonly token?: string }) {
    this.url = url;
    this.token = token;
  }

  async send(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const reply = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token !== undefined && { Authorization: `Bearer ${this.token}` }),
        ...(body && { 'Content-Type': type }),
        ...headers,
      },
      body: body ? exactJson(body) : null,
    });
    const text = await reply.text();
    const answer: Answer = { status: reply.status, headers: reply.headers, body: (text ? read(text) : {}) as Members };
    return answer;
  }

  /** Sends a request until the bank can take it: each of them may be repeated. */
  private async repeat(...request: Parameters<Client['send']>): Promise<Answer> {
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
  async all(path: string, member: string): Promise<readonly Members[]> {
    const items: Members[] = [];
    for (let cursor = ''; ;) {
      const answer = await this.get(`${path}${path.includes('?') ? '&' : '?'}limit=7${cursor}`);
      requireStatus(200, answer);
      const { body } = answer;
      items.push(...(body[member] as Members[]));
      if (body['next'] === undefined) return items;
      cursor = `&cursor=${body['next'] as string}`;
    }
  }
}

/** A transfer with an id of its own. */
export function newTransfer(from_account: string, to_account: string, amount: bigint): NewTransfer {
  return { id: randomUUID(), from_account, to_account, amount };
}

function requireStatus(due: number, { status, body }: Answer): void {
  if (status !== due) throw new Error(`answered with ${status} ${exactJson(body)}, where ${due} was due`);
}
