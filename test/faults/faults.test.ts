import { describe, expect, test } from '@jest/globals';
import { SCENARIOS } from './scenarios.ts';

/** The short round; `npm run test:faults` is the long one. */
const SEED = 20_260_000;

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s no promise is broken when', (engine) => {
  const own = SCENARIOS.filter((scenario) => scenario.engine === engine);
  test.each(own.filter(({ impossible }) => impossible === undefined))('$name', async (scenario) => {
    const counts = await scenario.run({ long: false, seed: SEED });
    expect(Object.values(counts).some((count) => count > 0)).toBe(true);
  });
  const impossible = own.filter((scenario) => scenario.impossible !== undefined);
  if (impossible.length > 0) test.skip.each(impossible)('$name: $impossible', () => undefined);
});
