import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// Measures which tests run which part of which source, and chooses some for each source: those that `npm run t` runs.

const ROOT = join(import.meta.dirname, '..');
/** How many seconds of processor the tests of a source may take. */
const BUDGET = 30;
/** The time that a test file takes beside its tests. */
const OVERHEAD = 0.2;
/** A part that so many of the chosen tests run needs no more. */
const ENOUGH = 6;
/** How much rather a test is chosen that stands in a folder with the name of the source's folder. */
const NEARNESS = 3;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** The functions that a test has run, of one thread each. */
type Runs = Map<string, Script['functions'][]>;

interface Measured {
  /** The processor time of each test, in seconds. */
  readonly seconds: Map<string, number>;
  /** By source. */
  readonly sources: Map<string, Runs>;
}

function read(folder: string): Measured {
  const measured: Measured = { seconds: new Map(), sources: new Map() };
  for (const file of globSync('*/test.json', { cwd: folder })) {
    const { test, seconds } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { test: string; seconds: number };
    measured.seconds.set(test, seconds + OVERHEAD);
    for (const each of globSync('coverage-*.json', { cwd: join(folder, file, '..') })) {
      const { result } = JSON.parse(readFileSync(join(folder, file, '..', each), 'utf8')) as { result: Script[] };
      for (const { url, functions } of result) {
        const source = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
        if (!/^(?:src|scripts|examples|packages)\/.*\.ts$/.test(source) || /(?:^|\/)test\//.test(source)) continue;
        const runs = measured.sources.getOrInsertComputed(source, () => new Map<string, Script['functions'][]>());
        // What a module does when it is loaded is done once for many tests.
        runs.getOrInsertComputed(test, () => []).push(functions.filter(({ ranges }) => ranges[0]?.startOffset !== 0));
      }
    }
  }
  return measured;
}

/** The parts of a source between the borders of blocks, and for each test which of them it has run. */
function partsRun(runs: Runs): Map<string, Uint8Array> {
  const ranges = [...runs.values()].flat(2).flatMap((each) => each.ranges);
  const borders = new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset]));
  const at = new Map([...borders].toSorted((one, other) => one - other).map((offset, index) => [offset, index]));
  return new Map(
    Array.from(runs, ([test, threads]) => {
      const all = new Uint8Array(at.size);
      for (const functions of threads) {
        const here = new Uint8Array(at.size);
        // An inner range comes later than the one around it.
        for (const { startOffset, endOffset, count } of functions.flatMap((each) => each.ranges))
          here.fill(Math.min(count, 1), at.get(startOffset), at.get(endOffset));
        for (const [index, run] of here.entries()) if (run > 0) all[index] = 1;
      }
      return [test, all];
    }),
  );
}

const foldersOf = (file: string) => file.split('/').slice(2, -1);

/** Chooses tests for a source, those first that run the most which others have not run, for their time. */
function choose(source: string, runs: Runs, seconds: Measured['seconds']): string[] {
  const left = partsRun(runs);
  const times = new Uint8Array([...left.values()][0]?.length ?? 0);
  const room = foldersOf(source).at(-1) ?? '';
  const chosen: string[] = [];
  for (let budget = BUDGET; ;) {
    const gains = Array.from(left, ([test, parts]) => {
      const cost = seconds.get(test) ?? BUDGET;
      const gain = parts.reduce(
        (sum, run, at) => sum + ((times[at] ?? 0) < ENOUGH ? run / 2 ** (times[at] ?? 0) : 0),
        0,
      );
      const isNear = foldersOf(test).includes(room) || basename(test).startsWith(basename(source, '.ts'));
      return { test, cost, gain: cost > budget ? 0 : ((isNear ? NEARNESS : 1) * gain) / Math.sqrt(cost) };
    });
    const best = gains.toSorted((one, other) => other.gain - one.gain)[0];
    if (best === undefined || best.gain === 0) return chosen;
    chosen.push(best.test);
    for (const [at, run] of (left.get(best.test) ?? []).entries()) times[at] = (times[at] ?? 0) + run;
    left.delete(best.test);
    budget -= best.cost;
  }
}

/** @param folder what was measured before; by default, all tests are run */
export function measure(file: string, folder?: string): number {
  const into = folder ?? mkdtempSync(join(tmpdir(), 'measured-'));
  try {
    const env = { ...process.env, TESTS_MEASURED: into };
    const { status } =
      folder === undefined ? spawnSync('npm', ['test'], { cwd: ROOT, env, stdio: 'inherit' }) : { status: 0 };
    // What a test that fails has not run would be missing.
    if (status !== 0) return status ?? 1;
    const { seconds, sources } = read(into);
    const tests = [...seconds.keys()].toSorted();
    const numbers = new Map(tests.map((test, index) => [test, index]));
    const chosen = Array.from(sources, ([source, runs]) => {
      const of = choose(source, runs, seconds).map((test) => numbers.get(test));
      return [source, of.join(' ')] as const;
    });
    const all = { tests, sources: Object.fromEntries(chosen.toSorted(([one], [other]) => (one < other ? -1 : 1))) };
    writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
    return 0;
  } finally {
    if (folder === undefined) rmSync(into, { recursive: true });
  }
}
