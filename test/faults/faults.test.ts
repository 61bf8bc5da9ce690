import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/service.ts';
import { testWith } from '../support/skipping.ts';
import { SCENARIOS } from './scenarios.ts';

/** The short round; `npm run test:faults` is the long one. */
const SEED = 20_260_000;

test('README and RESULTS.md have what is broken, and nothing else', () => {
  const rows = (path: string) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .flatMap(([, name = '', on = '']) => on.split(', ').map((engine) => `${name} (${engine})`));
  const all = SCENARIOS.map(({ name, engine }) => `${name} (${engine})`);
  expect(rows('README.md')).toEqual(expect.arrayContaining(all));
  const recorded = rows('test/faults/RESULTS.md').filter((row) => /\((SQLite|PostgreSQL)\)$/.test(row));
  expect(all).toEqual(expect.arrayContaining(recorded));
  expect(readFileSync(join(ROOT, 'test/faults/RESULTS.md'), 'utf8')).not.toContain('BROKEN');
});

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s no promise is broken when', (engine) => {
  const own = SCENARIOS.filter((scenario) => scenario.engine === engine);
  for (const scenario of own) {
    testWith(scenario.impossible, scenario.name, async () => {
      const counts = await scenario.run({ long: false, seed: SEED });
      expect(Object.values(counts).some((count) => count > 0)).toBe(true);
    });
  }
});
