import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Attack } from './attack.ts';
import { MATRIX } from './matrix.ts';
import type { Outcome } from './round.ts';

/** Which service was attacked: the one before anything was done about it, or the one of this checkout. */
export const COLUMNS = ['692d905', 'now'] as const;
export type Column = (typeof COLUMNS)[number];

const RESULTS = join(import.meta.dirname, 'RESULTS.md');
const HEADINGS = ['what each client does', 'phase', 'way', 'caller', 'kind', 'connections', ...COLUMNS];

/** What came of an attack, in a line. */
export function show({ faults, served, peakMb }: Outcome): string {
  if (faults.length > 0) return `BROKEN: ${faults.join('; ')}`;
  return `${served.created.length} creates, p99 ${served.p99.toFixed(0)} ms, peak ${peakMb.toFixed(0)} MB`;
}

/** The attack and its cells by column, as they were recorded. */
export function recorded(): ReadonlyMap<string, Readonly<Record<Column, string>>> {
  const lines = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').split('\n') : [];
  const rows = lines.filter((line) => line.startsWith('| sends ')).map((line) => line.slice(2, -2).split(' | '));
  return new Map(rows.map((cells) => [cells[0] ?? '', { '692d905': cells.at(-2) ?? '', now: cells.at(-1) ?? '' }]));
}

/** Keeps what came of long rounds beside this file: of each attack and column the last one. */
export function record(column: Column, results: ReadonlyMap<Attack, Outcome>): void {
  const before = recorded();
  const rows = MATRIX.flatMap((attack) => {
    const { name, phase, way, caller, kind, connections } = attack;
    const outcome = results.get(attack);
    const known = before.get(name);
    if (outcome === undefined && known === undefined) return [];
    const cells = { '692d905': '–', now: '–', ...known, ...(outcome && { [column]: show(outcome) }) };
    return [
      [name, phase, way, caller, kind, connections.long.toLocaleString('en'), ...COLUMNS.map((each) => cells[each])],
    ];
  });
  const machine = `Node ${process.versions.node} on ${process.platform}, ${cpus().length} × ${cpus()[0]?.model ?? ''}`;
  writeFileSync(
    RESULTS,
    `# What hostile clients did, and what came of it

<!-- Written by npm run test:attacks: do not edit. -->
<!-- prettier-ignore-start -->

\`npm run test:attacks\` on ${machine}. Each row is an attack of 20 s on a new service with a heap of 400 MB, while
honest clients create ten plants a second. A row says how many of these were answered with 200 (all of them), how long 99
of 100 took at most, and the most memory that the service had. One that found a broken promise says which, and the
command failed. Clients that hold take memory, those that burn take the processor. \`-- --only TEXT\` does a row again.

${[HEADINGS, HEADINGS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

<!-- prettier-ignore-end -->
`,
  );
}
