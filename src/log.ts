import type { Logger } from 'pino';
import { destination, pino, stdTimeFunctions } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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
  /** Resolves when all is written; a process must not end before. */
  flush(): Promise<void>;
  /** Whether nobody reads stdout: a process that waits for it, as it also does to end, waits for ever. */
  stalled(): boolean;
}

/**
 * How long lines are held, in milliseconds: a busy service writes hundreds of them at once. One write each time that
 * the event loop comes around took 9 % of the time of a create. A process that is killed loses what it holds.
 */
const HOLD_MS = 10;

/** How many characters wait while nobody reads stdout; lines beyond are lost, as memory must not fill with them. */
const MOST_WAITING = 16 * 1024 * 1024;

/** When stdout has taken nothing for so long, in milliseconds, nobody reads it. */
const STALLED_MS = 500;

/** One JSON object a line on stdout. */
export function createLog(level: LogLevel): Log {
  const stdout = destination({ dest: 1, sync: false, maxLength: MOST_WAITING });
  let held = '';
  /** Since when stdout has taken nothing of what waits for it. */
  let waitingSince = Infinity;
  stdout.on('write', () => (waitingSince = performance.now()));
  stdout.on('drain', () => (waitingSince = Infinity));
  const stalled = () => performance.now() - waitingSince > STALLED_MS;
  const release = () => {
    if (held === '') return;
    waitingSince = Math.min(waitingSince, performance.now());
    stdout.write(held);
    held = '';
  };
  const write = (line: string) => {
    if (held === '') setTimeout(release, HOLD_MS);
    held += line;
  };
  const lines = {
    write,
    // Called by pino for a fatal line.
    flushSync() {
      release();
      if (!stalled()) stdout.flushSync();
    },
  };
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
      write(`${JSON.stringify({ level: 'info', time: isoTime(), ...line, msg: 'request' })}\n`);
    },
    flush: () =>
      new Promise((resolve) => {
        release();
        stdout.flush(() => {
          resolve();
        });
      }),
    stalled,
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
