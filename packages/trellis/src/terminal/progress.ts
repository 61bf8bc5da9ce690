import type { Io } from './io.ts';

interface Advance {
  readonly records: number;
  /** In words, such as `items`. */
  readonly noun: string;
  /** The share that is done, from 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined;
  readonly seconds: number;
}

const TERMINAL_MS = 100;
const QUIET_MS = 10_000;

/** Omits the last parts if the line would exceed `width` characters. */
export function progressLine({ records, noun, share, seconds }: Advance, width = Infinity): string {
  const rate = seconds > 0 ? Math.round(records / seconds) : 0;
  const parts = [`${records.toLocaleString('en')} ${noun}`, `${rate.toLocaleString('en')}/s`];
  if (share !== undefined) {
    const done = Math.min(1, share);
    parts.unshift(`${Math.floor(100 * done)} %`.padStart(5));
    if (done > 0) parts.push(`${duration((seconds * (1 - done)) / done)} left`);
  }
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

function duration(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Writes the progress to stderr: rewrites one line on a terminal, and appends a line now and then elsewhere. */
export class Progress {
  private readonly noun: string;
  private readonly output: Io['stderr'];
  private readonly begunAt = performance.now();
  private writtenAt = this.begunAt;
  private isShown = false;

  constructor(noun: string, output: Progress['output']) {
    this.noun = noun;
    this.output = output;
  }

  get seconds(): number {
    return (performance.now() - this.begunAt) / 1000;
  }

  update(records: number, share: number | undefined): void {
    const { isTTY, columns } = this.output;
    const now = performance.now();
    if (now - this.writtenAt < (isTTY ? TERMINAL_MS : QUIET_MS)) return;
    this.writtenAt = now;
    const advance = { records, noun: this.noun, share, seconds: this.seconds };
    // A terminal wraps after the last column, so it stays empty. `columns` is 0 if the terminal does not know its size.
    if (isTTY) this.output.write(`\r${progressLine(advance, (columns || 80) - 1)}\x1b[K`);
    else this.output.write(`${progressLine(advance).trim()}\n`);
    this.isShown = isTTY;
  }

  say(text: string): void {
    this.end();
    this.output.write(`${text}\n`);
  }

  end(): void {
    if (this.isShown) this.output.write('\r\x1b[K');
    this.isShown = false;
  }
}
