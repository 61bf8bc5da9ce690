import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createPlant, type Service } from './service.ts';

/** Many connections to a service, which are closed in the end. */
export class Crowd implements Disposable {
  readonly sockets: Socket[] = [];
  private readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  /** Opens so many more connections, which ignore what they get. */
  async join(count: number): Promise<Socket[]> {
    const { hostname, port } = new URL(this.service.url);
    const joined = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined));
    this.sockets.push(...joined);
    await Promise.all(joined.map((socket) => once(socket, 'connect')));
    return joined;
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** How long creates of a client that sends one after the other take, in milliseconds, sorted, while something goes on. */
export async function whileServing(service: Service, firstId: number, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  void work.finally(() => {
    over.abort();
  });
  const times: number[] = [];
  for (let id = firstId; !over.signal.aborted || times.length < 20; id++) {
    const start = performance.now();
    const response = await createPlant(service, `{"id":${id},"name":"polite"}`);
    await response.text();
    if (response.status === 200) times.push(performance.now() - start);
    else if (response.status !== 503) throw new Error(`a polite client was answered with ${response.status}`);
  }
  return times.toSorted((one, other) => one - other);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
