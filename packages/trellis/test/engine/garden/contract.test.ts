import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { loadContract } from '../../../../contract/src/load.ts';
import { FORMATS } from '../../../../contract/src/rules/field-values.ts';
import { nodesIn } from '../../../../contract/src/rules/objects.ts';
import { VOCABULARY } from '../../../../contract/src/rules/vocabulary.ts';
import { readOpenApi } from '../../../../contract/src/schema/document.ts';
import { GARDEN, startGarden } from '../../services/garden/garden.ts';
import { items } from '../../services/items/index.ts';

test('the contract of the garden uses each field and each format that the service supports', () => {
  const used = nodesIn(readOpenApi(GARDEN)).flatMap(({ node, kind }) => [
    ...Object.keys(node).map((field) => `${kind} ${field}`),
    `format ${String(node['format'])}`,
  ]);
  const kept = Object.entries(VOCABULARY).flatMap(([kind, rows]) =>
    Object.entries(rows).flatMap(([field, { is }]) => (is === 'kept' ? [`${kind} ${field}`] : [])),
  );
  const formats = FORMATS.map((each) => `format ${each}`);
  expect([...kept, ...formats].filter((each) => !used.includes(each))).toEqual([]);
});

test('the contract is served with its webhooks, its callbacks, and digits that a double would not keep', async () => {
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

test('the contract is served with its comments, its anchors and its order', async () => {
  const { app } = await startGarden();
  const text = await (await fetch(`${app.url}/openapi.yaml`)).text();
  const comments = GARDEN.match(/# .*$/gm) ?? [];
  expect(comments.length).toBeGreaterThan(1);
  expect(text.match(/# .*$/gm)).toEqual(comments);
  expect(text).toMatch(/responses: &done[^]*responses: \*done/);
  const schemas = (yaml: string) =>
    JSON.stringify((parse(yaml) as { components: { schemas: object } }).components.schemas);
  expect(schemas(text)).toBe(schemas(GARDEN));
});

test('each reply of createItem declares the headers that the service adds', async () => {
  const created = (await loadContract(items.contract)).operations.find(({ id }) => id === 'createItem');
  expect(created?.replies.size).toBeGreaterThan(1);
  for (const { headers } of created?.replies.values() ?? [])
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'X-Request-Id']));
});
