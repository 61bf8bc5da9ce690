import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../scripts/compatibility/contracts.ts';
import { linesOf } from '../../scripts/compatibility/report.ts';
import { RULES } from '../../scripts/compatibility/rules.ts';
import { SchemaComparison } from '../../scripts/compatibility/schemas.ts';
import { loadDocument } from '../../src/contract/load.ts';
import { CONTRACT_CASES } from './contract-cases.ts';
import { EXCHANGE_CASES } from './exchange-cases.ts';
import { GARDEN } from './garden.ts';
import { SCHEMA_CASES } from './schema-cases.ts';

const garden = loadDocument(GARDEN);
const seen = new Set<string>();

describe('a difference between contracts', () => {
  test.each([...SCHEMA_CASES, ...EXCHANGE_CASES, ...CONTRACT_CASES])('$from → $to', ({ from, to, there, back }) => {
    expect(GARDEN.split(from)).toHaveLength(2);
    const other = loadDocument(GARDEN.replace(from, () => to));
    const [forth, taken] = [compareContracts(garden, other), compareContracts(other, garden)];
    for (const { rule, side } of [...forth, ...taken]) seen.add(`${rule}, ${side}`);
    expect(linesOf(forth)).toEqual(there);
    expect(linesOf(taken).toSorted()).toEqual([...back].toSorted());
    expect(compareContracts(other, other)).toEqual([]);
  });

  test('is found in no time among schemas that contain each other', () => {
    const ring = (limit: number) => {
      const names = Array.from({ length: 40 }, (_, index) => `S${index}`);
      const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]));
      const anyOf = () => ({ anyOf: [{ $ref: '#/components/schemas/S0' }, { maxLength: limit }] });
      const schemas = Object.fromEntries(names.map((name) => [name, { oneOf: [{}], properties, ...anyOf() }]));
      return { components: { schemas } };
    };
    const comparison = new SchemaComparison({ was: ring(1), is: ring(2) }, 'request', 'here');
    comparison.compare({ $ref: '#/components/schemas/S1' }, { $ref: '#/components/schemas/S1' }, '');
    expect(comparison.differences).toHaveLength(40);
    expect(linesOf(comparison.differences)).toContain('here, anyOf[1].maxLength: 1 → 2; compatible');
    // An open object takes whatever is described later.
    comparison.compare({}, { $ref: '#/components/schemas/S1' }, 'open');
    expect(comparison.differences.some(({ rule }) => rule === 'optional property added')).toBe(true);
  });

  test('of every kind has been among these, on each side where it can be', () => {
    const rules = Object.entries(RULES).flatMap(([name, { request, reply }]) => [
      ...(request === undefined ? [] : [`${name}, request`]),
      ...(reply === undefined ? [] : [`${name}, reply`]),
    ]);
    expect([...seen].toSorted()).toEqual(rules.toSorted());
  });
});
