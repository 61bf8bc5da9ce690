import { type Logger, pino, stdTimeFunctions } from 'pino';
import { LineWriter } from './line-writer.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where requests are logged. */
export interface RequestLog {
  readonly logger: Logger;
  /** Does what `logger.info(line, 'request')` would do. */
  readonly request: (line: object) => void;
}

/** Counts requests. */
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
