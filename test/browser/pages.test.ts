import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { ERROR_NUMBERS } from '../support/app.ts';
import { startBrowser, type Visit, visit } from '../support/browser.ts';
import { freePort } from '../support/port.ts';
import { page } from '../support/readme.ts';
import { plantStore, ROOT, type Service, start, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser } from './in-browser.ts';

/** What Chromium writes to its console of itself when a request of the page is refused. */
const refused = (status: string) => `Failed to load resource: the server responded with a status of ${status}`;

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical, with the elements. */
function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`${AXE};
    axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}

const FOCUSED = 'document.activeElement';

/** What has the focus, as a reader hears it; undefined for the page itself. */
function focused(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    `${FOCUSED} === document.body ? undefined : ${FOCUSED}.ariaLabel ?? ${FOCUSED}.innerText`,
  );
}

/** Presses Tab until what has this name has the focus, as soon as it can be seen; it must be on the way down the page. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).first().waitFor();
  const passed = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const current = await focused(page);
    if (current === undefined) throw new Error(`${String(name)} is not among ${passed.join(' | ')}`);
    if (name.test(current)) return;
    passed.push(current);
  }
}

/** Whether the focus can be seen: what has it looks otherwise without it. */
async function isSeen(page: Page): Promise<boolean> {
  await page.evaluate(`${FOCUSED}.scrollIntoView({ block: 'center' })`);
  const withFocus = await page.screenshot();
  await page.evaluate(`globalThis.focused = ${FOCUSED}; focused.blur()`);
  const without = await page.screenshot();
  await page.evaluate('focused.focus({ focusVisible: true })');
  return !withFocus.equals(without);
}

describeInBrowser('in a browser', () => {
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'plants.db')}`;
  let stage: { readonly browser: Browser; readonly service: Service };
  beforeAll(async () => {
    const [browser, service] = await Promise.all([startBrowser(), startService({ DATABASE_URL })]);
    stage = { browser, service };
  });
  afterAll(async () => {
    await stage.browser.close();
    await stage.service.stop();
  });

  const open = (path: string, options?: BrowserContextOptions): Promise<Visit> =>
    visit(stage.browser, stage.service.url + path, options);

  /** Opens the docs, with a token unless told otherwise, ready to execute the operation. */
  async function tryOut(token: string | undefined = stage.service.token, options?: BrowserContextOptions) {
    const visited = await open('/docs', options);
    const docs = new DocsPage(visited.page);
    if (token !== '') await docs.authorize(token);
    await docs.tryOut();
    return { docs, ...visited };
  }

  describe('the landing page', () => {
    test('links to the docs', async () => {
      const { url } = stage.service;
      await using visited = await open('/');
      const { page } = visited;
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Plant Store');
      await page.getByRole('link', { name: 'Read the documentation' }).click();
      await new DocsPage(page).operation.waitFor();
      expect(visited.requests.slice(0, 2)).toEqual([`GET ${url}/`, `GET ${url}/docs/`]);
      expect(visited.problems).toEqual([]);
    });

    test('links to the contract', async () => {
      await using visited = await open('/');
      await visited.page.getByRole('link', { name: 'openapi.json' }).click();
      expect(JSON.parse(await visited.page.locator('pre').innerText())).toMatchObject({ openapi: '3.1.0' });
      expect(visited.problems).toEqual([]);
    });
  });

  describe('the docs page', () => {
    test('creates a plant with a token, and requests only its own files and operations', async () => {
      await using visited = await tryOut();
      const first = await visited.docs.execute();
      expect([first.status, JSON.parse(first.body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
      expect(first.headers).not.toContain('idempotent-replayed: true');
      const second = await visited.docs.execute();
      expect([second.status, second.body]).toEqual(['200', first.body]);
      expect(second.headers).toContain('idempotent-replayed: true');
      const { url } = stage.service;
      expect([...new Set(visited.requests)].toSorted()).toEqual([
        `GET ${url}/docs`,
        `GET ${url}/docs/`,
        `GET ${url}/docs/swagger-ui-bundle.js`,
        `GET ${url}/docs/swagger-ui-init.js`,
        `GET ${url}/docs/swagger-ui-standalone-preset.js`,
        `GET ${url}/docs/swagger-ui.css`,
        `GET ${url}/openapi.json`,
        `POST ${url}/plants`,
      ]);
      expect(visited.problems).toEqual([]);
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
        expect(status).toMatch(/^400\b/);
        expect(JSON.parse(body)).toEqual({ error: 40010, message: expect.stringMatching(/^body\.id must be /) });
      }
      expect(visited.problems).toEqual(Array<string>(3).fill(refused('400 (Bad Request)')));
    });

    test('shows 401 without a token, and with an invalid one', async () => {
      await using visited = await tryOut('');
      const without = await visited.docs.execute();
      expect(without.status).toMatch(/^401\b/);
      expect(JSON.parse(without.body)).toMatchObject({ error: 40100 });
      await visited.docs.authorize(`${stage.service.token}0`);
      const wrong = await visited.docs.execute();
      expect(wrong.status).toMatch(/^401\b/);
      expect(JSON.parse(wrong.body)).toMatchObject({ error: 40101 });
      expect(visited.problems).toEqual(Array<string>(2).fill(refused('401 (Unauthorized)')));
    });

    test('keeps the token when the browser reloads the page, but not for another browser profile', async () => {
      await using visited = await open('/docs');
      const docs = new DocsPage(visited.page);
      await docs.authorize(stage.service.token);
      await visited.page.reload();
      await docs.tryOut();
      expect((await docs.execute()).status).toBe('200');
      expect(visited.problems).toEqual([]);
      await using stranger = await tryOut('');
      expect((await stranger.docs.execute()).status).toMatch(/^401\b/);
    });

    test('fits the screen of a phone, where it creates a plant', async () => {
      const viewport = { width: 360, height: 740 };
      await using visited = await tryOut(undefined, { viewport, isMobile: true });
      const { docs } = visited;
      expect(await docs.width()).toBe(viewport.width);
      // One that was edited can be reset: there is a button more.
      expect((await docs.execute('{"id":4,"name":"x"}')).status).toBe('200');
      expect(await docs.width()).toBe(viewport.width);
      expect(await docs.beyond()).toEqual([]);
      expect(visited.problems).toEqual([]);
    });

    test('lists each error number with its meaning, and links each error reply to the list', async () => {
      await using visited = await open('/docs');
      const { page } = visited;
      await new DocsPage(page).operation.locator('.opblock-summary-control').click();
      const rows = await page.locator('#errors tbody tr').allInnerTexts();
      expect(rows.map((row) => row.split('\t'))).toEqual(Object.entries(ERROR_NUMBERS));
      const links = page.locator('.failure').getByRole('link', { name: 'error numbers' });
      expect(await links.count()).toBe(5);
      await links.first().click();
      await page.waitForURL(/#errors$/);
      expect(visited.problems).toEqual([]);
    });

    test('opens and closes the details of an error reply', async () => {
      await using visited = await open('/docs');
      const { operation } = new DocsPage(visited.page);
      await operation.locator('.opblock-summary-control').click();
      const line = operation.getByRole('button', { name: 'Unexpected error' });
      await line.click();
      await operation.getByText('Mend what the message names').waitFor();
      await operation.getByRole('button', { name: 'Hide 400' }).click();
      expect(await line.getAttribute('aria-expanded')).toBe('false');
      expect(visited.problems).toEqual([]);
    });

    test('explains a stored plant, a replay and an error in the words of the contract', async () => {
      await using visited = await tryOut();
      const { docs } = visited;
      await docs.execute();
      expect(await docs.meaning.innerText()).toMatch(/the plant is on disk/);
      await docs.execute();
      expect(await docs.meaning.innerText()).toBe('The store already had this plant, and wrote nothing.');
      await docs.execute('{"id":true,"name":"x"}');
      expect(await docs.meaning.innerText()).toBe(`Error 40010: ${ERROR_NUMBERS['40010'] ?? ''}.`);
      await docs.meaning.getByRole('link').click();
      await visited.page.waitForURL(/#error-40010$/);
    });

    test('fills in a new id at each visit', async () => {
      const ids = [];
      for (let time = 0; time < 2; time++) {
        await using visited = await tryOut();
        const { id } = JSON.parse(await visited.docs.operation.locator('textarea').inputValue()) as { id: number };
        ids.push(id);
      }
      expect(new Set(ids).size).toBe(2);
    });

    test('forgets the token when the reader asks for it', async () => {
      await using visited = await open('/docs');
      const docs = new DocsPage(visited.page);
      await docs.authorize(stage.service.token);
      await visited.page.getByRole('button', { name: 'Forget the token' }).click();
      await visited.page.reload();
      await docs.tryOut();
      expect((await docs.execute()).status).toMatch(/^401\b/);
    });

    test('shows how a program calls the service, from docs/clients.md', async () => {
      await using visited = await open('/docs');
      await visited.page.getByText('Calling the service from code').click();
      await visited.page.getByRole('heading', { name: 'Retries' }).waitFor();
      expect(visited.requests).toContain(`GET ${stage.service.url}/docs/clients.md`);
      expect(visited.problems).toEqual([]);
    });

    test('follows a contract with a limited id, another security scheme and problems', async () => {
      await using visited = await open('/docs');
      const { page } = visited;
      await page.route('**/openapi.json', async (route) => {
        const text = await (await route.fetch()).text();
        const limited = text.replaceAll('"format":"int64"', '"format":"int64","maximum":1000000');
        await route.fulfill({ body: limited.replaceAll('"bearerAuth":', '"accessToken":') });
      });
      const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'x', error: 40010 };
      await page.route('**/plants', (route) => route.fulfill({ status: 400, json: problem }));
      await page.reload();
      const docs = new DocsPage(page);
      await docs.authorize('x');
      await page.getByRole('button', { name: 'Forget the token' }).click();
      await page.getByRole('button', { name: 'Forget the token' }).waitFor({ state: 'detached' });
      await docs.tryOut();
      expect(JSON.parse(await docs.operation.locator('textarea').inputValue())).toMatchObject({ id: 1 });
      await docs.operation.getByRole('button', { name: 'Execute' }).click();
      expect(await docs.meaning.innerText()).toMatch(/^Error 40010: /);
    });

    test('links back to the landing page', async () => {
      await using visited = await open('/docs');
      await visited.page.getByRole('link', { name: '← Plant Store' }).click();
      await visited.page.getByRole('link', { name: 'Read the documentation' }).waitFor();
    });

    test('has no menu of servers when the contract has one server', async () => {
      await using visited = await open('/docs');
      await new DocsPage(visited.page).operation.waitFor();
      expect(await visited.page.locator('.servers').count()).toBe(0);
    });

    test('works below the path of BASE_URL', async () => {
      const PORT = String(await freePort());
      const BASE_URL = `http://127.0.0.1:${PORT}/api`;
      const service = await startService({ PORT, BASE_URL });
      await using visited = await visit(stage.browser, `${BASE_URL}/docs`);
      const docs = new DocsPage(visited.page);
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
      const docs = new DocsPage(page);
      await docs.operation.waitFor();
      await tabTo(page, /^Authorize$/);
      await page.keyboard.press('Enter');
      // The dialog takes the focus.
      await page.keyboard.type(stage.service.token);
      for (const name of [/^Authorize$/, /^Close$/, /^POST\s+\/plants/, /^Try it out/]) {
        await tabTo(page, name);
        await page.keyboard.press('Enter');
      }
      await tabTo(page, /^Execute$/);
      const { status, body } = await docs.answerTo(() => page.keyboard.press('Enter'));
      expect([status, JSON.parse(body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
      expect(visited.problems).toEqual([]);
    });

    test('shows the focus on each control', async () => {
      await using visited = await open('/docs');
      const { page } = visited;
      const unseen: (string | undefined)[] = [];
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      for (const _stop of ['token', 'Authorize', 'Close']) {
        if (!(await isSeen(page))) unseen.push(await focused(page));
        await page.keyboard.press('Tab');
      }
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await new DocsPage(page).tryOut();
      // What comes next by the keyboard is what comes behind that.
      await page.getByRole('heading', { name: 'Plant Store' }).click();
      let stops = 0;
      await page.keyboard.press('Tab');
      for (let name = await focused(page); name !== undefined; name = await focused(page)) {
        stops++;
        if (!(await isSeen(page))) unseen.push(name);
        await page.keyboard.press('Tab');
      }
      expect(unseen).toEqual([]);
      expect(stops).toBeGreaterThan(20);
    });
  });

  describe.each([390, 1280])('%i pixels wide', (width) => {
    const height = 844;

    test.each(['light', 'dark'] as const)('the pages have no fault that axe calls serious, %s', async (colorScheme) => {
      const faults: Record<string, string[]> = {};
      const options = { colorScheme, viewport: { width, height }, isMobile: width < 640 };
      await using landing = await open('/', options);
      faults['landing'] = await faultsOf(landing.page);
      const ground = await landing.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 248, 244)' : 'rgb(19, 26, 20)');
      expect(await new DocsPage(landing.page).width()).toBe(width);
      await using visited = await open('/docs', options);
      const docs = new DocsPage(visited.page);
      await docs.operation.waitFor();
      faults['docs'] = await faultsOf(visited.page);
      expect(await visited.page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(ground);
      await visited.page.getByRole('button', { name: 'Authorize', exact: true }).click();
      faults['dialog'] = await faultsOf(visited.page);
      await docs.dialog.getByRole('button', { name: 'Close', exact: true }).click();
      await docs.authorize(stage.service.token);
      await docs.tryOut();
      await docs.execute();
      faults['created'] = await faultsOf(visited.page);
      await docs.operation.getByRole('button', { name: 'Unexpected error' }).click();
      await docs.execute('{}');
      faults['refused'] = await faultsOf(visited.page);
      await visited.page.getByRole('button', { name: 'Schemas' }).click();
      await visited.page.getByRole('button', { name: 'NewPlant' }).first().click();
      await visited.page.getByText('Calling the service from code').click();
      await visited.page.getByRole('heading', { name: 'Retries' }).waitFor();
      faults['schemas and clients'] = await faultsOf(visited.page);
      expect(Object.values(faults).flat()).toEqual([]);
      expect(await docs.width()).toBe(width);
    });

    test('an operation that was executed takes less than five screens', async () => {
      await using visited = await tryOut(undefined, { viewport: { width, height }, isMobile: width < 640 });
      await visited.docs.execute();
      expect((await visited.docs.operation.boundingBox())?.height).toBeLessThan(5 * height);
    });
  });

  test('npm run screenshot takes the picture that the README shows', async () => {
    const path = join(temporaryFolder(), 'docs.png');
    const { PATH = '', CHROMIUM = '' } = process.env;
    const command = start(process.execPath, ['test/browser/screenshot.ts', path], { PATH, CHROMIUM }, ROOT);
    expect([await command.ended, command.stderr()]).toEqual([0, '']);
    const [, shown = ''] = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(page('README')) ?? [];
    for (const each of [path, join(ROOT, shown)]) expect(readFileSync(each).toString('latin1', 1, 4)).toBe('PNG');
  });
});
