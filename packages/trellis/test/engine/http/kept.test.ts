import { expect, test } from '@jest/globals';
import type { Handler } from '../../../src/service.ts';
import { startApp } from '../../support/app.ts';

const DEFAULT = 'default: { description: it has failed, content: { application/json: { schema: { type: object } } } }';
const TEXT = 'content: { application/json: { schema: { type: string } } }';

/** Answers with the path of an operation. */
const at =
  (place: string): Handler =>
  ({ path: { id = '' } }) =>
    Promise.resolve({ status: 200, body: `${place} ${String(id)}` });

test('the service serves what public contracts have: names, paths and statuses of all kinds', async () => {
  const get = (operationId: string, replies = `'200': { description: done, ${TEXT} }`) =>
    `get: { operationId: ${operationId}, responses: { ${replies}, ${DEFAULT} } }`;
  const id = 'parameters: [{ name: id, in: path, required: true, schema: { type: string } }]';
  const { url } = await startApp({
    yaml: `
openapi: 3.1.0
info: { title: Shares, version: 1.0.0 }
paths:
  x-owner: { team: shares }
  /shares/{id}/accept: { ${id}, ${get('constructor')} }
  /shares/public-key/{id}: { ${id}, ${get('"GET /shares/public-key/{id}"')} }
  /shares/: { ${get('list-shares', `x-note: any, 2XX: { description: some, ${TEXT} }, 4XX: { description: no }`)} }
  /shares: { ${get('List-Shares')} }
  /users/{id}/shares: { $ref: '#/components/pathItems/Shares' }
components:
  pathItems:
    Shares: { ${id}, ${get('delete')} }
`,
    operations: {
      constructor: at('accept'),
      'GET /shares/public-key/{id}': at('key'),
      'list-shares': ({ query: _ }) => Promise.resolve({ status: 206, body: 'some' }),
      'List-Shares': () => Promise.resolve({ status: 404 }),
      delete: at('of'),
    },
  });
  const get1 = async (path: string) => {
    const response = await fetch(url + path);
    return [path, response.status, await response.text()];
  };
  const paths = [
    '/shares/1/accept',
    '/shares/public-key/2',
    '/shares/public-key/accept',
    '/shares/',
    '/users/3/shares',
  ];
  expect(await Promise.all(paths.map(get1))).toEqual([
    ['/shares/1/accept', 200, '"accept 1"'],
    ['/shares/public-key/2', 200, '"key 2"'],
    // The first one applies.
    ['/shares/public-key/accept', 200, '"accept public-key"'],
    ['/shares/', 206, '"some"'],
    ['/users/3/shares', 200, '"of 3"'],
  ]);
  // Declared by `default` alone: the service may answer so, and an operation may not.
  expect((await get1('/shares'))[1]).toBe(500);
});
