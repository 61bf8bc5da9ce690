import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { writeStdout } from './stdout.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * How long lines are held, in milliseconds: a busy service writes hundreds of them at once. One write each time that
 * the event loop comes around took 9 % of the time of a create. A process that is killed loses what it holds.
 */
const HOLD_MS = 10;
/** How long lines are held after a write that failed, in milliseconds. */
const RETRY_MS = 500;
/** How many characters may wait while no process reads stdout. */
const MAX_WAITING = 16 * 1024 * 1024;
/** How long the end of the process waits for stdout, in milliseconds. */
const FLUSH_MS = 1000;

/** The part of the log that logs requests. */
export interface RequestLog {
  readonly logger: Logger;
  /** Writes what `logger.info(line, 'request')` would write. */
  readonly request: (line: object) => void;
}

/** Counts requests. */
export interface RequestObserver {
  begun(): void;
  /** @param status undefined: no answer was begun */
  ended(operation: string | undefined, status: number | undefined, ms: number): void;
}

export interface Log extends RequestLog {
  /** Resolves when all lines are written, or after a second if stdout takes none; a process must not end before. */
  flush(): Promise<void>;
  /** How many lines stdout did not take. */
  dropped(): number;
}

/** A log on stdout, with one JSON object a line. */
export function createLog(level: LogLevel): Log {
  const lines = new LineWriter();
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, formatters }, lines);
  return {
    logger,
    // It takes a third of pino's time: there is a line for each request.
    request(line) {
      if (logger.isLevelEnabled('info')) lines.write(toLine('info', line, 'request'));
    },
    flush: () => lines.flush(),
    dropped: () => lines.dropped,
  };
}

let [writtenAt, written] = [NaN, ''];

/** A line as pino writes it; the time is formatted once for all requests of a millisecond. */
function toLine(level: LogLevel, members: object, msg: string): string {
  const now = Date.now();
  if (now !== writtenAt) [writtenAt, written] = [now, new Date(now).toISOString()];
  return `{"level":"${level}","time":"${written}",${JSON.stringify(members).slice(1, -1)},"msg":"${msg}"}\n`;
}

/**
 * Writes lines to stdout, and holds up nothing. It drops and counts lines that stdout fails to take (its disk is full, its
 * reader is gone), and lines that come while MAX_WAITING characters wait. When stdout takes lines again, one says how many
 * were dropped.
 */
class LineWriter {
  dropped = 0;
  private reported = 0;
  private waiting: string[] = [];
  private characters = 0;
  private writing: Promise<void> | undefined;
  /** Whether stdout took only a part of the last line. */
  private torn = false;

  write(line: string): void {
    if (this.characters > MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.waiting.push(line);
    this.characters += line.length;
    this.writing ??= this.writeAll();
  }

  /** Resolves when all lines are written, or after FLUSH_MS. */
  async flush(): Promise<void> {
    const until = performance.now() + FLUSH_MS;
    while (this.writing !== undefined && performance.now() < until) await sleep(1);
  }

  private async writeAll(): Promise<void> {
    let failed = false;
    while (this.waiting.length > 0 || this.dropped > this.reported) {
      // This timer does not keep the process alive, which calls flush() before its end.
      await sleep(failed ? RETRY_MS : HOLD_MS, undefined, { ref: false });
      const { dropped, waiting } = this;
      if (dropped > this.reported) {
        const members = { lines: dropped - this.reported };
        const notice = toLine('warn', members, 'log lines were dropped: stdout could not be written');
        if ((await this.put([notice])) === 0) this.reported = dropped;
      }
      this.waiting = [];
      this.dropped += await this.put(waiting);
      for (const line of waiting) this.characters -= line.length;
      failed = this.dropped > this.reported;
    }
    this.writing = undefined;
  }

  /** Writes lines, and returns how many of them stdout did not take whole. */
  private async put(lines: readonly string[]): Promise<number> {
    const start = this.torn ? '\n' : '';
    const text = Buffer.from(start + lines.join(''));
    let done = 0;
    try {
      while (done < text.length) done += await writeStdout(text, done, { ref: false });
    } catch {
      // The reason cannot be logged, as this is the log.
    }
    if (done > 0) this.torn = text.at(done - 1) !== 0x0a;
    return done === text.length ? 0 : lines.length + 1 - text.toString('latin1', start.length, done).split('\n').length;
  }
}
