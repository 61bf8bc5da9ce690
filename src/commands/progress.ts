/** How far something has come. */
export interface Advance {
  /** How many plants. */
  readonly plants: number;
  /** The share that is done, from 0 to 1; undefined: how much there is, is not known. */
  readonly share: number | undefined;
  readonly seconds: number;
}

/** How often a terminal is told, and a file or a pipe, in milliseconds. */
const TERMINAL_MS = 100;
const QUIET_MS = 10_000;
const WIDEST_BAR = 40;

/** What is told of it, in at most so many characters: what has no room is left out, the bar first. */
export function progressLine({ plants, share, seconds }: Advance, width = Infinity): string {
  const rate = seconds > 0 ? Math.round(plants / seconds) : 0;
  const parts = [`${plants.toLocaleString('en')} plants`, `${rate.toLocaleString('en')}/s`];
  if (share !== undefined) {
    const done = Math.min(1, Math.max(0, share));
    parts.unshift(`${String(Math.floor(100 * done)).padStart(3)} %`);
    if (done > 0) parts.push(`${duration((seconds * (1 - done)) / done)} left`);
    const room = Math.min(WIDEST_BAR, width - parts.join('  ').length - 4);
    if (width !== Infinity && room >= 10) parts.unshift(bar(done, room));
  }
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

function bar(share: number, width: number): string {
  const full = Math.round(share * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(whole % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** Where it is told: stderr, as stdout may be what is written. */
export type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** Tells how far something has come: on a terminal in one line, which is written again and again, else now and then. */
export class Progress {
  private readonly output: Output;
  private readonly begun = performance.now();
  private told = this.begun;
  private shown = false;

  constructor(output: Output) {
    this.output = output;
  }

  get seconds(): number {
    return (performance.now() - this.begun) / 1000;
  }

  update(plants: number, share: number | undefined): void {
    const { isTTY, columns } = this.output;
    const now = performance.now();
    if (now - this.told < (isTTY ? TERMINAL_MS : QUIET_MS)) return;
    this.told = now;
    const advance = { plants, share, seconds: this.seconds };
    // The last column stays free: a terminal would begin a new line. One that does not know its size says 0.
    if (isTTY) this.output.write(`\r${progressLine(advance, (columns > 0 ? columns : 80) - 1)}\x1b[K`);
    else this.output.write(`${progressLine(advance).trim()}\n`);
    this.shown = isTTY;
  }

  /** Writes a line of its own. */
  say(text: string): void {
    this.end();
    this.output.write(`${text}\n`);
  }

  /** Takes back what was written on a terminal. */
  end(): void {
    if (this.shown) this.output.write('\r\x1b[K');
    this.shown = false;
  }
}
