import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Exchange } from '../http/connections.ts';
import type { Service } from '../http/server.ts';

/** What can be asked about the service. */
export interface Facts {
  /** Resolves if requests should be sent to it: its store can write, and it is not stopping. */
  readonly ready: () => Promise<void>;
  /** What Prometheus is told. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/**
 * What operators and their tools ask, on a listener of its own: `/livez` (does the process answer?), `/readyz` (should
 * it get requests?) and `/metrics` (what has it done?).
 */
export function createAdmin(facts: Facts, logger: Logger): Service<Exchange> {
  return {
    Exchange,
    handle({ request, response }) {
      answer(request, response, facts, logger).catch((error: unknown) => {
        logger.error({ err: error }, 'admin request failed');
        response.destroy();
      });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { ready, metrics }: Facts,
  logger: Logger,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    reply(response.setHeader('Allow', 'GET, HEAD'), 405, 'method not allowed');
    return;
  }
  switch (request.url) {
    case '/livez':
      reply(response, 200, 'ok');
      return;
    case '/readyz':
      try {
        await ready();
        reply(response, 200, 'ok');
      } catch (error) {
        logger.warn({ err: error }, 'not ready');
        reply(response, 503, 'not ready');
      }
      return;
    case '/metrics':
      send(response, 200, metrics.contentType, await metrics.text());
      return;
    default:
      reply(response, 404, 'not found');
  }
}

function reply(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'application/json', JSON.stringify({ status: text }));
}

function send(response: ServerResponse, status: number, mediaType: string, body: string): void {
  response.writeHead(status, { 'Content-Type': mediaType, 'Cache-Control': 'no-store' });
  response.end(body);
}
