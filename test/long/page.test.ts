import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { ERROR_NUMBERS, plantStore, startPlants } from '../support.ts';
import { startBrowser, type Visit, visit } from '../../packages/trellis/test/support/browser.ts';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import { page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, type Service, start } from '../../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { expandSchema, faultsOfDocs, focusOfDocs, tabTo } from '../../packages/trellis/test/process/browser/access.ts';
import { DocsPage } from '../../packages/trellis/test/process/browser/docs.ts';
import { describeInBrowser } from '../../packages/trellis/test/process/browser/in-browser.ts';

/** The line that Chromium itself writes to the console when the service refuses a request of the page. */
const refused = (status: string) => `Failed to load resource: the server responded with a status of ${status}`;

describeInBrowser('in a browser', () => {
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  let stage: { readonly browser: Browser; readonly service: Service };
  beforeAll(async () => {
    const [browser, service] = await Promise.all([startBrowser(), startPlants({ DATABASE_URL })]);
    stage = { browser, service };
  });
  afterAll(async () => {
    await stage.browser.close();
    await stage.service.stop();
  });

  const open = (path: string, options?: BrowserContextOptions): Promise<Visit> =>
    visit(stage.browser, stage.service.url + path, options);

  /** Opens the docs, by default with a token, ready to execute the operation. */
  async function tryOut(token: string | undefined = stage.service.token, options?: BrowserContextOptions) {
    const visited = await open('/', options);
    const docs = new DocsPage(visited.page, 'plants-createPlant');
    if (token !== '') await docs.authorize(token);
    await docs.tryOut();
    return { docs, ...visited };
  }

  describe('the docs page', () => {
    test('creates a plant with a token, and requests only its own files and operations', async () => {
      await using visited = await tryOut();
      const first = await visited.docs.execute();
      expect([first.status, JSON.parse(first.body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
      expect(first.headers).not.toContain('idempotent-replayed: true');
      const outcome = visited.docs.operation.getByRole('status');
      expect(await outcome.innerText()).toBe('200 OK');
      const second = await visited.docs.execute();
      expect([second.status, second.body]).toEqual(['200', first.body]);
      expect(await outcome.innerText()).toBe('200 OK · replayed');
      expect(second.headers).toContain('idempotent-replayed: true');
      const { url } = stage.service;
      expect([...new Set(visited.requests)].toSorted()).toEqual([
        `GET ${url}/`,
        `GET ${url}/docs/`,
        `GET ${url}/docs/swagger-ui-bundle.js`,
        `GET ${url}/docs/swagger-ui-init.js`,
        `GET ${url}/docs/swagger-ui-standalone-preset.js`,
        `GET ${url}/openapi.json`,
        `POST ${url}/plants`,
      ]);
      expect(visited.problems).toEqual([]);
      // The page has no menu for Accept, as the service does not negotiate, and no links, as the contract has none.
      expect(await visited.docs.operation.innerText()).not.toMatch(/Accept header|links/i);
    });

    test('sends a 64-bit id with the digits that the reader typed', async () => {
      await using visited = await tryOut();
      const ids = ['-9223372036854775808', '9007199254740992', '9007199254740993'];
      for (const id of ids.toReversed()) {
        const { status, headers } = await visited.docs.execute(`{"id":${id},"name":"typed"}`);
        expect([status, headers.includes('idempotent-replayed: true')]).toEqual(['200', false]);
      }
      const { stdout } = await plantStore(['export'], { DATABASE_URL });
      expect(stdout.match(/^.*typed.*$/gm)).toEqual(ids.map((id) => `{"id":${id},"name":"typed"}`));
      expect(visited.problems).toEqual([]);
    });

    test('shows the error for an invalid plant', async () => {
      await using visited = await tryOut();
      for (const id of ['"x"', '1.5', '9223372036854775808']) {
        const { status, body } = await visited.docs.execute(`{"id":${id},"name":"x"}`);
        expect(status).toBe('400');
        expect(JSON.parse(body)).toEqual({ error: 40010, message: expect.stringMatching(/^body\.id must be /) });
      }
      expect(visited.problems).toEqual(Array<string>(3).fill(refused('400 (Bad Request)')));
    });

    test('shows 401 without a token, and with an invalid one', async () => {
      await using visited = await tryOut('');
      const without = await visited.docs.execute();
      expect(without.status).toBe('401');
      expect(JSON.parse(without.body)).toMatchObject({ error: 40100 });
      await visited.docs.authorize(`${stage.service.token}0`);
      const wrong = await visited.docs.execute();
      expect(wrong.status).toBe('401');
      expect(JSON.parse(wrong.body)).toMatchObject({ error: 40101 });
      expect(visited.problems).toEqual(Array<string>(2).fill(refused('401 (Unauthorized)')));
    });

    test('keeps the token when the browser reloads the page, but not for another browser profile', async () => {
      await using visited = await open('/docs');
      const docs = new DocsPage(visited.page, 'plants-createPlant');
      await docs.authorize(stage.service.token);
      await visited.page.reload();
      await docs.tryOut();
      expect((await docs.execute()).status).toBe('200');
      expect(visited.problems).toEqual([]);
      await using stranger = await tryOut('');
      expect((await stranger.docs.execute()).status).toBe('401');
    });

    test('fits the screen of a phone, where it creates a plant', async () => {
      const viewport = { width: 360, height: 740 };
      await using visited = await tryOut(undefined, { viewport, isMobile: true });
      const { docs } = visited;
      expect(await docs.width()).toBe(viewport.width);
      // After an edit of the body, Swagger UI shows one more button, which must fit too: Reset.
      expect((await docs.execute('{"id":4,"name":"x"}')).status).toBe('200');
      expect(await docs.width()).toBe(viewport.width);
      expect(await docs.beyond()).toEqual([]);
      expect(visited.problems).toEqual([]);
    });

    test('lists each error number with its meaning, in the schema of errors', async () => {
      await using visited = await open('/docs');
      await expandSchema(visited.page, 'Error');
      const table = visited.page.locator('.models tbody');
      await table.waitFor();
      const rows = await table.locator('tr').allInnerTexts();
      const cells = rows.map((row) => row.split('\t').map((cell) => cell.trim()));
      expect(cells).toEqual(Object.entries(ERROR_NUMBERS));
      expect(visited.problems).toEqual([]);
    });

    test('forgets the token when the reader chooses so, in each tab', async () => {
      await using visited = await open('/docs');
      const docs = new DocsPage(visited.page, 'plants-createPlant');
      await docs.authorize(stage.service.token);
      const other = await visited.page.context().newPage();
      await other.goto(`${stage.service.url}/docs`);
      await other.getByRole('button', { name: 'Forget token' }).click();
      await visited.page.getByText('No token.').waitFor();
      await visited.page.getByText('you choose Forget token').waitFor();
      await visited.page.reload();
      await docs.tryOut();
      expect((await docs.execute()).status).toBe('401');
    });

    test('shows the description of the service, and links to the contract, without a script', async () => {
      await using visited = await open('/docs', { javaScriptEnabled: false });
      const { page } = visited;
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Plant Store');
      expect(await page.getByRole('main').innerText()).toContain('A first plant in a minute');
      await page.getByRole('link', { name: 'openapi.json' }).click();
      expect(JSON.parse(await page.locator('pre').innerText())).toMatchObject({ openapi: '3.1.0' });
      expect(visited.problems).toEqual([]);
    });

    test('works below the path of BASE_URL', async () => {
      const PORT = String(await freePort());
      const BASE_URL = `http://127.0.0.1:${PORT}/api`;
      const service = await startPlants({ PORT, BASE_URL });
      await using visited = await visit(stage.browser, `${BASE_URL}/docs`);
      const docs = new DocsPage(visited.page, 'plants-createPlant');
      await docs.authorize(service.token);
      await docs.tryOut();
      expect((await docs.execute()).status).toBe('200');
      expect(visited.requests).toContain(`POST ${BASE_URL}/plants`);
      expect(visited.problems).toEqual([]);
      await service.stop();
    });

    test('creates a plant when the reader uses only the keyboard', async () => {
      await using visited = await open('/docs');
      const { page } = visited;
      // A fast reader would press Execute before the body is there, and nothing would happen.
      await page.evaluate(`new MutationObserver(() => {
        const [button, body] = ['.execute', '.body-param__text'].map((each) => document.querySelector(each));
        globalThis.early ??= button && !body ? 'Execute before the body' : undefined;
      }).observe(document, { subtree: true, childList: true })`);
      const docs = new DocsPage(page, 'plants-createPlant');
      await docs.operation.waitFor();
      await tabTo(page, /^Use token$/);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.type(stage.service.token);
      await page.keyboard.press('Enter');
      // The field keeps the focus, also when it has taken the token.
      await tabTo(page, /^Forget token$/);
      await tabTo(page, /^POST\s+\/plants/);
      await page.keyboard.press('Enter');
      await tabTo(page, /^Execute$/);
      const { status, body } = await docs.answerTo(() => page.keyboard.press('Enter'));
      expect([status, JSON.parse(body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
      expect(await page.evaluate('globalThis.early')).toBeUndefined();
      expect(visited.problems).toEqual([]);
    });

    test('shows the focus on each control', async () => {
      await using visited = await open('/docs');
      const { stops, unseen } = await focusOfDocs(new DocsPage(visited.page, 'plants-createPlant'));
      expect(unseen).toEqual([]);
      expect(stops).toBeGreaterThan(20);
    });
  });

  test.each([
    ['light', 390],
    ['dark', 1280],
  ] as const)('the page has no fault that axe calls serious, %s, %i pixels wide', async (colorScheme, width) => {
    const viewport = { width, height: 844 };
    await using visited = await open('/docs', { colorScheme, viewport, isMobile: width < 640 });
    const { page } = visited;
    const docs = new DocsPage(page, 'plants-createPlant');
    expect(await faultsOfDocs(docs, stage.service.token, ['Error', 'NewPlant'])).toEqual([]);
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(251, 252, 250)' : 'rgb(19, 26, 20)');
    expect(await docs.width()).toBe(width);
  });

  test('npm run screenshot takes the picture that the README shows', async () => {
    const path = join(temporaryFolder(), 'docs.png');
    const { PATH = '', CHROMIUM = '' } = process.env;
    const command = start(process.execPath, ['test/screenshot.ts', path], { PATH, CHROMIUM }, ROOT);
    expect([await command.ended, command.stderr()]).toEqual([0, '']);
    const [, shown = ''] = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(page('README')) ?? [];
    for (const each of [path, join(ROOT, shown)]) expect(readFileSync(each).toString('latin1', 1, 4)).toBe('PNG');
  });
});
