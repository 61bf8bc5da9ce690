import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { commitHere } from './commit.ts';

/** How long a trial is, and what makes it random. */
export interface Extent {
  /** A short round is part of the tests. A long round takes minutes, and RESULTS.md records it. */
  readonly long: boolean;
  /** The seed of all random choices: the same seed repeats a trial, except for its timing. */
  readonly seed: number;
}

/** Something that happens to the service, which must keep its promises meanwhile. */
export interface Trial {
  /** The first cells of its row in RESULTS.md: its name, and others. */
  readonly cells: readonly string[];
  /** Why this machine cannot run it; undefined if it can. */
  readonly impossible?: string | undefined;
  /** Resolves with the outcome for RESULTS.md. @throws Error if the service broke a promise */
  readonly run: (extent: Extent) => Promise<string>;
}

/** Trials that one command runs and records. */
export interface Suite {
  /** The script of package.json that runs it. */
  readonly command: string;
  /** How long all trials take, for the help text. */
  readonly takes: string;
  /** The path of RESULTS.md, which has the outcome of each trial's last long round. `title` and `text` are its head. */
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

/** The row of each trial, if RESULTS.md has one. */
export function recorded({ results, trials }: Suite): Map<Trial, string> {
  const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [];
  const rows = trials.map((trial) => [trial, lines.find((line) => line.startsWith(startOf(trial)))] as const);
  return new Map(rows.filter((entry): entry is readonly [Trial, string] => entry[1] !== undefined));
}

function record(suite: Suite, trial: Trial, outcome: string): void {
  const { command, results, title, text, columns, trials } = suite;
  const rows = recorded(suite).set(
    trial,
    row([...trial.cells, outcome, `${new Date().toISOString().slice(0, 10)} · ${commitHere()}`]),
  );
  const headings = [...columns, 'what came of it', 'day and commit'];
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

/** Runs the trials that the command line asks for. */
export async function runSuite(suite: Suite): Promise<void> {
  process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
  try {
    const { values: options } = parseArgs({ options: OPTIONS });
    if (options.help) {
      console.log(`npm run ${suite.command}                runs all trials, which takes ${suite.takes}, and writes RESULTS.md
npm run ${suite.command} -- --short     runs a short round of each, for some minutes in all, and writes nothing
  --only TEXT    runs only the trials whose row contains TEXT
  --seed N       repeats the random choices of an earlier run (default: a new seed)`);
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
  // A trial that this machine cannot run keeps the row from another machine.
  if (extent.long && trial.impossible === undefined) record(suite, trial, line);
}
