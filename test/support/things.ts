import type { RequestData } from '../../src/contract/contract.ts';
import type { ReplyData } from '../../src/http/reply.ts';
import { THINGS } from './contracts.ts';
import { startApp } from './app.ts';

export const VALID = { status: 200, headers: { 'X-Total': 1n }, body: {} };

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A service that keeps THINGS, and whose operations answer what the test says, types or no types. */
export async function startThings() {
  const seen: RequestData[] = [];
  let answer: unknown;
  const operation = (request: RequestData): Promise<ReplyData> => {
    seen.push(request);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as ReplyData);
  };
  const app = await startApp({
    yaml: THINGS,
    basePath: '/a+b(c)',
    operations: { newestThing: operation, getThing: operation, putThing: operation },
  });
  async function call(reply: unknown, method: string, path: string, options: CallOptions = {}) {
    answer = reply;
    seen.length = 0;
    const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json', ...options.headers };
    const response = await fetch(`${app.url}/a+b(c)${path}`, { ...options, method, headers });
    const text = await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    return { status: response.status, headers: response.headers, text, requestId };
  }
  return { app, seen, call };
}
