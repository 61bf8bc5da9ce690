import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compareContracts } from '../../../scripts/compatibility/contracts.ts';
import { namesOf } from '../../../scripts/compatibility/nodes.ts';
import { readOpenApi } from '../../../src/contract/document.ts';
import { isIgnored } from '../../../src/contract/vocabulary.ts';
import { ROOT } from '../../support/service.ts';

/** A contract that uses each part of OpenAPI that the service supports. */
const GARDEN = readFileSync(join(ROOT, 'test/garden/openapi.yaml'), 'utf8');

/** Returns the paths to the values in a node, except prose and values that OpenAPI ignores. */
function waysIn(node: object): string[][] {
  return Object.entries(node).flatMap(([name, each]: [string, unknown]) => {
    if (namesOf({ [name]: true }, {}).length === 0 || name === '$ref') return [];
    if (typeof each !== 'object' || each === null) return [[name]];
    return isIgnored(each) ? [] : waysIn(each).map((way) => [name, ...way]);
  });
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${String(value)}x`;
}

test('compareContracts reports a difference when any value changes, except prose', () => {
  const garden = readOpenApi(GARDEN);
  const { paths = {}, components = {}, servers = [], security = [] } = garden as unknown as Record<string, object>;
  const ways = waysIn({ paths, components, servers, security });
  const unseen = ways.filter((way) => {
    const other = readOpenApi(GARDEN);
    const holder = way
      .slice(0, -1)
      .reduce((node, name) => node[name] as Record<string, unknown>, other as unknown as Record<string, unknown>);
    const name = way.at(-1) ?? '';
    holder[name] = otherThan(holder[name]);
    return compareContracts(garden, other).length === 0;
  });
  expect(ways.length).toBeGreaterThan(400);
  expect(unseen.map((way) => way.join(' '))).toEqual([]);
});
