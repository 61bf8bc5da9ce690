import { setTimeout as sleep } from 'node:timers/promises';
import { pino, stdSerializers, stdTimeFunctions } from 'pino';
import { asError, messageWithCauses, stackWithCauses, UNREADABLE } from 'trellis-contract/ground';
import type { RequestLog } from '../http/recorder.ts';
import { type Stdout, writeStdout } from './stdout.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * How long to collect lines before writing them: a write in each turn of the event loop took 9 % of a create's time.
 * A process that is killed loses the collected lines.
 */
const HOLD_MS = 10;
const RETRY_MS = 500;
/** The most characters to keep while no process reads stdout. */
const MAX_WAITING = 16 * 1024 * 1024;
/** The longest time that flush() waits for stdout before the process ends. */
const FLUSH_MS = 1000;

export interface Log extends RequestLog {
  /** Resolves when all lines are written, or after FLUSH_MS. The process must not end before. */
  flush(): Promise<void>;
  dropped(): number;
}

/** Logs to `stdout`, one JSON object per line. */
export function createLog(level: LogLevel, stdout: Stdout): Log {
  const lines = lineWriter(stdout);
  const formatters = { level: (label: string) => ({ level: label }) };
  const serializers = { err: describeError };
  const logger = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, formatters, serializers }, lines);
  return {
    logger,
    // This takes a third of the time that pino takes, and each request writes such a line.
    request(line) {
      if (logger.isLevelEnabled('info')) lines.write(toLine('info', line, 'request'));
    },
    flush: lines.flush,
    dropped: lines.dropped,
  };
}

/** Describes an error as pino does, but with the message of each cause once, and without the exit code of a command. */
export function describeError(error: unknown): unknown {
  try {
    const known = asError(error);
    const message = messageWithCauses(known);
    return { ...stdSerializers.err(known), message, stack: stackWithCauses(known), exitCode: undefined };
  } catch {
    return UNREADABLE;
  }
}

/** The millisecond of `written`, the same for all logs of the process. */
let writtenAt = NaN;
let written = '';

/** Builds the line that pino would write. Formats the time once per millisecond. */
function toLine(level: LogLevel, members: object, msg: string): string {
  const now = Date.now();
  if (now !== writtenAt) written = new Date(now).toISOString();
  writtenAt = now;
  return `{"level":"${level}","time":"${written}",${JSON.stringify(members).slice(1, -1)},"msg":"${msg}"}\n`;
}

/**
 * Writes lines to stdout without blocking. Drops and counts lines that stdout rejects (its disk is full, its reader is
 * gone) and lines beyond MAX_WAITING. When stdout accepts lines again, logs how many were dropped.
 */
function lineWriter(stdout: Stdout) {
  let dropped = 0;
  let reported = 0;
  let waiting: string[] = [];
  let characters = 0;
  let writing: Promise<void> | undefined;
  /** Whether stdout accepted only a part of the last line. */
  let torn = false;
  return {
    dropped: () => dropped,
    write: (line: string): void => {
      if (characters > MAX_WAITING) {
        dropped++;
        return;
      }
      waiting.push(line);
      characters += line.length;
      writing ??= writeAll();
    },
    flush: async (): Promise<void> => {
      const until = performance.now() + FLUSH_MS;
      while (writing !== undefined && performance.now() < until) await sleep(1);
    },
  };

  async function writeAll(): Promise<void> {
    let failed = false;
    while (waiting.length > 0 || dropped > reported) {
      // The timer need not keep the process alive, as the process calls flush() before it ends.
      await sleep(failed ? RETRY_MS : HOLD_MS, undefined, { ref: false });
      const before = dropped;
      const lines = waiting;
      if (before > reported) {
        const members = { lines: before - reported };
        const notice = toLine('warn', members, 'log lines were dropped: stdout could not be written');
        if ((await put([notice])) === 0) reported = before;
      }
      waiting = [];
      const refused = await put(lines);
      // Not `dropped += await put(lines)`: write() may have counted others meanwhile.
      dropped += refused;
      for (const line of lines) characters -= line.length;
      failed = dropped > reported;
    }
    writing = undefined;
  }

  /** Returns the number of lines that stdout did not accept as a whole. */
  async function put(lines: readonly string[]): Promise<number> {
    const start = torn ? '\n' : '';
    const text = Buffer.from(start + lines.join(''));
    let done = 0;
    try {
      while (done < text.length) done += await writeStdout(stdout, text, done, { ref: false });
    } catch {
      // The log cannot log its own failure.
    }
    if (done > 0) torn = text.at(done - 1) !== 0x0a;
    return done === text.length ? 0 : lines.length + 1 - text.toString('latin1', start.length, done).split('\n').length;
  }
}
