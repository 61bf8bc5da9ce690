import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startApp } from '../../support/app.ts';
import { startBrowser, visit } from '../../support/browser.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser } from './in-browser.ts';

const json = 'content: { application/json: { schema: {} } }';
const contractWith = (scheme: string) => `
openapi: 3.1.0
info: { title: Shares, version: 1.0.0 }
security: [{ scheme: [] }]
paths:
  /shares:
    get:
      tags: [shares]
      operationId: getShare
      responses: { '200': { description: done, ${json} }, default: { description: it has failed, ${json} } }
components:
  securitySchemes:
    scheme: ${scheme}
`;

describeInBrowser('security schemes on the docs page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test.each([
    ['apiKey', '{ type: apiKey, in: header, name: X-Share-Key }', 'x-share-key', ''],
    [
      'oauth2',
      '{ type: oauth2, flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: {} } } }',
      'authorization',
      'Bearer ',
    ],
    [
      'openIdConnect',
      '{ type: openIdConnect, openIdConnectUrl: "https://id.example/.well-known/openid-configuration" }',
      'authorization',
      'Bearer ',
    ],
  ])('the docs page takes the token of a security scheme: %s', async (_type, scheme, field, prefix) => {
    const operations = { getShare: () => Promise.resolve({ status: 200, body: 'shared' }) };
    const { url, token } = await startApp({ yaml: contractWith(scheme), operations });
    await using visited = await visit(browser, `${url}/`);
    const docs = new DocsPage(visited.page, 'shares-getShare');
    await docs.authorize(token);
    await docs.tryOut();
    const sent = visited.page.waitForRequest(`${url}/shares`);
    expect(await docs.execute()).toMatchObject({ status: '200', body: '"shared"' });
    const { 'x-share-key': key, authorization } = await (await sent).allHeaders();
    expect({ 'x-share-key': key, authorization }).toEqual({ [field]: prefix + token });
    await visited.page.getByText('The service has accepted the token.').first().waitFor();
    expect(visited.problems).toEqual([]);
  });

  test('names what a token needs, where one is optional, and where alternatives differ', async () => {
    const demands = {
      optional: ['[{ scheme: [] }, {}]', 'Optional: a token.'],
      optionalScope: ['[{}, { scheme: [admin] }]', 'Optional: a token with the scope admin.'],
      any: ['[{ scheme: [admin] }, { scheme: [] }]', 'Needs a token.'],
      either: ['[{ scheme: [a, b] }, { scheme: [admin] }]', 'Needs a token with the scope a and b or admin.'],
      none: ['[]', 'Needs no token.'],
    } as const;
    const share = contractWith('{ type: http, scheme: bearer }');
    const [, operation = ''] = /^paths:\n([^]*)^components:/m.exec(share) ?? [];
    const paths = Object.entries(demands).map(([id, [security]]) =>
      operation
        .replace('/shares', `/${id}`)
        .replace('operationId: getShare', `operationId: ${id}\n      security: ${security}`),
    );
    const get = () => Promise.resolve({ status: 200, body: 'shared' });
    const ids = Object.keys(demands);
    const { url } = await startApp({
      yaml: share.replace(operation, paths.join('')),
      operations: Object.fromEntries(ids.map((id) => [id, get])),
    });
    await using visited = await visit(browser, `${url}/docs`);
    const said = [];
    for (const id of ids) {
      const { operation: shown } = new DocsPage(visited.page, `shares-${id}`);
      await shown.locator('.opblock-summary-control').click();
      said.push(await shown.locator('.scopes').innerText());
    }
    expect(said).toEqual(Object.values(demands).map(([, sentence]) => sentence));
  });
});
