import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What load to put on a server of this machine. This file runs as a process of its own: see `RunningServer.measure`. */
export interface Load {
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  /** How long to send before anything is counted, so that the server's code is compiled. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** `sequential` counts up from `firstId`; `random` spreads below 2^52: JSON.parse of the peers can read them all. */
  readonly ids: 'sequential' | 'random';
  readonly firstId: number;
}

/** What came of it, after the warm-up. */
export interface LoadResult {
  readonly creates: number;
  readonly seconds: number;
  /** Milliseconds from the write of a request to the whole of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 200, and connections that broke. */
  readonly failures: number;
  /** The share of a core that this process used: near 1, it was not the server that was measured. */
  readonly busy: number;
  readonly nextId: number;
}

/** Sent to the process that started this one: the warm-up is over, or all is. */
export type LoadMessage = { readonly state: 'warm' } | { readonly state: 'done'; readonly result: LoadResult };

/** Latencies are counted in steps of 10 µs, up to 10 s. */
const STEP_MS = 0.01;
const counts = new Uint32Array(1_000_000);

const load = JSON.parse(process.argv[2] ?? '') as Load;
const head = `POST /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${load.token}\r\nContent-Type: application/json\r\nContent-Length: `;
const { warmUpSeconds } = load;
let nextId = load.firstId;
let [counting, over] = [warmUpSeconds === 0, false];
let [creates, failures] = [0, 0];

function nextRequest(): string {
  const id = load.ids === 'sequential' ? nextId++ : Math.floor(Math.random() * 2 ** 52);
  const body = `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`;
  return `${head}${body.length}\r\n\r\n${body}`;
}

/** HTTP by hand, since a client library costs more than some of the servers: one request after the other. */
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
      // A server that closes is one that fails.
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

// Nobody waits for the result of a run that was interrupted.
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
