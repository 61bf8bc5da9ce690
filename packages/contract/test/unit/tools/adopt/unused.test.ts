import { expect, test } from '@jest/globals';
import { ContractError } from '../../../../src/contract-error.ts';
import { locationOf, readTree } from '../../../../src/schema/document.ts';
import { leaveOutUnused } from '../../../../tools/adopt/unused.ts';
import type { Tree } from '../../../../tools/adopt/tree.ts';

const withAlone = { openapi: '3.1.0', components: { schemas: { Alone: { type: 'string' } } } };

test('leaves out an unused component that is refused', () => {
  const document = readTree(JSON.stringify(withAlone)).tree as Tree & typeof withAlone;
  const place = locationOf(document.components.schemas, 'Alone');
  const refusal = new ContractError('this is not supported', `${place}, components/schemas/Alone`);
  expect(leaveOutUnused(document, [refusal]).map(({ told }) => told)).toEqual([`${place} schemas/Alone`]);
  expect(document.components.schemas).toEqual({});
});

test('keeps an unused component without a place, which an edit has made, when something else without a place is refused', () => {
  const document = structuredClone(withAlone);
  const refusal = new ContractError('this is not supported', 'openapi.yaml, POST /notes');
  expect(leaveOutUnused(document, [refusal])).toEqual([]);
  expect(document).toEqual(withAlone);
});
