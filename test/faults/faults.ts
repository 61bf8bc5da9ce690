import { parseArgs } from 'node:util';
import { record, type Result, show } from './report.ts';
import type { Extent, Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const USAGE = `npm run test:faults                breaks everything, for about an hour, and writes RESULTS.md
npm run test:faults -- --short     for some minutes, as npm test does; records nothing
  --seed N       the same again (default: a new one)
  --only TEXT    the scenarios whose name and engine, as reported, contain it`;

const OPTIONS = {
  seed: { type: 'string' },
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`${options.seed ?? ''} is not a number; see --help`);
  const chosen = SCENARIOS.filter(({ name, engine }) => `${name} ${engine}`.includes(options.only));
  if (chosen.length === 0) throw new Error(`no scenario contains ${options.only}`);
  // One after the other on each engine, both engines at once.
  const engines = Map.groupBy(chosen, ({ engine }) => engine);
  const groups = Array.from(engines.values(), async (scenarios) => {
    const results: Result[] = [];
    for (const scenario of scenarios) results.push(await run(scenario, { long: !options.short, seed }));
    return results;
  });
  const results = (await Promise.all(groups)).flat();
  console.log(show(results).join('\n'));
  if (!options.short) record(results);
  if (results.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
}

async function run(scenario: Scenario, extent: Extent): Promise<Result> {
  const { seed } = extent;
  const start = performance.now();
  const outcome = await Promise.resolve(scenario.impossible === undefined ? scenario.run(extent) : {}).then(
    (counts) => ({ counts }),
    (error: unknown) => {
      console.error(error);
      return { fault: `BROKEN: ${Error.isError(error) ? error.message : String(error)}` };
    },
  );
  const result = { scenario, seed, seconds: (performance.now() - start) / 1000, ...outcome };
  console.error(show([result])[0]);
  return result;
}

process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
try {
  await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
