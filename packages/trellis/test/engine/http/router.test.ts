import { Router } from 'express';
import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../../../contract/src/load.ts';
import { routeOperations } from '../../../src/http/router.ts';
import { type Handler, sharedBy } from '../../../src/service.ts';
import { startGarden } from '../../services/garden/garden.ts';
import { startApp, YAML } from '../../support/app.ts';

const { app, seen, call } = await startGarden('/a+b(c)');

test('a path without parameters is matched before one with parameters', async () => {
  expect((await call('GET', '/beds/newest')).status).toBe(204);
  expect(seen[0]?.path).toEqual({});
});

test('an undeclared method gets 405, with the declared ones in Allow', async () => {
  const { status, headers } = await call('POST', '/beds/1');
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
});

test('each operation has its own security: some need a token, others do not', async () => {
  const statusOf = async (path: string) => (await fetch(`${app.url}/a+b(c)/v1:b${path}`)).status;
  expect([await statusOf('/beds'), await statusOf('/beds/newest'), await statusOf('/beds/1')]).toEqual([200, 204, 401]);
});

test('a path variable may have text around it in its segment', async () => {
  const yaml = `
openapi: 3.1.0
info: { title: Leaves, version: 1.0.0 }
paths:
  /leaf-{id}.json:
    get:
      operationId: getLeaf
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: its id, content: { application/json: { schema: { type: string } } } }
        default: { description: it has failed, content: { application/json: { schema: true } } }
`;
  const getLeaf: Handler = ({ path }) => Promise.resolve({ status: 200, body: path['id'] });
  const { url } = await startApp({ yaml, operations: { getLeaf } });
  const answerOf = async (path: string) => {
    const response = await fetch(url + path);
    return response.status === 200 ? await response.json() : response.status;
  };
  expect(await answerOf('/leaf-1.json')).toBe('1');
  expect(await answerOf('/leaf-a%2Fb.json.json')).toBe('a/b.json');
  expect(await answerOf('/leaf-.json')).toBe(404);
  expect(await answerOf('/leaf-1xjson')).toBe(404);
});

test('the most concrete path that has the method gets a request, wherever it stands', async () => {
  const id = '{ name: id, in: path, required: true, schema: { type: string } }';
  const operation = (name: string) =>
    `{ operationId: ${name}, responses: { '200': { description: its name, content: { application/json: { schema: { type: string } } } }, default: { description: it has failed, content: { application/json: { schema: true } } } } }`;
  const yaml = `
openapi: 3.1.0
info: { title: Leaves, version: 1.0.0 }
paths:
  /leaves/{id}: { parameters: [${id}], get: ${operation('getLeaf')}, put: ${operation('putLeaf')} }
  /leaves/{id}.json: { parameters: [${id}], get: ${operation('getJson')} }
  /leaves/new: { get: ${operation('getNew')}, post: ${operation('postNew')} }
  /leaves/{other}: { parameters: [${id.replace('id', 'other')}], patch: ${operation('patchLeaf')} }
`;
  const names = ['getLeaf', 'putLeaf', 'getJson', 'getNew', 'postNew', 'patchLeaf'];
  const operations = Object.fromEntries(
    names.map((name): [string, Handler] => [name, () => Promise.resolve({ status: 200, body: name })]),
  );
  const { url } = await startApp({ yaml, operations });
  const answerOf = async (method: string, path: string) => {
    const response = await fetch(`${url}/leaves/${path}`, { method });
    return response.status === 200 ? await response.json() : [response.status, response.headers.get('Allow')];
  };
  expect([await answerOf('GET', 'new'), await answerOf('POST', 'new')]).toEqual(['getNew', 'postNew']);
  expect([await answerOf('GET', '%6eew'), await answerOf('GET', '%256eew')]).toEqual(['getNew', 'getLeaf']);
  expect([await answerOf('PUT', 'new'), await answerOf('PATCH', 'new')]).toEqual(['putLeaf', 'patchLeaf']);
  expect([await answerOf('GET', 'a.json'), await answerOf('PUT', 'a.json')]).toEqual(['getJson', 'putLeaf']);
  expect([await answerOf('GET', 'a'), await answerOf('POST', 'a')]).toEqual([
    'getLeaf',
    [405, 'GET, HEAD, PUT, PATCH'],
  ]);
  expect(await answerOf('DELETE', 'new')).toEqual([405, 'GET, HEAD, POST, PUT, PATCH']);
});

describe('paths of pages and operations', () => {
  test.each([
    ['/a+b(c)/v1:b/beds/newest', 204],
    ['/%61+b(c)/v1:b/beds/n%65west?', 204],
    ['/a%2Bb(c)/v1:b/beds/newest', 404],
    ['/a+b(c)/d%6Fcs/', 200],
    ['/v1:b/beds/newest', 404],
    ['/a+b(c)/beds/newest', 404],
    ['/aab(c)/v1:b/beds/newest', 404],
    ['/v1:b/a+b(c)/beds/newest', 404],
    ['/a+b(c)/v1/beds/newest', 404],
    ['/a+b(c)/docs/', 200],
    ['/a+b(c)/openapi.yaml', 200],
    ['/a+b(c)/v1:b/docs/', 404],
    ['/a+b(c)/v1:b/openapi.yaml', 404],
  ])(
    'pages are below the path of BASE_URL, and operations below that path followed by the path of servers: GET %s gets %i',
    async (path, status) => {
      expect((await fetch(app.url + path)).status).toBe(status);
    },
  );

  test('a client that omits the path of BASE_URL or that of servers reads where the operations are', async () => {
    const said = async (path: string) => (await fetch(app.url + path)).text();
    expect(await said('/v1:b/beds/newest')).toContain('does not exist: operations are below /a+b(c)/v1:b/');
    expect(await said('/a+b(c)/v1:b/none')).toContain('/a+b(c)/v1:b/none does not exist"');
  });
});

test.each(['OPTIONS', 'HEAD', 'PATCH', 'TRACE'])('a path may have the method %s', async (method) => {
  expect((await call(method, '/gate')).status).toBe(204);
});

test('the service refuses to start when it lacks an operation of its contract, or has one too many', async () => {
  const options = {
    contract: await loadContract(YAML),
    shared: { ...sharedBy((await startApp()).store), resources: undefined },
    authenticator: {
      authenticate: () => ({ key: '', name: undefined, subject: undefined, scopes: new Set<string>() }),
    },
    basePath: '',
  };
  const handler = () => Promise.resolve({ status: 200 });
  const route = (operations: Readonly<Record<string, typeof handler>>) => {
    routeOperations(Router(), { ...options, operations });
  };
  const run = 'run `npm run generate`, then `npm run check`';
  expect(() => {
    route({});
  }).toThrow(`the contract declares createItem, which the service does not have: ${run}`);
  expect(() => {
    route({ createItem: handler, mowLawn: handler });
  }).toThrow(`the contract does not declare mowLawn, which the service has: ${run}`);
});
