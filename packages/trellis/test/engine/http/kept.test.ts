import { describe, expect, test } from '@jest/globals';
import { hashToken } from '../../../src/auth/token.ts';
import { loadContract } from '../../../../contract/src/load.ts';
import type { Handler } from '../../../src/service.ts';
import { startApp } from '../../support/app.ts';

const DEFAULT = 'default: { description: it has failed, content: { application/json: { schema: { type: object } } } }';
const TEXT = 'content: { application/json; charset=utf-8: { schema: { type: string } } }';

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
    // Of two paths that match, the more concrete one applies.
    ['/shares/public-key/accept', 200, '"key accept"'],
    ['/shares/', 206, '"some"'],
    ['/users/3/shares', 200, '"of 3"'],
  ]);
  // The service itself may answer with a status that only `default` declares; an operation may not.
  expect((await get1('/shares'))[1]).toBe(500);
});

describe('a token in the header of an apiKey scheme', () => {
  const yaml = (schemes: string, security: string) => `
openapi: 3.1.0
info: { title: Shares, version: 1.0.0 }
security: ${security}
paths:
  /shares:
    get: { operationId: get, responses: { '200': { description: done, ${TEXT} }, ${DEFAULT} } }
components:
  securitySchemes: { ${schemes} }
`;
  const KEY = 'key: { type: apiKey, in: header, name: X-Api-Key }';
  const FLOW = 'flow: { type: oauth2, flows: { implicit: { authorizationUrl: https://id.example, scopes: {} } } }';
  const operations = { get: (): ReturnType<Handler> => Promise.resolve({ status: 200, body: 'done' }) };
  const ask = async (url: string, headers: Record<string, string>) => {
    const response = await fetch(`${url}/shares`, { headers });
    const { message = '' } = (await response.json()) as { message?: string };
    return [response.status, response.headers.get('www-authenticate'), message];
  };
  const UNKNOWN = 'the access token is unknown, revoked or expired';

  test('authenticates a request with its scopes, and a refusal has an ApiKey challenge', async () => {
    const { url, token, store } = await startApp({ yaml: yaml(KEY, '[{ key: [read] }]'), operations });
    await store.tokens.add({ name: 'narrow', hash: hashToken('narrow'), scopes: [] });
    const challenge = 'ApiKey realm="api"';
    expect(await ask(url, { 'X-Api-Key': token })).toEqual([200, null, '']);
    const how = 'send an access token: X-Api-Key: <ACCESS_TOKEN>';
    expect(await ask(url, {})).toEqual([401, challenge, how]);
    expect(await ask(url, { Authorization: `Bearer ${token}` })).toEqual([401, challenge, how]);
    for (const wrong of ['wrong', `Bearer ${token}`, '', `${token}, ${token}`])
      expect(await ask(url, { 'X-Api-Key': wrong })).toEqual([401, challenge, UNKNOWN]);
    expect(await ask(url, { 'X-Api-Key': 'narrow' })).toEqual([
      403,
      challenge,
      'the access token must have the scope read',
    ]);
  });

  test('may be sent instead of a bearer token, when the contract declares both as alternatives', async () => {
    const both = yaml(`${KEY}, ${FLOW}`, '[{ flow: [] }, { key: [] }]');
    const { url, token } = await startApp({ yaml: both, operations });
    const bearer = { Authorization: `Bearer ${token}` };
    for (const headers of [bearer, { 'X-Api-Key': token }, { ...bearer, 'X-Api-Key': 'wrong' }])
      expect((await ask(url, headers))[0]).toBe(200);
    expect((await ask(url, { Authorization: 'Basic Zm9vOmJhcg==', 'X-Api-Key': token }))[0]).toBe(200);
    const how = 'send an access token: Authorization: Bearer <ACCESS_TOKEN> or X-Api-Key: <ACCESS_TOKEN>';
    expect(await ask(url, {})).toEqual([401, 'Bearer realm="api", ApiKey realm="api"', how]);
    expect(await ask(url, { 'X-Api-Key': 'wrong' })).toEqual([
      401,
      'Bearer realm="api", error="invalid_token", ApiKey realm="api"',
      UNKNOWN,
    ]);
  });

  test('may be sent by a page of a listed origin', async () => {
    const app = await startApp({ yaml: yaml(KEY, '[{ key: [] }]'), operations, corsOrigins: ['https://app.example'] });
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' };
    const response = await fetch(`${app.url}/shares`, { method: 'OPTIONS', headers });
    expect(response.headers.get('access-control-allow-headers')).toMatch(/,X-Api-Key$/);
  });

  test('has a challenge that the declared headers of a failure must allow', async () => {
    const declared = (pattern: string) =>
      yaml(KEY, '[{ key: [] }]').replace(
        'default: { description: it has failed,',
        `default: { description: it has failed, headers: { WWW-Authenticate: { schema: { type: string, pattern: '${pattern}' } } },`,
      );
    const errorBody = ({ message }: { readonly message: string }) => ({ message });
    await expect(loadContract(declared('^ApiKey '), errorBody)).resolves.toBeDefined();
    await expect(loadContract(declared('^Bearer '), errorBody)).rejects.toThrow('WWW-Authenticate');
  });
});
