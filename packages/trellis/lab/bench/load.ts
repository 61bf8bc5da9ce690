import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Operation, type OperationName, OPERATIONS } from './operations.ts';

/** Describes the load for a server. `RunningServer.measure` runs this file as a separate process. */
export interface Load {
  readonly port: number;
  readonly token: string;
  readonly operation: OperationName;
  readonly connections: number;
  /** How long to send requests that do not count, so that V8 first compiles the server's code. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** `sequential` counts up from `firstId`; `random` stays below 2^52, which JSON.parse of the peers reads exactly. */
  readonly ids: 'sequential' | 'random';
  readonly firstId: number;
}

/** What the load generator measures after the warm-up. */
export interface LoadResult {
  readonly answers: number;
  /** The number of answers, those of the warm-up included. */
  readonly allAnswers: number;
  readonly seconds: number;
  /** The latency in milliseconds, from the write of a request to the end of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** The number of answers with another status, and of broken connections, also during the warm-up. */
  readonly failures: number;
  /** The share of a core that the load generator used. If it is near 1, the load limited the rate, not the server. */
  readonly busy: number;
  readonly nextId: number;
}

/** Tells the parent process that the warm-up has ended, or that the measurement has ended. */
export type LoadMessage = { readonly state: 'warm' } | { readonly state: 'done'; readonly result: LoadResult };

/** The width of one step of `counts`. The last step is for latencies of 10 s and more. */
const STEP_MS = 0.01;
const counts = new Uint32Array(1_000_000);

const load = JSON.parse(process.argv[2] ?? '') as Load;
const { warmUpSeconds } = load;
let nextId = load.firstId;
let counting = warmUpSeconds === 0;
let over = false;
let answers = 0;
let allAnswers = 0;
let failures = 0;

const newId = load.ids === 'sequential' ? () => nextId++ : () => Math.floor(Math.random() * 2 ** 52);
const fields = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${load.token}\r\n`;

function nextRequest({ method, draw }: Operation): string {
  const [path, body] = draw(newId);
  const head = `${method} ${path} ${fields}`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Sends one request after the other, without a client library, which would use more CPU time than some servers. */
function client(operation: Operation, isMeasured = true): Promise<void> {
  const status = String(operation.status);
  return new Promise((resolve) => {
    const socket = connect(load.port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    let sentAt = 0;
    let text = '';
    const send = () => {
      if (over) {
        socket.end();
        return;
      }
      sentAt = performance.now();
      socket.write(nextRequest(operation));
    };
    socket.on('connect', send);
    socket.on('data', (chunk: string) => {
      text = text === '' ? chunk : text + chunk;
      const end = text.indexOf('\r\n\r\n');
      if (end < 0 || text.length < end + 4 + contentLength(text)) return;
      if (!text.startsWith(status, 9)) failures++;
      else if (isMeasured) count(performance.now() - sentAt);
      text = '';
      send();
    });
    socket.on('error', () => failures++);
    socket.on('close', () => {
      // A connection that the server closes during the load counts as a failure.
      if (!over) failures++;
      resolve();
    });
  });
}

const LENGTH = /content-length: (\d+)/i;

function contentLength(text: string): number {
  return Number(LENGTH.exec(text)?.[1] ?? 0);
}

function count(milliseconds: number): void {
  allAnswers++;
  if (!counting) return;
  answers++;
  const slot = Math.min(Math.round(milliseconds / STEP_MS), counts.length - 1);
  counts[slot] = (counts[slot] ?? 0) + 1;
}

function percentile(share: number): number {
  let rest = counts.reduce((sum, each) => sum + each, 0) * share;
  const slot = counts.findIndex((each) => {
    rest -= each;
    return rest <= 0;
  });
  return slot * STEP_MS;
}

function say(message: LoadMessage): void {
  process.send?.(message);
}

// The parent process has ended, so this process ends too.
process.on('disconnect', () => process.exit());

const operation = OPERATIONS[load.operation];
const clients = Array.from({ length: load.connections }, () => client(operation));
// The measurement does not wait for this client to end.
if (operation.beside !== undefined) void client(OPERATIONS[operation.beside], false);
if (warmUpSeconds > 0) await sleep(warmUpSeconds * 1000);
counting = true;
say({ state: 'warm' });
const start = performance.now();
const startUsage = process.cpuUsage();
const timer = setTimeout(() => {
  over = true;
}, load.seconds * 1000);
await Promise.all(clients);
clearTimeout(timer);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(startUsage);
say({
  state: 'done',
  result: {
    answers,
    allAnswers,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    failures,
    busy: (user + system) / 1e6 / seconds,
    nextId,
  },
});
process.disconnect?.();
