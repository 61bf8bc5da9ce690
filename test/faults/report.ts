import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Counts, Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** What came of a scenario; `fault`: a promise was broken. */
export interface Result {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly seconds: number;
  readonly counts?: Counts;
  readonly fault?: string;
}

const RESULTS = join(import.meta.dirname, 'RESULTS.md');

const COLUMNS = ['what is done', 'on', 'what came of it', 'seed', 'took', 'day'];

/** One row for each scenario. */
export function show(results: readonly Result[]): string[] {
  const day = new Date().toISOString().slice(0, 10);
  return results.map(({ scenario, seed, seconds, counts = {}, fault }) => {
    const done = Object.entries(counts).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
    const outcome = (scenario.impossible ?? fault ?? done.join(', ')).replaceAll('\n', ' ');
    return row(scenario.name, scenario.engine, outcome, String(seed), `${seconds.toFixed(0)} s`, day);
  });
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Keeps what came of long runs beside this file: each scenario's last one. */
export function record(results: readonly Result[]): void {
  const before = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').split('\n') : [];
  const rows = show(results);
  const lines = SCENARIOS.flatMap(({ name, engine }) => {
    const start = row(name, engine).slice(0, -1);
    const line = [...rows, ...before].find((each) => each.startsWith(start));
    return line === undefined ? [] : [line];
  });
  const machine = `Node ${process.versions.node} on ${process.platform}, ${cpus().length} × ${cpus()[0]?.model ?? ''}`;
  writeFileSync(
    RESULTS,
    `# What was broken, and what came of it

<!-- Written by npm run test:faults: do not edit. -->
<!-- prettier-ignore-start -->

\`npm run test:faults\` on ${machine}. A row says what was counted; one that found a broken promise would say so, and
the command would have failed. \`-- --seed N --only TEXT\` does a row again.

${[row(...COLUMNS), row(...COLUMNS.map(() => '---')), ...lines].join('\n')}

<!-- prettier-ignore-end -->
`,
  );
}
