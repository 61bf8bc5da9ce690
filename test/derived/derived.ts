import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.ts';
import { derive, seedOr } from './derive.ts';
import { Derivation } from './requests.ts';

/** On each engine, at least. */
const REQUESTS = 10_000;

/** The long form; the short one is derived.test.ts. */
async function main(): Promise<void> {
  const seed = seedOr(Math.floor(Math.random() * 2 ** 31));
  console.log(`DERIVED_SEED=${seed} does the same again`);
  const derivation = new Derivation(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'));
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    const start = performance.now();
    const counts = await derive(derivation, engine, { requests: REQUESTS, seed });
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`\n${engine}: ${total.toLocaleString('en')} requests in ${seconds} s, each answered as it had to be`);
    for (const [kind, count] of counts) console.log(`${String(count).padStart(6)} ${kind}`);
    if (total < REQUESTS) throw new Error('that is too few');
  }
}

process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
try {
  await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}
