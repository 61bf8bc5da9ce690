import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { service as notes } from '../../../../template/service/index.ts';
import { service as papers } from '../../../services/papers/index.ts';
import { GARDEN, gardenOperations } from '../../../services/garden/garden.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import { startBrowser, type Visit, visit } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { expandSchema, faultsOf, faultsOfDocs } from '../access.ts';
import { DocsPage } from '../docs.ts';
import { describeInBrowser } from '../in-browser.ts';

const OTHER_SERVER = 'https://other.example/v1';
const YAML = GARDEN.replace(/^servers: \[(.*)\]$/m, `servers: [$1, { url: '${OTHER_SERVER}' }]`);

/** What Chromium itself and Swagger UI write to the console, in no fault of the page. */
const isTheirs = (problem: string) => /^Failed to load resource|Could not find component/.test(problem);

describeInBrowser('the docs page of a contract with all parts of OpenAPI', () => {
  let browser: Browser;
  let garden: TestApp;
  let opened: Visit;
  beforeAll(async () => {
    [browser, garden] = await Promise.all([startBrowser(), startApp({ yaml: YAML, operations: gardenOperations })]);
    opened = await visit(browser, `${garden.url}/docs/`);
  });
  afterAll(() => browser.close());

  /** Opens an operation of the shared page, or of another. */
  async function open(id: string, { page } = opened): Promise<DocsPage> {
    const docs = new DocsPage(page, `default-${id}`);
    await docs.operation.waitFor();
    const control = docs.operation.locator('.opblock-summary-control');
    if ((await control.getAttribute('aria-expanded')) === 'false') await control.click();
    return docs;
  }

  test('names the other servers, and has no menu of them', async () => {
    await opened.page.getByText(`The contract also names ${OTHER_SERVER}`).waitFor();
    expect(await opened.page.locator('.servers').count()).toBe(0);
  });

  test('names each field of a parameter, also of the items that a reader adds', async () => {
    const { operation } = await open('listBeds');
    for (const name of ['open', 'season', 'seasons', 'after', 'filter'])
      await operation.getByLabel(name, { exact: true }).waitFor();
    const ids = operation.locator('[data-param-name=id]');
    for (const _item of ['first', 'second']) await ids.getByRole('button', { name: 'Add integer item' }).click();
    await ids.getByRole('textbox', { name: 'id 2' }).fill('7');
    await ids.getByRole('button', { name: 'Remove id 1' }).click();
    expect(await ids.getByRole('textbox', { name: 'id', exact: true }).inputValue()).toBe('7');
    expect(await faultsOf(opened.page)).toEqual([]);
  });

  test('shows the bounds of a parameter, but no pattern', async () => {
    const { operation } = await open('listBeds');
    const limit = operation.locator('[data-param-name=limit]');
    expect(await limit.innerText()).toMatch(/minimum.*1[^]*maximum.*100/);
  });

  test('marks a field that it does not send, and says why', async () => {
    const { operation } = await open('getPlot');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.getByRole('alert').getByText('Not sent: ').waitFor();
    expect(await operation.getByLabel('row', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  test.each([
    ['getBed', 'bed-id', 'send the same request again'],
    ['addNote', 'Request body', 'it is not known whether the service has done it'],
    ['removeBed', 'bed-id', 'send the same request again'],
  ])('says what a reader may do when the answer to %s with its %s is lost: %s', async (id, needed, cure) => {
    await opened.page.context().route('**/v1:b/**', (route) => route.abort());
    const { operation } = await open(id);
    await operation.getByLabel(needed, { exact: true }).fill('1');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.getByRole('status').getByText(`The service does not answer: ${cure}.`).waitFor();
    await opened.page.context().unroute('**/v1:b/**');
  });

  test('offers bodies that the service takes, or none', async () => {
    const offered: Record<string, unknown> = {};
    for (const id of ['putBed', 'addVisitor', 'addMember', 'checkRules']) {
      const { operation } = await open(id);
      await operation.getByRole('button', { name: 'Execute' }).waitFor();
      const text = await operation.getByLabel('Request body').inputValue();
      offered[id] = text && (JSON.parse(text) as unknown);
      if (text === '') continue;
      const [path = ''] =
        (await operation.locator('.opblock-summary-path').getAttribute('data-path'))?.split('{') ?? [];
      const headers = { Authorization: `Bearer ${garden.token}`, 'Content-Type': 'application/json' };
      const method = id.startsWith('put') ? 'PUT' : 'POST';
      const target = `${garden.url}/v1:b${path}${method === 'PUT' ? '1' : ''}`;
      expect([id, (await fetch(target, { method, headers, body: text })).status]).not.toEqual([id, 400]);
    }
    expect(offered).toMatchObject({ addVisitor: '', addMember: { name: 'string', secret: 'string', friends: [] } });
  });

  test('writes the request as a command of three shells before it is sent, with a variable in the place of the token', async () => {
    const docs = await open('putBed');
    const { operation } = docs;
    await docs.authorize(garden.token);
    expect(await docs.command()).toContain('Required parameter bed-id is not provided');
    await operation.getByLabel('bed-id', { exact: true }).fill('9007199254740993');
    await operation.getByLabel('Request body').fill('{\n  "id": 9007199254740993,\n  "parts": []\n}');
    const bash = await docs.command();
    expect(bash).toContain('/beds/9007199254740993');
    // As a person runs it.
    const env = { ...process.env, TOKEN: garden.token };
    const { stdout } = await promisify(execFile)('bash', ['-c', `${bash} -s -m 60`], { env });
    expect(stdout).toContain('"id":9007199254740993');
    expect(await docs.command('powershell')).toMatch(
      /-H "Authorization: Bearer \$env:TOKEN"[^]*-d '\{"id": 9007199254740993,"parts": \[\]\}'$/,
    );
    expect(await docs.command('cmd')).toMatch(/-H "Authorization: Bearer %TOKEN%"[^]*"\{""id"": 9007199254740993,/);
    expect(await operation.innerText()).not.toContain(garden.token);
    await operation.getByLabel('with the token').check();
    expect(await docs.command()).toContain(`Bearer ${garden.token}'`);
    await docs.logOut();
    expect(await docs.command()).not.toContain(garden.token);
  });

  test('lets each operation be found by the words of its method, path, tag, summary or name', async () => {
    const { page } = opened;
    const filter = page.getByRole('textbox', { name: 'Find an operation' });
    await filter.fill('delete BED');
    await until(async () => (await page.locator('main .operation-tag-content .opblock').count()) === 1);
    await page.locator('#operations-default-removeBed').waitFor();
    await filter.fill('no such words');
    await page.getByText('Nothing fits.').waitFor();
    await filter.fill('');
    await page.locator('#operations-default-getBed').waitFor();
    expect(await page.getByRole('heading', { level: 4, name: /^\w+\s*\/beds/ }).count()).toBe(5);
  });

  test('says of an operation what its token must have, and nothing of a webhook', async () => {
    const { operation } = await open('newestBed');
    expect(await operation.locator('.scopes').innerText()).toBe('Optional: a token.');
    const webhook = opened.page.locator('.webhooks .opblock');
    await webhook.locator('.opblock-summary-control').click();
    await webhook.getByText('it is done').waitFor();
    expect(await webhook.locator('.scopes').count()).toBe(0);
    expect(await opened.page.locator('.authorization__btn:visible').count()).toBe(0);
  });

  test('shows no type for alternatives that it has not looked up', async () => {
    const { page } = opened;
    await expandSchema(page, 'Visitor');
    await page.locator('.models').getByText('wings').first().waitFor();
    expect(await page.locator('.models').innerText()).not.toContain('any |');
    expect(await faultsOf(page)).toEqual([]);
    expect(opened.problems.filter((each) => !isTheirs(each))).toEqual([]);
  });

  test('opens the operation of a link that the reader follows in the page, and scrolls to it, also on the way back', async () => {
    await using visited = await visit(browser, `${garden.url}/docs/`, { viewport: { width: 1280, height: 800 } });
    const { page } = visited;
    const isAtTop = (id: string) =>
      until(async () => Math.abs((await page.locator(`#operations-default-${id}`).boundingBox())?.y ?? Infinity) < 30);
    await page.locator('#operations-default-getBed').waitFor();
    for (const id of ['getBed', 'addVisitor']) {
      await page.evaluate(`location.hash = '#/default/${id}'`);
      await new DocsPage(page, `default-${id}`).operation.getByRole('button', { name: 'Execute' }).waitFor();
      await isAtTop(id);
    }
    await page.goBack();
    await isAtTop('getBed');
    await page.goForward();
    await isAtTop('addVisitor');
    await page.goBack();
    await page.goBack();
    expect(new URL(page.url()).hash).toBe('');
  });

  test('shows what it has without scripts until the contract is there', async () => {
    await using visited = await visit(browser, `${garden.url}/openapi.json`);
    const { page } = visited;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await page.context().route('**/openapi.json', async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(`${garden.url}/docs/`);
    await page.waitForFunction('globalThis.ui !== undefined');
    expect(await page.getByRole('main').innerText()).toContain('GET /beds/newest');
    resolve(undefined);
    await new DocsPage(page, 'default-getBed').operation.waitFor();
  });

  test('shows edges and names in forced colours', async () => {
    await using visited = await visit(browser, `${garden.url}/docs/`, { forcedColors: 'active' });
    const docs = await open('addNote', visited);
    await docs.authorize(garden.token);
    await docs.execute('1');
    const edges = await visited.page.evaluate<string[]>(`
      ['.copy-to-clipboard button', '.download-contents', '.opblock-summary-method', '.execute'].map((each) => {
        const { borderStyle, borderColor } = getComputedStyle(document.querySelector(each));
        return borderStyle + (borderColor === 'rgba(0, 0, 0, 0)' ? ' unseen' : '');
      })`);
    expect(edges).toEqual(Array<string>(4).fill('solid'));
    expect(await docs.answer.getByRole('button').evaluateAll((all) => all.length)).toBe(2);
    expect(await faultsOf(visited.page)).toEqual([]);
  });

  test('fits a window of 320 by 256 pixels, which is that of 1280 by 1024 at 400 %', async () => {
    await using visited = await visit(browser, `${garden.url}/docs/`, { viewport: { width: 320, height: 256 } });
    const docs = await open('addNote', visited);
    await docs.authorize(garden.token);
    await docs.execute('1');
    expect(await docs.width()).toBe(320);
    const { operation } = await open('getBed', visited);
    const field = operation.getByLabel('bed-id', { exact: true });
    await field.fill('-9223372036854775808');
    const fits = '(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.activeElement)';
    expect(await visited.page.evaluate<boolean>(fits)).toBe(true);
    const names = operation.locator('.parameter__name');
    expect((await names.last().boundingBox())?.height).toBeLessThan(30);
    await expandSchema(visited.page, 'Visitor');
    expect([await docs.width(), await docs.beyond()]).toEqual([320, []]);
  });
});

describeInBrowser('the docs page of a new service', () => {
  let browser: Browser;
  let app: TestApp;
  beforeAll(async () => {
    [browser, app] = await Promise.all([startBrowser(), startApp({ service: notes })]);
  });
  afterAll(() => browser.close());

  test.each(['light', 'dark'] as const)('has no fault that axe calls serious, %s', async (colorScheme) => {
    await using visited = await visit(browser, `${app.url}/docs/`, { colorScheme });
    expect(await faultsOfDocs(new DocsPage(visited.page, 'notes-createNote'), app.token, ['Error', 'Note'])).toEqual(
      [],
    );
  });

  test('shows the reader what was wrong, and each failure in a row with an example of its own', async () => {
    await using visited = await visit(browser, `${app.url}/docs/`, { viewport: { width: 1280, height: 800 } });
    const docs = new DocsPage(visited.page, 'notes-createNote');
    await docs.tryOut();
    await visited.page.getByText('npm run --silent command -- token create NAME').waitFor();
    expect((await docs.operation.boundingBox())?.height).toBeLessThan(1500);
    const { status } = await docs.execute();
    expect(status).toBe('401');
    await docs.operation.getByText('40100: The request has no access token').waitFor();
    const examples = [];
    for (const code of ['400', '401', '409', '429', 'default']) {
      const row = docs.operation.locator(`.responses-table > tbody > [data-code="${code}"]`);
      await row.locator('summary').first().click();
      examples.push(/"error": (\d+)/.exec(await row.innerText())?.[1]);
    }
    expect(examples).toEqual(['40010', '40101', '40901', '42900', '50000']);
  });
});

/** A picture of a pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.7\n\u0000ÿþ', 'latin1');
const ID = '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10';

describeInBrowser('the docs page of a service whose bodies are texts and bytes', () => {
  let browser: Browser;
  let app: TestApp;
  let opened: Visit;
  beforeAll(async () => {
    [browser, app] = await Promise.all([startBrowser(), startApp({ service: papers })]);
    opened = await visit(browser, `${app.url}/docs/`);
    await new DocsPage(opened.page, 'notes-putScan').authorize(app.token);
  });
  afterAll(() => browser.close());

  async function open(id: string) {
    const docs = new DocsPage(opened.page, `notes-${id}`);
    await docs.tryOut();
    await docs.operation.getByLabel('id', { exact: true }).fill(ID);
    const button = docs.operation.getByRole('button', { name: 'Execute' });
    const execute = async (status: string) => {
      await button.click();
      await docs.operation.locator('.outcome', { hasText: status }).waitFor();
    };
    const choose = (buffer: Buffer) =>
      docs.operation.getByLabel('Request body').setInputFiles({ name: 'file', mimeType: '', buffer });
    const save = async (name: string) => {
      const began = opened.page.waitForEvent('download');
      await docs.operation.getByRole('link', { name }).click();
      const download = await began;
      return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    return { operation: docs.operation, execute, choose, save };
  }

  test('sends a file, shows the picture that comes back, and saves it', async () => {
    const put = await open('putScan');
    await put.choose(PNG);
    await put.execute('200');
    const got = await open('getScan');
    await got.execute('200');
    const picture = got.operation.getByRole('img', { name: 'What the service sent' });
    await picture.waitFor();
    expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    expect(await got.save(`Download ${PNG.length} bytes`)).toEqual([`${ID}.png`, PNG]);
  });

  test('says that a file is missing, and saves a PDF', async () => {
    const put = await open('putPaper');
    await put.operation.getByRole('button', { name: 'Execute' }).click();
    await put.operation.getByRole('alert').getByText('Not sent: It needs a body.').waitFor();
    await put.choose(PDF);
    await put.execute('409');
    const got = await open('getPaper');
    await got.execute('200');
    expect(await got.save(`Download ${PNG.length} bytes`)).toEqual([`${ID}.pdf`, PNG]);
  });

  test('sends a text as it was typed, and shows a text as it came', async () => {
    const put = await open('putNote');
    await put.operation.getByLabel('Request content type').selectOption('text/plain');
    await put.operation.getByLabel('Request body').fill('{"a": 1.0}');
    await put.execute('200');
    expect(await put.operation.locator('.live-responses-table .microlight').first().innerText()).toBe('{"a": 1.0}');
    expect(await faultsOf(opened.page)).toEqual([]);
    expect(opened.problems.filter((each) => !isTheirs(each))).toEqual([]);
  });
});
