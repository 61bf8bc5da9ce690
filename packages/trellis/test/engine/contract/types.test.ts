import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { examine, loadContract } from '../../../../contract/src/load.ts';
import type { Operations } from '../../../../contract/src/types.ts';
import type { Tools } from '../../../src/service.ts';
import { requireTypes } from '../../../../contract/tools/contract-for-types.ts';
import { generateTypes } from '../../../../contract/tools/types.ts';
import { allRows, startApp } from '../../support/app.ts';
import type { components, operations } from './generated.ts';
import { contractOf } from '../../../../contract/test/unit/values.ts';

test('generated.ts has the types of types.yaml', async () => {
  const file = join(import.meta.dirname, 'generated.ts');
  const types = await generateTypes(readFileSync(join(import.meta.dirname, 'types.yaml'), 'utf8'));
  const committed = readFileSync(file, 'utf8');
  const generated = `// Generated from types.yaml by a test, which writes it anew when it fails. Do not edit.\n\n${types}`;
  if (generated !== committed) writeFileSync(file, generated);
  expect(committed).toBe(generated);
});

test('generateTypes exports what a service imports for a contract that lists no error numbers', async () => {
  const types = await generateTypes('openapi: 3.1.0\ninfo: { title: Things, version: 1.0.0 }\npaths: {}\n');
  expect(types).toContain('export type ErrorNumber = number;\nexport const errors = {\n} as const;\n');
});

/** Checks and generates types as `trellis generate` does. */
async function checkedTypes(yaml: string): Promise<string> {
  const examined = examine(yaml);
  requireTypes(examined);
  examined.found.requireNone();
  return generateTypes(yaml);
}

/** A cast: at run time, a missing member is undefined. */
const NO_NUMBERS = {} as Record<keyof components['schemas']['Numbers'], undefined>;

/** Handlers that compile. */
const handlers = {
  'accept the share': ({ path: { id } }) =>
    Promise.resolve(
      id === '1' ? { status: 204 } : id === '2' ? { status: 303, body: 'gone' } : { status: 307, body: `by ${id}` },
    ),
  putBed: ({ path, query, body: { secret: _, ...bed } }) => {
    const none = { size: undefined, order: undefined, note: undefined, within: undefined };
    const within = [{ id: query.limit, name: `page ${query.page}, ${query.order}`, rows: bed.rows, ...none }];
    return Promise.resolve({ status: 200, body: { id: path['bed-id'], ...bed, within } });
  },
  clearBed: ({ body = { why: 'none' } }) =>
    Promise.resolve({
      status: 200,
      headers: { 'X-Count': 2n },
      body: { ...NO_NUMBERS, some: 1n, either: body.why ?? '' },
    }),
  addPet: ({ body }) => Promise.resolve({ status: 200, body: body.kind === 'cat' ? body.lives : body.kind }),
  addSeed: ({ body: { id, name, tag } }) => Promise.resolve({ status: 200, body: { id, name, tag } }),
  sowSeeds: async ({ body: { first, others, packed } }, { create }) => {
    const timestamp = new Date(0);
    const bytes = new Uint8Array();
    const kinds = { id: first.id, text: '', int64: 0n, int32: 0, number: 0, boolean: false, timestamp, bytes };
    await create('kinds', { ...kinds, json: first });
    await create('items', packed);
    const sent = ({ id, name, tag }: components['schemas']['Seed']) => ({ id, name, tag });
    const body = { first: sent(first), others: others.map(sent), last: null, packed, then: undefined };
    return { status: 200, body };
  },
  keepSeeds: async ({ body: { seed } }, { create }) => {
    const kinds = { id: seed.id, text: '', int64: 0n, int32: 0, number: 0, boolean: false };
    await create('kinds', { ...kinds, timestamp: new Date(0), bytes: new Uint8Array(), json: seed });
    return { status: 204 };
  },
} satisfies Operations<operations, Tools>;

test('handlers get requests as their types say, and the service sends their replies', async () => {
  const yaml = readFileSync(join(import.meta.dirname, 'types.yaml'), 'utf8');
  const app = await startApp({ yaml, operations: handlers });
  async function call(method: string, path: string, body?: string) {
    const headers = { Authorization: `Bearer ${app.token}`, Accept: '*/*', 'Content-Type': 'application/json' };
    const response = await fetch(`${app.url}${path}`, { method, headers, body: body ?? null });
    return [response.status, await response.text()];
  }
  for (const [id, status, body] of [
    ['1', 204, ''],
    ['2', 303, '"gone"'],
    ['3', 307, '"by 3"'],
  ] as const)
    expect(await call('POST', `/shares/${id}/accept`)).toEqual([status, body]);
  const bed = '"name":"x","rows":1';
  const filledIn = '"size":9007199254740993,"order":"up","note":null';
  expect(await call('PUT', '/beds/9007199254740993', `{"secret":"s",${bed}}`)).toEqual([
    200,
    `{"id":9007199254740993,${bed},${filledIn},"within":[{"id":20,"name":"page 1, up","rows":1}]}`,
  ]);
  expect(await call('PUT', '/beds/1', `{"id":1,"secret":"s",${bed}}`)).toEqual([
    400,
    expect.stringContaining('body.id'),
  ]);
  expect(await call('DELETE', '/beds/1')).toEqual([200, '{"some":1,"either":"none"}']);
  expect(await call('POST', '/pets', '{"kind":"cat","lives":9}')).toEqual([200, '9']);
  expect(await call('POST', '/pets', '{"kind":"hound"}')).toEqual([200, '"hound"']);
});

test('an operation gets the members that the contract names, and others only where it keeps them', async () => {
  const yaml = readFileSync(join(import.meta.dirname, 'types.yaml'), 'utf8');
  const app = await startApp({ yaml, operations: handlers });
  const send = (method: string, body: string) =>
    fetch(`${app.url}/seeds`, {
      method,
      headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' },
      body,
    });
  const [first, open, packed] = [
    '{"id":1,"name":"x","colour":"red"}',
    '{"id":3,"name":"x","colour":"red"}',
    '{"id":2,"name":"y"}',
  ];
  const response = await send('PUT', `{"first":${first},"others":[${first}],"last":null,"packed":${packed}}`);
  const sent = '{"id":1,"name":"x"}';
  expect([response.status, await response.text()]).toEqual([
    200,
    `{"first":${sent},"others":[${sent}],"last":null,"packed":${packed}}`,
  ]);
  const kept = await send('PATCH', `{"seed":${open},"list":[],"none":null,"joined":${first},"branch":${first}}`);
  expect([kept.status, await kept.text()]).toEqual([204, '']);
  expect((await allRows(app.store, 'kinds')).map(({ json }) => json)).toEqual([
    { id: 1, name: 'x' },
    { id: 3, name: 'x', colour: 'red' },
  ]);
});

describe('schemas whose types would be wrong', () => {
  const ID = { $ref: '#/components/schemas/Id' };
  const BOTH =
    'one schema of this value has format: int64, and another one does not: write type: integer and format: int64 in ' +
    'both, or in neither';
  const elsewhere = (place: string) =>
    `$ref leads to ${place}, for which no type can be generated: move that schema to components/schemas, and refer to ` +
    'it there';
  test.each<[string, object, string]>([
    ['allOf of an int64 and an integer', { allOf: [ID, { type: 'integer', minimum: 1 }] }, BOTH],
    ['an integer beside a $ref to an int64', { ...ID, type: 'integer' }, BOTH],
    ['an enum beside a $ref to an int64', { ...ID, enum: [1, 2] }, BOTH],
    ['a const beside anyOf of int64', { const: 1, anyOf: [ID, { type: 'null' }] }, BOTH],
    [
      'a $ref to $defs',
      { $ref: '#/components/schemas/Thing/$defs/a', $defs: { a: { type: 'string' } } },
      elsewhere('#/components/schemas/Thing/$defs/a'),
    ],
    [
      'a $ref to a member',
      { properties: { a: { type: 'string' }, b: { $ref: '#/components/schemas/Thing/properties/a' } } },
      elsewhere('#/components/schemas/Thing/properties/a'),
    ],
    [
      'a $ref to the schema of a reply',
      { $ref: '#/paths/~1things/put/responses/default/content/application~1json/schema' },
      elsewhere('#/paths/~1things/put/responses/default/content/application~1json/schema'),
    ],
  ])('`generate` refuses a schema whose type would be wrong: %s', async (_name, schema, message) => {
    const yaml = contractOf({ schemas: { Id: { type: 'integer', format: 'int64' }, Thing: schema } });
    await expect(loadContract(yaml)).resolves.toBeDefined();
    // The place is that of the schema, or of its $ref, which is the last one of the text.
    const column = 1 + (message === BOTH ? yaml.indexOf('"Thing"') : yaml.lastIndexOf('"$ref"'));
    const generating = checkedTypes(yaml);
    await expect(generating).rejects.toThrow(expect.objectContaining({ name: 'ContractError' }));
    await expect(generating).rejects.toThrow(`openapi.yaml:1:${column}: ${message}`);
  });

  const MEMBERS = { properties: { a: { type: 'string' } } };
  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['members', MEMBERS, '"schema"'],
    ['other members', { additionalProperties: { type: 'string' } }, '"schema"'],
    ['members of a member', { type: 'object', properties: { b: MEMBERS } }, '"b"'],
    ['members in a branch', { anyOf: [{ type: 'string' }, MEMBERS] }, JSON.stringify(MEMBERS)],
    ['members beside type: object', { type: 'object', anyOf: [MEMBERS, { required: ['b'] }] }, undefined],
    ['members beside an object', { anyOf: [{ type: 'string' }, { allOf: [{ type: 'object' }, MEMBERS] }] }, undefined],
    ['members of an object or null', { type: ['object', 'null'], ...MEMBERS }, undefined],
  ])('`generate` refuses a schema whose type would be wrong: %s without type: object', async (_name, body, wrong) => {
    const yaml = contractOf({ body });
    await expect(loadContract(yaml)).resolves.toBeDefined();
    const column = 1 + yaml.indexOf(wrong ?? '');
    const message = `openapi.yaml:1:${column}: this schema has members, and allows values that are no objects: add type: object`;
    if (wrong === undefined) await expect(checkedTypes(yaml)).resolves.toBeDefined();
    else await expect(checkedTypes(yaml)).rejects.toThrow(message);
  });
});
