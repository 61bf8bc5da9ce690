import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/**
 * What operators and their tools ask, on a listener of its own: `/livez` (does the process answer?) and `/readyz` (can
 * it serve, as far as its store is asked?).
 */
export function createAdmin(ready: () => Promise<void>, logger: Logger): RequestListener {
  return (request, response) => {
    answer(request, response, ready, logger).catch((error: unknown) => {
      logger.error({ err: error }, 'admin request failed');
      response.destroy();
    });
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  ready: () => Promise<void>,
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
    default:
      reply(response, 404, 'not found');
  }
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ status: text }));
}
