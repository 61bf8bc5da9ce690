import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../scripts/compatibility/contracts.ts';
import { namesOf } from '../../scripts/compatibility/nodes.ts';
import { linesOf, RULES } from '../../scripts/compatibility/rules.ts';
import { readOpenApi } from '../../src/contract/document.ts';
import { VOCABULARY } from '../../src/contract/vocabulary.ts';
import { page } from '../support/readme.ts';
import { CONTRACT_CASES } from './contract-cases.ts';
import { BEDS } from './beds.ts';
import { SCHEMA_CASES } from './schema-cases.ts';

const beds = readOpenApi(BEDS);
const seen = new Set<string>();

describe('compareContracts', () => {
  test.each([...SCHEMA_CASES, ...CONTRACT_CASES])('reports the edit $from → $to', ({ from, to, there, back }) => {
    expect(BEDS.split(from)).toHaveLength(2);
    const other = readOpenApi(BEDS.replace(from, () => to));
    const [forth, taken] = [compareContracts(beds, other), compareContracts(other, beds)];
    for (const { rule, side } of [...forth, ...taken]) seen.add(`${rule}, ${side}`);
    expect(linesOf(forth).toSorted()).toEqual(there.toSorted());
    expect(linesOf(taken).toSorted()).toEqual(back.toSorted());
    expect(compareContracts(other, other)).toEqual([]);
  });

  test('soon ends for 40 schemas that contain each other', () => {
    const ring = (limit: number) => {
      const names = Array.from({ length: 40 }, (_, index) => `S${index}`);
      const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]));
      const anyOf = () => ({ anyOf: [{ $ref: '#/components/schemas/S0' }, { maxLength: limit }] });
      const schemas = Object.fromEntries(names.map((name) => [name, { oneOf: [{}], properties, ...anyOf() }]));
      // The first object does not declare `open`, but accepts it, as it has no additionalProperties: false.
      const described = limit === 1 ? {} : { properties: { open: { $ref: '#/components/schemas/S1' } } };
      const schema = { allOf: [{ $ref: '#/components/schemas/S1' }, described] };
      const requestBody = { content: { 'application/json': { schema } } };
      return { paths: { '/ring': { post: { requestBody } } }, components: { schemas } };
    };
    const lines = linesOf(compareContracts(ring(1), ring(2)));
    expect(lines).toContain('POST /ring, request body, allOf[0].anyOf[1].maxLength: 1 → 2; compatible');
    expect(lines).toContain('POST /ring, request body, allOf[1].open: optional property added; compatible');
    expect(lines.length).toBeLessThan(2_000);
  });

  test('applies each rule to at least one of these edits, in requests and in replies', () => {
    const rules = Object.entries(RULES).flatMap(([name, { request, reply }]) => [
      ...(request === undefined ? [] : [`${name}, request`]),
      ...(reply === undefined ? [] : [`${name}, reply`]),
    ]);
    expect([...seen].toSorted()).toEqual(rules.toSorted());
  });
});

test('the comparison looks at each supported field, except x-pattern-message', () => {
  const kept = Object.values(VOCABULARY).flatMap((rows) =>
    Object.entries(rows).flatMap(([name, { is }]) => (is === 'kept' ? [name] : [])),
  );
  const silent = kept.filter((name) => namesOf({ [name]: true }, {}).length === 0);
  expect(silent).toEqual(['x-pattern-message']);
});

test('docs/releasing.md has the rules of compatibility', () => {
  const [, section = ''] = page('releasing').split('## What breaks clients');
  const told = [...section.matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
  const cell = (verdict: string | undefined) =>
    verdict === undefined ? '–' : verdict === 'compatible' ? verdict : 'breaks';
  expect(told.slice(2)).toEqual(
    Object.entries(RULES).map(([name, { request, reply, because }]) => [name, cell(request), cell(reply), because]),
  );
});
