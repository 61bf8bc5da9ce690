import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Counts, Scenario } from './scenario.ts';

/** What came of a scenario; `fault`: a promise was broken. */
export interface Result {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly seconds: number;
  readonly counts?: Counts;
  readonly fault?: string;
}

const RESULTS = join(import.meta.dirname, 'RESULTS.md');

/** One line for each scenario. */
export function show(results: readonly Result[]): string {
  const rows = results.map(({ scenario, seed, seconds, counts = {}, fault }) => {
    const done = Object.entries(counts).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
    const outcome = scenario.impossible ?? fault ?? done.join(', ');
    return `| ${scenario.name} | ${scenario.engine} | ${outcome} | ${String(seed)} | ${seconds.toFixed(0)} s |`;
  });
  return ['| what is done | on | what came of it | seed | took |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Keeps the report of a long run beside this file. */
export function record(results: readonly Result[], command: string): void {
  const machine = `Node ${process.versions.node} on ${process.platform}, ${String(cpus().length)} × ${cpus()[0]?.model ?? ''}`;
  writeFileSync(
    RESULTS,
    `# What was broken, and what came of it

\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine}. Each line names what was counted; one that finds a
broken promise says so instead, and the command fails.

${show(results)}
`,
  );
}
