import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { messageOf } from 'trellis-contract/ground';
import type { Application } from '../http/server.ts';

interface Facts {
  /** Resolves if the service can write, can check tokens and is not stopping. */
  readonly ready: () => Promise<void>;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

type AdminAnswer = readonly [status: number, body: string, mediaType?: string];

/** `/livez`: the process answers; `/readyz`: a load balancer may send requests; `/metrics`: for Prometheus. */
export function createAdmin(facts: Facts, logger: Logger): Application {
  return {
    handle({ request, response }) {
      answerTo(request, facts, logger)
        .then(([status, body, mediaType = 'application/json']) => {
          if (status === 405) response.setHeader('Allow', 'GET, HEAD');
          response.writeHead(status, { 'Content-Type': mediaType, 'Cache-Control': 'no-store' }).end(body);
        })
        .catch((error: unknown) => {
          logger.error({ err: error }, 'admin request failed');
          response.destroy();
        });
    },
  };
}

async function answerTo(
  { method, url }: IncomingMessage,
  { ready, metrics }: Facts,
  logger: Logger,
): Promise<AdminAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return answer(405, 'method not allowed');
  if (url === '/livez') return answer(200, 'ok');
  if (url === '/metrics') return [200, await metrics.text(), metrics.contentType];
  if (url !== '/readyz') return answer(404, 'not found');
  try {
    await ready();
    return answer(200, 'ok');
  } catch (error) {
    logger.warn({ err: error }, 'not ready');
    return answer(503, 'not ready', messageOf(error));
  }
}

function answer(status: number, text: string, reason?: string): AdminAnswer {
  return [status, JSON.stringify({ status: text, reason })];
}
