import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { pino, stdTimeFunctions } from 'pino';
import { LineWriter } from './line-writer.ts';
import { sentPath } from './request-target.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SANE_REQUEST_ID = /^[\w.~:/+=-]{1,128}$/;

/** Where requests are logged. */
export interface RequestLog {
  readonly logger: Logger;
  /** Does what `logger.info(line, 'request')` would do. */
  readonly request: (line: object) => void;
}

/** Told of each request, for whoever counts them. */
export interface RequestObserver {
  begun(): void;
  /** @param status undefined: no answer was begun */
  ended(operation: string | undefined, status: number | undefined, ms: number): void;
}

export interface Log extends RequestLog {
  /** Resolves when all is written, or after a second if stdout does not take it; a process must not end before. */
  flush(): Promise<void>;
  /** How many lines stdout did not take. */
  dropped(): number;
}

/** One JSON object a line on stdout. */
export function createLog(level: LogLevel): Log {
  const lines = new LineWriter((count) => {
    const msg = 'log lines were dropped: stdout could not be written';
    return `${JSON.stringify({ level: 'warn', time: isoTime(), lines: count, msg })}\n`;
  });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    lines,
  );
  return {
    logger,
    // As pino would, in a third of the time: there is such a line for each request.
    request(line) {
      if (!logger.isLevelEnabled('info')) return;
      lines.write(`${JSON.stringify({ level: 'info', time: isoTime(), ...line, msg: 'request' })}\n`);
    },
    flush: () => lines.flush(),
    dropped: () => lines.dropped,
  };
}

/**
 * Names the request (`X-Request-Id`, taken over if one was sent that is sane), and logs it in one line when it is over.
 * Neither a header nor a query nor a body is ever logged: they may hold secrets. The observer is told what the log is.
 */
export function logRequest(
  log: RequestLog,
  request: Request,
  response: Response,
  /** The address of the client. */
  client: string | undefined,
  observer?: RequestObserver,
): void {
  const start = performance.now();
  observer?.begun();
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
  const locals: Express.Locals = { requestId };
  response.locals = locals;
  // `once`, although it closes once: while a listener stays, V8 takes longer to see that the reply is garbage, and the
  // scavenges of a busy service take four times as long.
  response.once('close', () => {
    const { method } = request;
    const { operation, caller, error, reason, failure } = locals;
    const status = response.headersSent ? response.statusCode : undefined;
    const ms = performance.now() - start;
    observer?.ended(operation, status, ms);
    const line = {
      requestId,
      method,
      path: sentPath(request),
      client,
      operation,
      caller: caller?.name,
      subject: caller?.subject,
      status,
      error,
      reason,
      ms: Math.round(ms * 1000) / 1000,
      // The client went away before it had the answer.
      aborted: response.writableFinished ? undefined : true,
    };
    if (failure === undefined) log.request(line);
    else log.logger.error({ ...line, err: failure }, 'request failed');
  });
}

let [writtenAt, written] = [NaN, ''];

/** The time as in the other lines; written out only once for all requests of a millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== writtenAt) {
    writtenAt = now;
    written = new Date(now).toISOString();
  }
  return written;
}
