import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

/** How much of a trial is done. */
export interface Extent {
  /** A short round is part of the tests; a long one takes its time, and is recorded. */
  readonly long: boolean;
  /** All that is random comes from it: the same seed does the same again, as far as the machine does. */
  readonly seed: number;
}

/** Something that is done to the service, while its promises must hold. */
export interface Trial {
  /** Its name, and what else is in the first columns of its row. */
  readonly cells: readonly string[];
  /** Why it cannot be run on this machine; undefined: it can. */
  readonly impossible?: string | undefined;
  /** Resolves with what came of it. @throws Error if a promise was broken */
  readonly run: (extent: Extent) => Promise<string>;
}

/** Trials that one command runs and records. */
export interface Suite {
  /** Of `npm run`. */
  readonly command: string;
  /** How long it takes. */
  readonly takes: string;
  /** The path of the file that keeps what came of each trial's last long round, and what it says of itself. */
  readonly results: string;
  readonly title: string;
  readonly text: string;
  /** The headings of the cells of a trial. */
  readonly columns: readonly string[];
  readonly trials: readonly Trial[];
  /** Trials that have the same lane run one after the other; all lanes run at once. */
  readonly laneOf: (trial: Trial) => string;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const startOf = ({ cells }: Trial) => row(cells);

/** The row that is recorded of each trial, as far as there is one. */
export function recorded({ results, trials }: Suite): Map<Trial, string> {
  const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [];
  const rows = trials.map((trial) => [trial, lines.find((line) => line.startsWith(startOf(trial)))] as const);
  return new Map(rows.filter((entry): entry is readonly [Trial, string] => entry[1] !== undefined));
}

function record(suite: Suite, trial: Trial, outcome: string): void {
  const { command, results, title, text, columns, trials } = suite;
  const rows = recorded(suite).set(trial, row([...trial.cells, outcome, new Date().toISOString().slice(0, 10)]));
  const headings = [...columns, 'what came of it', 'day'];
  const table = [row(headings), row(headings.map(() => '---')), ...trials.flatMap((each) => rows.get(each) ?? [])];
  const machine = `Node ${process.versions.node} on ${process.platform}, ${cpus().length} × ${cpus()[0]?.model ?? ''}`;
  writeFileSync(
    results,
    `# ${title}

<!-- Written by npm run ${command}: do not edit. -->
<!-- prettier-ignore-start -->

\`npm run ${command}\` on ${machine}. ${text}
\`-- --only TEXT\` does a row again.

${table.join('\n')}

<!-- prettier-ignore-end -->
`,
  );
}

const OPTIONS = {
  seed: { type: 'string' },
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The command of a suite: what it is told on the command line. */
export async function runSuite(suite: Suite): Promise<void> {
  process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
  try {
    const { values: options } = parseArgs({ options: OPTIONS });
    if (options.help) {
      console.log(`npm run ${suite.command}                does all of it, for ${suite.takes}, and writes RESULTS.md
npm run ${suite.command} -- --short     does less of each, for some minutes, and records nothing
  --only TEXT    only the rows that, as reported, contain it
  --seed N       what is random is the same again (default: a new one)`);
      return;
    }
    const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
    if (!Number.isSafeInteger(seed)) throw new Error(`${options.seed ?? ''} is not a number; see --help`);
    const chosen = suite.trials.filter((trial) => startOf(trial).includes(options.only));
    if (chosen.length === 0) throw new Error(`no row contains ${options.only}`);
    const lanes = Array.from(Map.groupBy(chosen, suite.laneOf).values(), async (trials) => {
      for (const trial of trials) await runTrial(suite, trial, { long: !options.short, seed });
    });
    await Promise.all(lanes);
  } catch (error) {
    console.error(Error.isError(error) ? error.message : error);
    process.exitCode = 1;
  }
}

async function runTrial(suite: Suite, trial: Trial, extent: Extent): Promise<void> {
  const outcome = await Promise.resolve(trial.impossible ?? trial.run(extent)).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
    return `BROKEN: ${Error.isError(error) ? error.message : String(error)} (seed ${extent.seed})`;
  });
  const line = outcome.replaceAll('\n', ' ');
  console.log(row([...trial.cells, line]));
  // A machine that cannot do a row leaves what another one has found.
  if (extent.long && trial.impossible === undefined) record(suite, trial, line);
}
