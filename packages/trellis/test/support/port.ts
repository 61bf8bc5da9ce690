import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

export { freePort } from '../../testing/embedded-postgres.ts';

/**
 * A port that stays free while its listener restarts: outside the range from which the system takes the local ports of
 * outgoing connections.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    return port;
  }
}
