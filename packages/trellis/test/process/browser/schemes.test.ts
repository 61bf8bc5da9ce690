import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { addToken, startApp } from '../../support/app.ts';
import { startBrowser, visit } from '../../support/browser.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser } from './in-browser.ts';

const json = 'content: { application/json: { schema: {} } }';

/** A service with an operation for each of these demands of security, by its operationId. */
function startShares(schemes: readonly string[], demands: Readonly<Record<string, string>>) {
  const paths = Object.entries(demands).map(
    ([id, security]) => `
  /${id}:
    get:
      tags: [shares]
      operationId: ${id}
      security: ${security}
      responses: { '200': { description: done, ${json} }, default: { description: it has failed, ${json} } }`,
  );
  const yaml = `
openapi: 3.1.0
info: { title: Shares, version: 1.0.0 }
paths:${paths.join('')}
components:
  securitySchemes:
${schemes.map((scheme, index) => `    scheme${index}: ${scheme}\n`).join('')}`;
  const get = () => Promise.resolve({ status: 200, body: 'shared' });
  return startApp({ yaml, operations: Object.fromEntries(Object.keys(demands).map((id) => [id, get])) });
}

describeInBrowser('security schemes on the docs page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test('the docs page takes a token of each type of security scheme', async () => {
    const schemes = [
      ['{ type: apiKey, in: header, name: X-Share-Key }', 'x-share-key', ''],
      [
        '{ type: oauth2, flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: {} } } }',
        'authorization',
        'Bearer ',
      ],
      [
        '{ type: openIdConnect, openIdConnectUrl: "https://id.example/.well-known/openid-configuration" }',
        'authorization',
        'Bearer ',
      ],
    ] as const;
    const app = await startShares(
      schemes.map(([scheme]) => scheme),
      { getShare: `[${schemes.map((_, index) => `{ scheme${index}: [] }`).join()}]` },
    );
    await using visited = await visit(browser, `${app.url}/`);
    await new DocsPage(visited.page, 'shares-getShare').tryOut();
    for (const [index, [, field, prefix]] of schemes.entries()) {
      const { token } = await addToken(app, `token-${index}`);
      const docs = new DocsPage(visited.page, 'shares-getShare', index);
      await docs.authorize(token);
      const sent = visited.page.waitForRequest(`${app.url}/getShare`);
      expect(await docs.execute()).toMatchObject({ status: '200', body: '"shared"' });
      const { 'x-share-key': key, authorization } = await (await sent).allHeaders();
      expect({ 'x-share-key': key, authorization }).toEqual({ [field]: prefix + token });
      await docs.token.getByText('The service has accepted the token.').waitFor();
      await docs.logOut();
    }
    expect(visited.problems).toEqual([]);
  });

  test('names what a token needs, where one is optional, and where alternatives differ', async () => {
    const demands = {
      optional: ['[{ scheme0: [] }, {}]', 'Optional: a token.'],
      optionalScope: ['[{}, { scheme0: [admin] }]', 'Optional: a token with the scope admin.'],
      any: ['[{ scheme0: [admin] }, { scheme0: [] }]', 'Needs a token.'],
      either: ['[{ scheme0: [a, b] }, { scheme0: [admin] }]', 'Needs a token with the scope a and b or admin.'],
      none: ['[]', 'Needs no token.'],
    } as const;
    const securities = Object.entries(demands).map(([id, [security]]) => [id, security] as const);
    const { url } = await startShares(['{ type: http, scheme: bearer }'], Object.fromEntries(securities));
    await using visited = await visit(browser, `${url}/docs`);
    const said = [];
    for (const id of Object.keys(demands)) {
      const { operation: shown } = new DocsPage(visited.page, `shares-${id}`);
      await shown.locator('.opblock-summary-control').click();
      said.push(await shown.locator('.scopes').innerText());
    }
    expect(said).toEqual(Object.values(demands).map(([, sentence]) => sentence));
  });
});
