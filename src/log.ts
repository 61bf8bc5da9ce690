import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { destination, pino, stdTimeFunctions } from 'pino';
import { sentPath } from './request-target.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SANE_REQUEST_ID = /^[\w.~:/+=-]{1,128}$/;

export interface Log {
  readonly logger: Logger;
  /** Resolves when all is written; a process must not end before. */
  flush(): Promise<void>;
}

/** One JSON object a line on stdout. Lines that come while one is being written go out together. */
export function createLog(level: LogLevel): Log {
  const stdout = destination({ dest: 1, sync: false });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stdout,
  );
  return {
    logger,
    flush: () =>
      new Promise((resolve) => {
        stdout.flush(() => {
          resolve();
        });
      }),
  };
}

/**
 * Names the request (`X-Request-Id`, taken over if one was sent that is sane), and logs it in one line when it is over.
 * Neither a header nor a query nor a body is ever logged: they may hold secrets.
 */
export function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const sent = request.headers['x-request-id'];
    const requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    const { locals } = response;
    locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const { operation, caller, error, failure } = locals;
      const line = {
        requestId,
        method: request.method,
        path: sentPath(request),
        operation,
        caller,
        status: response.headersSent ? response.statusCode : undefined,
        error,
        ms: Math.round((performance.now() - start) * 1000) / 1000,
        // The client went away before it had the answer.
        aborted: response.writableFinished ? undefined : true,
        err: failure,
      };
      if (failure === undefined) logger.info(line, 'request');
      else logger.error(line, 'request failed');
    });
    next();
  };
}
