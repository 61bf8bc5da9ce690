import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { MATRIX } from './matrix.ts';
import { type Column, COLUMNS, record, show } from './report.ts';
import { attackOnce, IMPOSSIBLE, type Outcome } from './round.ts';

const USAGE = `npm run test:attacks               attacks the service in all ways, for a quarter of an hour, and writes RESULTS.md
npm run test:attacks -- --short    for some minutes, with fewer clients; records nothing
  --only TEXT          the attacks whose name, phase, way and caller, as reported, contain it
  --checkout FOLDER    attacks the service of another checkout
  --column NAME        where it is recorded: ${COLUMNS.join(' or ')} (default: now)`;

const OPTIONS = {
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  checkout: { type: 'string' },
  column: { type: 'string', default: 'now' },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const column = COLUMNS.find((each): each is Column => each === options.column);
  if (column === undefined) throw new Error(`there is no column ${options.column}; see --help`);
  const chosen = MATRIX.filter((attack) => describe(attack).includes(options.only));
  if (chosen.length === 0) throw new Error(`no attack contains ${options.only}`);
  if (IMPOSSIBLE !== undefined) throw new Error(IMPOSSIBLE);
  const results = new Map<Attack, Outcome>();
  for (const attack of chosen) {
    const outcome = await attackOnce(attack, options.short ? 'short' : 'long', options.checkout);
    results.set(attack, outcome);
    const { opened, closed, answers } = outcome.tally;
    console.log(`${describe(attack)}: ${show(outcome)}`);
    console.log(`  ${opened} connections, of which the service closed ${closed}; answers:`, answers);
    // What was attacked for long is not lost when the next one is interrupted.
    if (!options.short) record(column, results);
  }
  if ([...results.values()].some(({ faults }) => faults.length > 0)) process.exitCode = 1;
}

function describe({ name, phase, way, caller }: Attack): string {
  return `${name} (${phase}, ${way}, ${caller})`;
}

process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
try {
  await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
