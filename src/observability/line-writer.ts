import { setTimeout as sleep } from 'node:timers/promises';
import { writeStdout } from './stdout.ts';

/**
 * How long lines are held, in milliseconds: a busy service writes hundreds of them at once. One write each time that
 * the event loop comes around took 9 % of the time of a create. A process that is killed loses what it holds.
 */
const HOLD_MS = 10;
/** How long lines are held after a write that failed, in milliseconds. */
const RETRY_MS = 500;
/** How many characters wait while no process reads stdout. */
const MAX_WAITING = 16 * 1024 * 1024;
/** How long the end of the process waits for stdout, in milliseconds. */
const FLUSH_MS = 1000;

/**
 * Writes lines to stdout, and holds up nothing: lines that stdout fails to take (its disk is full, its reader is gone)
 * and lines beyond what may wait for it are dropped and counted.
 */
export class LineWriter {
  dropped = 0;
  private reported = 0;
  private waiting: string[] = [];
  private characters = 0;
  private writing: Promise<void> | undefined;
  /** Whether the last line on stdout lacks its end. */
  private torn = false;
  private readonly notice: (lines: number) => string;

  /** @param notice the line that says, once stdout takes lines again, how many it lacks */
  constructor(notice: (lines: number) => string) {
    this.notice = notice;
  }

  write(line: string): void {
    if (this.characters > MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.waiting.push(line);
    this.characters += line.length;
    this.writing ??= this.writeAll();
  }

  /** Resolves when all is written, or stdout has had its time. */
  async flush(): Promise<void> {
    const until = performance.now() + FLUSH_MS;
    while (this.writing !== undefined && performance.now() < until) await sleep(1);
  }

  private async writeAll(): Promise<void> {
    let failed = false;
    while (this.waiting.length > 0 || this.dropped > this.reported) {
      // A process with nothing but this to do may end: it calls flush() before.
      await sleep(failed ? RETRY_MS : HOLD_MS, undefined, { ref: false });
      const { dropped } = this;
      const unreported = dropped - this.reported;
      if (unreported > 0 && (await this.put([this.notice(unreported)])) === 0) this.reported = dropped;
      const lines = this.waiting;
      this.waiting = [];
      this.dropped += await this.put(lines);
      for (const line of lines) this.characters -= line.length;
      failed = this.dropped > this.reported;
    }
    this.writing = undefined;
  }

  /** Returns how many of the lines stdout did not take whole. */
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
