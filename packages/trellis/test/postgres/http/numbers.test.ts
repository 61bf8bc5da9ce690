import { describe, expect, test } from '@jest/globals';
import { int64, json, type Steps, table } from 'trellis';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import type { AnyService, Handler } from '../../../src/service.ts';
import { startApp } from '../../support/app.ts';
import { sharedPostgres } from '../../support/postgres.ts';

// A number of JSON goes through a request, a column of JSON and a reply, as the contract types it.

const INT64 = { type: 'integer', format: 'int64' };
const closed = (properties: object) => ({ type: 'object', additionalProperties: false, properties });

const VALUE = closed({
  counts: closed({ bolts: INT64 }),
  width: { type: 'number' },
  whole: { type: 'integer' },
  either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
  kind: { oneOf: [closed({ a: { ...INT64, minimum: 0 } }), closed({ b: { type: 'number' } })] },
  list: { type: 'array', items: { type: 'array', items: INT64 } },
  pair: { type: 'array', prefixItems: [INT64, { type: 'number' }], items: false },
  map: { type: 'object', additionalProperties: INT64 },
  matched: { type: 'object', patternProperties: { '^n': { type: 'number' } }, additionalProperties: INT64 },
  tree: { $ref: '#/components/schemas/Tree' },
  both: { allOf: [{ type: 'object', properties: { a: INT64 } }], unevaluatedProperties: false },
  open: { type: 'object' },
  any: true,
});

const description = 'a shape';
const content = (schema: object) => ({ content: { 'application/json': { schema } } });
const shape = content({ $ref: '#/components/schemas/Shape' });
const others = { default: { description, ...content({}) } };
const YAML = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shapes', version: '1.0.0' },
  paths: {
    '/shapes': {
      post: {
        operationId: 'createShape',
        requestBody: { required: true, ...shape },
        responses: { 200: { description, ...shape }, 201: { description, ...shape }, ...others },
      },
    },
    '/shapes/{id}': {
      get: {
        operationId: 'getShape',
        parameters: [{ name: 'id', in: 'path', required: true, schema: INT64 }],
        responses: { 200: { description, ...shape }, ...others },
      },
    },
    '/widths/{id}': {
      get: {
        operationId: 'getWidth',
        parameters: [{ name: 'id', in: 'path', required: true, schema: INT64 }],
        responses: { 200: { description, ...content(closed({ width: { type: 'number' } })) }, ...others },
      },
    },
  },
  components: {
    schemas: {
      Shape: { ...closed({ id: INT64, value: VALUE }), required: ['id', 'value'] },
      Tree: closed({
        size: INT64,
        width: { type: 'number' },
        parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      }),
    },
  },
});

const tables = { shapes: table({ id: int64(), value: json() }, 'id') };
const steps: Steps = {
  shapes: ({ schema, type }) => [
    schema
      .createTable('shapes')
      .addColumn('id', type.int64, (column) => column.primaryKey())
      .addColumn('value', type.json, (column) => column.notNull()),
  ],
};
const createShape: Handler = async ({ body }, { create }) => {
  const creation = await create('shapes', body as Record<string, unknown>);
  const status = { created: 201, replayed: 200, conflict: 409 }[creation];
  return { status, body: creation === 'conflict' ? undefined : body };
};
const getShape: Handler = async ({ path }, { database }) => {
  const row = await database.selectFrom('shapes').selectAll().where('id', '=', path['id']).executeTakeFirstOrThrow();
  return { status: 200, body: row };
};
const getWidth: Handler = async (request, tools) => {
  const { body } = await getShape(request, tools);
  return { status: 200, body: (body as { readonly value: unknown }).value };
};
const service = {
  name: 'shapes',
  marker: 'shap',
  contract: new URL('unused', import.meta.url),
  tables,
  steps,
  operations: { createShape, getShape, getWidth },
  records: { shapes: 'createShape' },
} as unknown as AnyService;

const server = await sharedPostgres();
const APPS = [
  ['SQLite', await startApp({ service, yaml: YAML })],
  [
    'PostgreSQL',
    await startApp({
      service,
      yaml: YAML,
      location: readPostgresLocation(server.url(await server.createDatabase())),
    }),
  ],
] as const;
let id = 2n ** 53n;

const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

/** JSON with each number as its text. */
function shown(text: string): unknown {
  return parse(text, (_name, value, { source }) => (typeof value === 'number' ? source : value));
}

describe.each(APPS)('on %s,', (_, { url, token }) => {
  const send = async (path: string, body?: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const reply = await fetch(`${url}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body });
    return { status: reply.status, text: await reply.text() };
  };

  test.each([
    ['{"counts":{"bolts":4}}'],
    ['{"counts":{"bolts":9007199254740993}}'],
    ['{"counts":{"bolts":-9223372036854775808}}'],
    ['{"width":1e16}', '{"width":10000000000000000}'],
    ['{"width":9007199254740993}', '{"width":9007199254740992}'],
    ['{"width":9223372036854775807}', '{"width":9223372036854776000}'],
    ['{"width":1e300}', '{"width":1e+300}'],
    ['{"width":4}'],
    ['{"width":-0.5}'],
    ['{"whole":1e16}', '{"whole":10000000000000000}'],
    ['{"either":9007199254740994}'],
    ['{"kind":{"a":4}}'],
    ['{"kind":{"b":1e16}}', '{"kind":{"b":10000000000000000}}'],
    ['{"list":[[1],[9007199254740993,2]]}'],
    ['{"pair":[5,1e18]}', '{"pair":[5,1000000000000000000]}'],
    ['{"map":{"one":1,"__proto__":2}}'],
    ['{"matched":{"n":1e17,"others":7}}', '{"matched":{"n":100000000000000000,"others":7}}'],
    [
      '{"tree":{"size":1,"parts":[{"size":2,"width":1e16}]}}',
      '{"tree":{"size":1,"parts":[{"size":2,"width":10000000000000000}]}}',
    ],
    ['{"both":{"a":3}}'],
    ['{"open":{"a":9007199254740991,"b":[1,{"c":0.5}]}}'],
    ['{"open":{"a":9007199254740994,"b":1e+300}}'],
    ['{"any":1e20}', '{"any":100000000000000000000}'],
  ])('the service stores and returns %s', async (sent, expected = sent) => {
    const body = `{"id":${id++},"value":${sent}}`;
    const wanted = { id: String(id - 1n), value: shown(expected) };
    const created = await send('/shapes', body);
    expect([created.status, shown(created.text)]).toEqual([201, wanted]);
    const replayed = await send('/shapes', body);
    expect([replayed.status, shown(replayed.text)]).toEqual([200, wanted]);
    const read = await send(`/shapes/${id - 1n}`);
    expect([read.status, shown(read.text)]).toEqual([200, wanted]);
  });

  test('sends a double where the contract types a number and the column returns a bigint', async () => {
    const own = id++;
    const value = '{"width":10000000000000000}';
    await send('/shapes', `{"id":${own},"value":${value}}`);
    expect(await send(`/widths/${own}`)).toEqual({ status: 200, text: value });
  });

  test.each([
    ['{"open":{"a":9007199254740993}}', '9007199254740993'],
    ['{"open":{"a":[[-9007199254740993.0]]}}', '-9007199254740993.0'],
    ['{"any":-288230376151711744}', '-288230376151711744'],
    ['{"any":18446744073709551615}', '18446744073709551615'],
    ['{"any":[123456789012345678901e5]}', '123456789012345678901e5'],
  ])('the service refuses %s, with the place', async (sent, integer) => {
    const body = `{"id":1,"value":${sent}}`;
    const { status, text } = await send('/shapes', body);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        error: 40010,
        message: `body has an integer at position ${body.indexOf(integer)} whose digits a double would not keep, and the contract gives it no type: send it as a string`,
      },
    ]);
  });
});
