import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { breakage, type Difference, type RuleName, type Side } from '../../../scripts/compatibility/rules.ts';
import { SchemaComparison } from '../../../scripts/compatibility/schemas.ts';
import { documents, type Pair, value } from './schema-pairs.ts';

const ROOT = { $ref: '#/components/schemas/Root' };
/** The differences in replies that the rules of compatibility require clients to tolerate. */
const TOLERATED: readonly RuleName[] = [
  'optional property added',
  'required property added',
  'object opened',
  'limit widened',
];

function compare([was, is]: Pair<object>, side: Side): readonly Difference[] {
  const differences: Difference[] = [];
  const comparison = new SchemaComparison({ was, is }, side, (rule, where, what) => {
    differences.push({ where, what, rule, side });
  });
  comparison.compare(ROOT, { ...ROOT }, '');
  return differences;
}

function validator(document: object): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false });
  for (const [name, bits] of [['int32', 31] as const, ['int64', 63] as const])
    ajv.addFormat(name, { type: 'number', validate: (x) => Number.isInteger(x) && x >= -(2 ** bits) && x < 2 ** bits });
  return ajv.compile({ ...document, ...ROOT });
}

const VALUES = fc.sample(value, { numRuns: 300, seed: 3 });

/** Counts the values that one document accepts, and lists those of them that the other document rejects. */
function counterexamples([one, other]: Pair<object>): { taken: number; lost: unknown[] } {
  const [before, after] = [validator(one), validator(other)];
  const taken = VALUES.filter((each) => before(each));
  return { taken: taken.length, lost: taken.filter((each) => !after(each)) };
}

test.each([
  ['accepts in requests every value that the earlier one accepts', 'request', [], 1],
  ['allows in replies only values that the earlier one allows', 'reply', TOLERATED, 2],
] as const)('the later of two compatible schemas %s', (_promise, side, tolerated: readonly RuleName[], seed) => {
  let tried = 0;
  fc.assert(
    fc.property(documents, ([was, is]) => {
      const differences = compare([was, is], side);
      if (differences.some((each) => breakage(each) !== undefined || tolerated.includes(each.rule))) return;
      const { taken, lost } = counterexamples(side === 'request' ? [was, is] : [is, was]);
      if (differences.length > 0) tried += taken;
      expect(lost).toEqual([]);
    }),
    { numRuns: 2_000, seed },
  );
  expect(tried).toBeGreaterThan(10_000);
});

test('a comparison finds no difference between a schema and its copy', () => {
  fc.assert(
    fc.property(documents, ([document]) => {
      expect(compare([document, JSON.parse(JSON.stringify(document)) as object], 'request')).toEqual([]);
    }),
  );
});
