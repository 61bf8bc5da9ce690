import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Describes the load for a server. `RunningServer.measure` runs this file as a separate process. */
export interface Load {
  readonly port: number;
  readonly token: string;
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
  readonly creates: number;
  readonly seconds: number;
  /** The latency in milliseconds, from the write of a request to the end of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** The number of answers other than 200, and of broken connections. */
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
const head = `POST /items HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${load.token}\r\nContent-Type: application/json\r\nContent-Length: `;
const { warmUpSeconds } = load;
let nextId = load.firstId;
let [counting, over] = [warmUpSeconds === 0, false];
let [creates, failures] = [0, 0];

function nextRequest(): string {
  const id = load.ids === 'sequential' ? nextId++ : Math.floor(Math.random() * 2 ** 52);
  const body = `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`;
  return `${head}${body.length}\r\n\r\n${body}`;
}

/** Sends one request after the other, without a client library, which would use more CPU time than some servers. */
function client(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(load.port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    let [sentAt, text] = [0, ''];
    const send = () => {
      if (over) {
        socket.end();
        return;
      }
      sentAt = performance.now();
      socket.write(nextRequest());
    };
    socket.on('connect', send);
    socket.on('data', (chunk: string) => {
      text = text === '' ? chunk : text + chunk;
      const end = text.indexOf('\r\n\r\n');
      if (end < 0 || text.length < end + 4 + contentLength(text)) return;
      if (counting) count(performance.now() - sentAt, text.startsWith('200', 9));
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

function count(milliseconds: number, created: boolean): void {
  const slot = Math.min(Math.round(milliseconds / STEP_MS), counts.length - 1);
  counts[slot] = (counts[slot] ?? 0) + 1;
  if (created) creates++;
  else failures++;
}

function percentile(share: number): number {
  let rest = counts.reduce((sum, each) => sum + each, 0) * share;
  return counts.findIndex((each) => (rest -= each) <= 0) * STEP_MS;
}

function say(message: LoadMessage): void {
  process.send?.(message);
}

// The parent process has ended, so this process ends too.
process.on('disconnect', () => process.exit());

const clients = Array.from({ length: load.connections }, client);
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
    creates,
    seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    failures,
    busy: (user + system) / 1e6 / seconds,
    nextId,
  },
});
process.disconnect?.();
