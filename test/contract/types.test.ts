import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Operations } from '../../src/contract/types.ts';
import type { Tools } from '../../src/operations/services.ts';
import { startApp } from '../support/app.ts';
import { expectGenerated } from '../support/generated.ts';
import type { operations } from './generated.ts';

test('generated.ts has the types of types.yaml', async () => {
  await expectGenerated(import.meta.dirname, 'types.yaml');
});

/** Handlers that compile. */
const handlers = {
  putBed: ({ path, query, body: { secret: _, ...bed } }) => {
    const within = [{ id: query.limit, name: `page ${query.page}, ${query.order}`, rows: bed.rows }];
    return Promise.resolve({ status: 200, body: { id: path['bed-id'], ...bed, within } });
  },
  clearBed: ({ body = { why: 'none' } }) =>
    Promise.resolve({ status: 200, headers: { 'X-Count': 2n }, body: { some: 1n, either: body.why ?? '' } }),
  addPet: ({ body }) => Promise.resolve({ status: 200, body: body.kind === 'cat' ? body.lives : body.kind }),
} satisfies Operations<Tools, operations>;

test('handlers get requests as their types say, and the service sends their replies', async () => {
  const yaml = readFileSync(join(import.meta.dirname, 'types.yaml'), 'utf8');
  const app = await startApp({ yaml, operations: handlers });
  async function call(method: string, path: string, body?: string) {
    const headers = { Authorization: `Bearer ${app.token}`, Accept: '*/*', 'Content-Type': 'application/json' };
    const response = await fetch(`${app.url}${path}`, { method, headers, body: body ?? null });
    return [response.status, await response.text()];
  }
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
