import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { ReplyData, RequestData } from '../../../../contract/src/message/operation.ts';
import { startApp } from '../../support/app.ts';
import type { Handler } from '../../../src/service.ts';

/** The contract of the garden. */
export const GARDEN = readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8');

const answering =
  (answer: (request: RequestData) => ReplyData): Handler =>
  (request) =>
    Promise.resolve(answer(request));

const done = answering(() => ({ status: 204 }));

/** Its operations. Each answers with the data that it got, if its reply can hold them. */
export const gardenOperations: Readonly<Record<string, Handler>> = {
  listBeds: answering(({ query }) => ({
    status: 200,
    headers: { 'X-Total': 1n, 'X-More': query['open'] === true },
    body: [{ id: query['after'] ?? 0n }],
  })),
  newestBed: done,
  getBed: answering(({ path }) => ({ status: 200, headers: { 'X-Total': 1n }, body: { id: path['bed-id'] } })),
  putBed: answering(({ path, body }) => ({
    status: 200,
    headers: { 'X-Total': 1n },
    body: Array.isArray(body) ? { parts: body.map((id: unknown) => ({ id })) } : (body ?? { id: path['bed-id'] }),
  })),
  removeBed: done,
  getPlot: done,
  getWeather: answering(() => ({ status: 204, headers: { 'X-Rain': false } })),
  askGate: done,
  seeGate: done,
  mendGate: done,
  traceGate: done,
  // A reply without a declared type cannot contain a bigint.
  addNote: answering(({ body }) => ({ status: 200, body: typeof body === 'bigint' ? String(body) : body })),
  addVisitor: answering(({ body }) => ({ status: 200, body })),
  addMember: answering(() => ({ status: 201, body: { id: 2n ** 63n - 1n, name: 'Ada', joined: '2026-02-28' } })),
  checkRules: answering(({ body }) => ({ status: 200, body })),
};

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** What the operation returns instead, valid or not; an Error is thrown. */
  readonly reply?: unknown;
}

/** Starts a service with this contract; `seen` has the requests that its operations got. */
export async function startGarden(basePath = '') {
  const seen: RequestData[] = [];
  let sent: Sent = {};
  const operations = Object.entries(gardenOperations).map(([id, operation]): [string, Handler] => [
    id,
    (...called) => {
      seen.push(called[0]);
      if (!('reply' in sent)) return operation(...called);
      return sent.reply instanceof Error ? Promise.reject(sent.reply) : Promise.resolve(sent.reply as ReplyData);
    },
  ]);
  const app = await startApp({ yaml: GARDEN, basePath, operations: Object.fromEntries(operations) });

  /** Sends a request with its target unchanged, which `fetch` would normalise. */
  async function call(method: string, target: string, options: Sent = {}) {
    sent = options;
    seen.length = 0;
    const headers = {
      Authorization: `Bearer ${app.token}`,
      ...(options.body !== undefined && { 'Content-Type': 'application/json' }),
      ...options.headers,
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const path = `${basePath}/v1:b${target}`;
    httpRequest(app.url, { method, path, headers }).on('response', resolve).on('error', reject).end(options.body);
    const response = await promise;
    const { statusCode: status, headers: fields } = response;
    return { status, headers: fields, text: await textOf(response), requestId: String(fields['x-request-id']) };
  }
  return { app, seen, call };
}
