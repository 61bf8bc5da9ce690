import type { Io } from './io.ts';

interface Advance {
  readonly records: number;
  /** In words, such as `items`. */
  readonly noun: string;
  /** The share that is done, from 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined;
  readonly seconds: number;
}

const EACH_MS = 10_000;

export function progressLine({ records, noun, share, seconds }: Advance): string {
  const rate = seconds > 0 ? Math.round(records / seconds) : 0;
  const parts = [`${records.toLocaleString('en')} ${noun}`, `${rate.toLocaleString('en')}/s`];
  if (share !== undefined) {
    const done = Math.min(1, share);
    parts.unshift(`${Math.floor(100 * done)} %`);
    if (done > 0) parts.push(`${duration((seconds * (1 - done)) / done)} left`);
  }
  return parts.join('  ');
}

function duration(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Writes a line about the progress to stderr every ten seconds. */
export class Progress {
  private readonly noun: string;
  private readonly output: Pick<Io['stderr'], 'write'>;
  private readonly begunAt = performance.now();
  private writtenAt = this.begunAt;

  constructor(noun: string, output: Progress['output']) {
    this.noun = noun;
    this.output = output;
  }

  get seconds(): number {
    return (performance.now() - this.begunAt) / 1000;
  }

  update(records: number, share: number | undefined): void {
    const now = performance.now();
    if (now - this.writtenAt < EACH_MS) return;
    this.writtenAt = now;
    this.output.write(`${progressLine({ records, noun: this.noun, share, seconds: this.seconds })}\n`);
  }
}
