import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { createItem, type Instance } from './service.ts';

/** Many connections to a service, closed on disposal. */
export class Crowd implements Disposable {
  readonly sockets: Socket[] = [];
  private readonly service: Pick<Instance, 'url'>;

  constructor(service: Pick<Instance, 'url'>) {
    this.service = service;
  }

  /** Opens `count` more connections. */
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

/** Creates at least 20 items, one after the other, until `work` ends. Returns their times in milliseconds, sorted. */
export async function whileServing(service: Instance, firstId: number, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  void work.finally(() => {
    over.abort();
  });
  const times: number[] = [];
  for (let id = firstId; !over.signal.aborted || times.length < 20; id++) {
    const start = performance.now();
    const response = await createItem(service, `{"id":${id},"name":"polite"}`);
    await response.text();
    if (response.status === 200) times.push(performance.now() - start);
    else if (response.status !== 503) throw new Error(`a polite client was answered with ${response.status}`);
  }
  return times.toSorted((one, other) => one - other);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
