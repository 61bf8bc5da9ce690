import { expect, test } from '@jest/globals';
import { loadDocument } from '../../src/contract/load.ts';
import { type Kind, VOCABULARY } from '../../src/contract/vocabulary.ts';
import { GARDEN, startGarden } from './garden.ts';

/** Adds what a part of a contract uses: `Operation security`. */
function addUsed(node: unknown, kind: Kind, used: Set<string>): Set<string> {
  for (const [field, value] of Object.entries(node as object)) {
    used.add(`${kind} ${field}`);
    const { holds } = VOCABULARY[kind][field] ?? {};
    if (holds === undefined) continue;
    const parts = holds.in === undefined ? [value] : Object.values(value as object);
    for (const part of parts) addUsed(part, holds.kind, used);
  }
  return used;
}

test('the contract of the garden uses all that the service keeps', () => {
  const used = addUsed(loadDocument(GARDEN), 'OpenAPI', new Set());
  const kept = Object.entries(VOCABULARY).flatMap(([kind, rows]) =>
    Object.entries(rows).flatMap(([field, { is }]) => (is === 'kept' ? [`${kind} ${field}`] : [])),
  );
  expect(kept.filter((row) => !used.has(row))).toEqual([]);
});

test('it is served as it is: webhooks and callbacks too, and digits that a double would round', async () => {
  const { app } = await startGarden();
  expect(await (await fetch(`${app.url}/openapi.yaml`)).text()).toContain('maximum: 9223372036854775400 }');
  const json = await (await fetch(`${app.url}/openapi.json`)).text();
  expect(json).toMatch(/"maximum": ?9223372036854775400/);
  expect(JSON.parse(json)).toMatchObject({
    webhooks: { bedOpened: { post: {} } },
    paths: { '/visitors': { post: { callbacks: { visitorLeft: {} } } } },
    components: { callbacks: { Left: {} } },
  });
});
