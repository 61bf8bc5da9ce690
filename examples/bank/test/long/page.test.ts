import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../../../../packages/trellis/test/support/app.ts';
import { startBrowser, type Visit, visit } from '../../../../packages/trellis/test/support/browser.ts';
import { until } from '../../../../packages/trellis/test/support/until.ts';
import { ROOT, type Service, startService } from '../../../../packages/trellis/test/support/service.ts';
import { expandSchema, faultsOfDocs, focusOfDocs } from '../../../../packages/trellis/test/process/browser/access.ts';
import { DocsPage } from '../../../../packages/trellis/test/process/browser/docs.ts';
import { describeInBrowser } from '../../../../packages/trellis/test/process/browser/in-browser.ts';
import type { AnyService } from '../../../../packages/trellis/src/service.ts';
import { bank } from '../../service/index.ts';
import { BANK } from '../../lab/program.ts';
import { Client } from '../client.ts';

const YAML = readFileSync(bank.contract, 'utf8');
/** Beyond 2^53, where JavaScript has no odd integers. */
const FIRST = 9007199254740993n;
const VIEWPORT = { width: 1280, height: 800 };

type Opened = Visit & { readonly docs: DocsPage };

describeInBrowser('the docs page of the bank', () => {
  let stage: { readonly browser: Browser; readonly service: Service };
  beforeAll(async () => {
    const [browser, service] = await Promise.all([startBrowser(), startService({}, ROOT, BANK.main)]);
    stage = { browser, service };
    const client = new Client(service);
    for (let index = 0n; index < 20n; index++) await client.open(FIRST + index);
  });
  afterAll(async () => {
    await stage.browser.close();
    await stage.service.stop();
  });

  /** Opens the docs at an operation, which is ready to be executed. */
  async function open(
    operation: string,
    { url, token }: Pick<TestApp, 'url' | 'token'> = stage.service,
    permissions: string[] = [],
  ): Promise<Opened> {
    const visited = await visit(stage.browser, `${url}/docs`, { viewport: VIEWPORT, permissions });
    const docs = new DocsPage(visited.page, operation);
    await docs.authorize(token);
    await docs.tryOut();
    return { ...visited, docs };
  }

  /** What the form shows for a body or a parameter. */
  const form = ({ docs }: Opened, name: string) => docs.operation.getByLabel(name).inputValue();
  const status = (page: Page) => page.locator('form [role=status]').innerText();

  test('shows twenty accounts in a box, which the keyboard scrolls, and which covers nothing', async () => {
    await using visited = await open('accounts-listAccounts');
    const { docs, page } = visited;
    const { body } = await docs.execute();
    const { accounts } = JSON.parse(body) as { accounts: { id: string }[] };
    expect(accounts).toHaveLength(20);
    const box = docs.answer.locator('.microlight');
    const [shown, next] = await Promise.all([
      box.boundingBox(),
      docs.operation.locator('.live-responses-table details').first().boundingBox(),
    ]);
    expect((shown?.y ?? 0) + (shown?.height ?? Infinity)).toBeLessThanOrEqual(next?.y ?? 0);
    const [copy, download] = await Promise.all(
      ['Copy', 'Download'].map((name) => docs.answer.getByRole('button', { name }).boundingBox()),
    );
    expect((download?.y ?? 0) + (download?.height ?? Infinity)).toBeLessThanOrEqual(shown?.y ?? 0);
    expect((copy?.x ?? 0) + (copy?.width ?? Infinity)).toBeLessThanOrEqual(download?.x ?? 0);
    await docs.answer.getByRole('button', { name: 'Download' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await until(() =>
      page.evaluate<boolean>(`(({ tagName, scrollTop, clientHeight, scrollHeight }) =>
        tagName === 'PRE' && scrollTop > 0 && scrollTop + clientHeight > scrollHeight - 2)(document.activeElement)`),
    );
    expect(visited.problems).toEqual([]);
  });

  describe('digits', () => {
    test('keeps each digit beyond 2^53 of a reply: as shown, downloaded and copied', async () => {
      await using visited = await open('accounts-listAccounts', undefined, ['clipboard-read', 'clipboard-write']);
      const { docs, page } = visited;
      const { body } = await docs.execute();
      const digits = (text: string) => [...new Set(text.match(/\d{16}/g))].toSorted();
      const all = Array.from({ length: 20 }, (_, index) => String(FIRST + BigInt(index)));
      expect(digits(body)).toEqual(all);
      const downloading = page.waitForEvent('download');
      await docs.answer.getByRole('button', { name: 'Download' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/\.json$/);
      expect(digits(readFileSync(await download.path(), 'utf8'))).toEqual(all);
      await docs.answer.getByRole('button', { name: 'Copy' }).click();
      expect(digits(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual(all);
    });

    test('keeps each digit beyond 2^53 of what a person types into a filter', async () => {
      await using visited = await open('accounts-listAccounts');
      const { docs, page } = visited;
      await docs.operation.getByLabel('filter').fill(`{"min_balance":${FIRST + 18n}}`);
      const sent = page.waitForRequest(/\/accounts\?/);
      const { body } = await docs.execute();
      expect(new URL((await sent).url()).searchParams.get('filter[min_balance]')).toBe(String(FIRST + 18n));
      expect((JSON.parse(body) as { accounts: unknown[] }).accounts).toHaveLength(2);
      expect(decodeURIComponent(await docs.command())).toContain(`/accounts?filter[min_balance]=${FIRST + 18n}&`);
    });

    test('keeps each digit beyond 2^53 of bounds, constants and enumerations in the contract', async () => {
      const least = FIRST;
      const most = FIRST + 6n;
      const yaml = YAML.replace(
        'int32, minimum: 1, maximum: 100, default: 20',
        `int64, enum: [${least}, ${most}], default: ${most}`,
      )
        .replace(/( {4}Money:\n[^]*?minimum: )0\n/, `$1${least}\n`)
        .replace(
          /( {4}Amount:\n[^]*?)minimum: 1\n/,
          `$1maximum: -${most}\n      exclusiveMaximum: ${most}\n      const: -${least}\n      enum: [-${least}]\n      multipleOf: ${least}\n`,
        )
        .replace(/ {12}examples:\n {14}first:\n(?: {16}.*\n)*/, '');
      const app = await startApp({ service: bank, yaml });
      await using opening = await open('accounts-openAccount', app);
      expect(await form(opening, 'Request body')).toContain(`"opening_balance": ${least}`);
      const { page } = opening;
      for (const name of ['Money', 'Amount']) await expandSchema(page, name);
      const article = (name: string) => page.locator('.models article', { has: page.getByText(name, { exact: true }) });
      await article('Amount').last().getByText('#0').waitFor();
      const [money, amount] = await Promise.all(['Money', 'Amount'].map((name) => article(name).last().innerText()));
      expect(money).toMatch(new RegExp(`≥ ${least}`));
      expect(amount).toMatch(
        new RegExp(`≤ -${most}\\s*< ${most}\\s*multiple of ${least}[^]*#0\\s*=?-${least}[^]*Const\\s*=?-${least}`),
      );
      await using listing = await open('accounts-listAccounts', app);
      const limit = listing.docs.operation.locator('[data-param-name=limit] select');
      expect(await limit.inputValue()).toBe(String(most));
      await limit.selectOption(String(least));
      const sent = listing.page.waitForRequest(/\/accounts\?/);
      await listing.docs.execute();
      expect(new URL((await sent).url()).searchParams.get('limit')).toBe(String(least));
    });

    test('keeps each digit beyond 2^53 of examples and defaults in the contract', async () => {
      const yaml = YAML.replace('opening_balance: 10000', `opening_balance: ${FIRST}`)
        .replace(
          'int32, minimum: 1, maximum: 100, default: 20',
          `int64, minimum: 1, maximum: ${FIRST}, default: ${FIRST}`,
        )
        .replace(/( {4}Money:\n)/, `$1      default: ${FIRST}\n`);
      const app = await startApp({ service: bank, yaml });
      await using opening = await open('accounts-openAccount', app);
      expect(await form(opening, 'Request body')).toContain(`"opening_balance": ${FIRST}\n`);
      const sent = opening.page.waitForRequest(/\/accounts$/);
      await opening.docs.execute();
      expect((await sent).postData()).toContain(`"opening_balance": ${FIRST}\n`);
      await using listing = await open('accounts-listAccounts', app);
      const limit = listing.docs.operation.locator('[data-param-name=limit]');
      expect(await limit.locator('input').inputValue()).toBe(String(FIRST));
      // The maximum.
      expect((await limit.innerText()).match(/\d{16,}/g)).toEqual([String(FIRST)]);
      const money = listing.page.locator('.models article', { has: listing.page.getByText('Money', { exact: true }) });
      await expandSchema(listing.page, 'Money');
      await money.getByText('Default').waitFor();
      expect((await money.innerText()).match(/\d{16,}/g)).toEqual([String(FIRST)]);
      expect([...opening.problems, ...listing.problems].filter((each) => !each.startsWith('Failed to load'))).toEqual(
        [],
      );
    });
  });

  test('shows the characters of a reply as the service sends them', async () => {
    await using visited = await open('accounts-openAccount');
    const body = { id: randomUUID(), owner: '\u2063"5"\u2063 1.50', currency: 'EUR', opening_balance: 0 };
    const { status, body: shown } = await visited.docs.execute(JSON.stringify(body));
    expect([status, JSON.parse(shown)]).toMatchObject(['201', body]);
  });

  test('offers an example of each body, or an empty text, and makes up none', async () => {
    await using visited = await open('accounts-updateAccount');
    expect(JSON.parse(await form(visited, 'Request body'))).toMatchObject({ owner: 'Ada Lovelace' });
    const app = await startApp({ service: bank, yaml: YAML.replaceAll(/^ +examples: \[.*\]\n/gm, '') });
    await using without = await open('accounts-updateAccount', app);
    expect(JSON.parse(await form(without, 'Request body'))).toMatchObject({ owner: 'string' });
  });

  test('finds accounts at the first try, and sends no parameter that it made up', async () => {
    await using visited = await open('accounts-listAccounts');
    const parameters = async ({ page, docs }: Opened) => {
      const sent = page.waitForRequest(/\/accounts\?/);
      const { body } = await docs.execute();
      return { body, sent: [...new URL((await sent).url()).searchParams].flat() };
    };
    const { body, sent } = await parameters(visited);
    expect(JSON.parse(body)).toMatchObject({ accounts: { length: 20 } });
    expect(sent).toEqual(['filter[currency]', 'EUR', 'limit', '20']);
    const app = await startApp({ service: bank, yaml: YAML.replace('          example: { currency: EUR }\n', '') });
    await using without = await open('accounts-listAccounts', app);
    expect((await parameters(without)).sent).toEqual(['limit', '20']);
  });

  test('names the scope that each operation needs', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`);
    const said: string[] = [];
    for (const id of ['accounts-listCurrencies', 'accounts-openAccount', 'transfers-getTransfer']) {
      const { operation } = new DocsPage(visited.page, id);
      await operation.locator('.opblock-summary-control').click();
      said.push(await operation.locator('.scopes').innerText());
    }
    expect(said).toEqual([
      'Needs no token.',
      'Needs a token with the scope bank:admin.',
      'Needs a token with the scope bank:read.',
    ]);
  });

  test('accepts a token with its scheme and blanks around it, and shows whether the service has accepted it', async () => {
    const { token } = stage.service;
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page, 'accounts-listAccounts');
    expect(await status(page)).toBe('No token.');
    await docs.authorize('something-else');
    expect(await status(page)).toBe('The token is of an unknown form, and not tried yet.');
    await docs.tryOut();
    const refused = await docs.execute();
    expect(refused.status).toBe('401');
    expect(refused.headers.join('\n')).toMatch(/^date: \w{3}, \d\d \w{3} /m);
    expect(await docs.operation.getByRole('status').innerText()).toBe('401 Unauthorized');
    expect(await status(page)).toBe('The service has refused the token.');
    await docs.logOut();
    await docs.authorize(` Bearer  ${token} \n`);
    expect(await status(page)).toBe('The token is not tried yet.');
    expect((await docs.execute()).status).toBe('200');
    expect(await status(page)).toBe('The service has accepted the token.');
    expect(await page.evaluate<string[]>('Object.keys(localStorage)')).toEqual(['token of bank, /']);
    await docs.logOut();
    await docs.authorize(`${token.slice(0, 20)}…`);
    await docs.token.getByText('This is no token').waitFor();
    expect(await docs.token.getByRole('textbox').getAttribute('aria-invalid')).toBe('true');
    expect(await status(page)).toBe('No token.');
    await docs.authorize(token);
    await docs.token.getByText('The service has accepted the token.').waitFor();
    expect(await page.getByText('This is no token').count()).toBe(0);
  });

  test('says that the service does not answer, and removes the last reply', async () => {
    const service = await startService({}, ROOT, BANK.main);
    await using visited = await open('accounts-listAccounts', service);
    const { docs } = visited;
    await docs.execute();
    await service.stop();
    await docs.operation.getByRole('button', { name: 'Execute' }).click();
    const said = 'The service does not answer: send the same request again.';
    await docs.operation.getByRole('heading', { name: said, exact: true }).waitFor();
    expect(await docs.operation.getByRole('status').innerText()).toBe(said);
    expect(await docs.answer.count()).toBe(0);
  });

  test('offers to load the page again when it could not load the contract', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page, 'accounts-listAccounts');
    await page.context().route('**/openapi.json', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    // Behind a proxy, the whole page would be gone.
    await page.context().route('**/docs/**', (route) => route.abort());
    expect(await page.getByRole('main').innerText()).toContain('What to rely on');
    await page.context().unroute('**/openapi.json');
    await page.getByRole('button', { name: 'Load the contract again' }).click();
    await docs.operation.waitFor();
  });

  test('says that a body is missing, and removes the reply to the previous request', async () => {
    await using visited = await open('accounts-openAccount');
    const { docs } = visited;
    expect((await docs.execute()).status).toBe('201');
    await docs.operation.getByLabel('Request body').fill('');
    await docs.operation.getByRole('button', { name: 'Execute' }).click();
    await docs.operation.getByRole('alert').getByText('Not sent: it needs a body.').waitFor();
    expect(await docs.operation.locator('.live-responses-table').isVisible()).toBe(false);
    expect(await docs.operation.locator('.outcome').isVisible()).toBe(false);
  });

  test('keeps the focus, and announces each reply', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page, 'accounts-listCurrencies');
    await docs.tryOut();
    const region = docs.operation.getByRole('status');
    expect(await region.innerText()).toBe('');
    await docs.operation.getByRole('button', { name: 'Execute' }).focus();
    await docs.answerTo(() => page.keyboard.press('Enter'));
    expect(await page.evaluate<string>('document.activeElement.innerText.trim()')).toBe('Execute');
    expect(await region.innerText()).toBe('200 OK');
  });

  test.each([
    ['light', VIEWPORT],
    ['dark', { width: 390, height: 844 }],
  ] as const)(
    'shows the first operation, and after Execute the reply, without scrolling, %s',
    async (colorScheme, viewport) => {
      await using visited = await visit(stage.browser, `${stage.service.url}/docs`, { viewport, colorScheme });
      const docs = new DocsPage(visited.page, 'accounts-openAccount');
      await docs.operation.waitFor();
      const top = await docs.operation.boundingBox();
      expect(top?.y).toBeLessThan(viewport.height - 100);
      await docs.authorize(stage.service.token);
      await docs.operation.locator('.opblock-summary-control').click();
      await docs.operation.getByRole('button', { name: 'Execute' }).waitFor();
      await docs.execute();
      const shown = await docs.operation.locator('.outcome').boundingBox();
      expect(shown?.y).toBeGreaterThanOrEqual(0);
      expect(shown?.y).toBeLessThan(viewport.height);
      const order = await docs.operation.locator('.live-responses-table').innerText();
      expect(order).toMatch(/"id"[^]*x-request-id: [^]*Other headers$/);
      const colours = await visited.page.evaluate<string[]>(
        "[...document.querySelectorAll('.opblock-summary-method')].map((each) => getComputedStyle(each).backgroundColor)",
      );
      expect(new Set(colours).size).toBe(3);
    },
  );

  test('has a filter when the contract has fifteen operations or more', async () => {
    const more = Array.from({ length: 8 }, (_, index) => {
      const [, operation = ''] = /^ {2}\/currencies:\n([^]*?)^ {2}\/accounts:/m.exec(YAML) ?? [];
      return `  /more${index}:\n${operation.replace('listCurrencies', `more${index}`)}`;
    });
    const { operations: few }: AnyService = bank;
    const operations = { ...few };
    for (const [index] of more.entries()) Object.assign(operations, { [`more${index}`]: few['listCurrencies'] });
    const app = await startApp({
      service: bank,
      operations,
      yaml: YAML.replace('paths:\n', `paths:\n${more.join('')}`),
    });
    await using visited = await visit(stage.browser, `${app.url}/docs`);
    const { page } = visited;
    const filter = page.getByRole('textbox', { name: /^Find an operation/ });
    await filter.waitFor();
    expect(await page.locator('.opblock').count()).toBe(17);
    // A word of the summary, and one of the operationId.
    await filter.fill('List MORE3');
    await until(async () => (await page.locator('.opblock').count()) === 1);
    await page.locator('.opblock', { hasText: '/more3' }).waitFor();
    await filter.fill('no such words');
    await page.getByText('Nothing fits.').waitFor();
    await using small = await visit(stage.browser, `${stage.service.url}/docs`);
    await new DocsPage(small.page, 'accounts-openAccount').operation.waitFor();
    expect(await small.page.getByRole('textbox', { name: /^Find/ }).count()).toBe(0);
  });

  test('shows neither the keyword x-pattern-message nor an example of an error that the operation cannot have', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page, 'accounts-listCurrencies');
    for (const name of ['Owner', 'Error']) await expandSchema(page, name);
    expect(await page.getByText('x-pattern-message').count()).toBe(0);
    await page.locator('.models').getByText('40001').waitFor();
    // The contract lists the numbers of the bank, and the page those of any service.
    const numbers = (await page.locator('.models').innerText()).match(/^4\d{4}\b/gm) ?? [];
    expect(numbers).toEqual(expect.arrayContaining(['40001', '40911']));
    expect(numbers).toHaveLength(new Set(numbers).size);
    await docs.operation.locator('.opblock-summary-control').click();
    const refused = docs.operation.locator('.response', { has: page.getByText('400', { exact: true }) });
    expect(await refused.locator('.highlight-code').innerText()).not.toContain('amount');
  });

  test('shows the name of an empty field in the colour of quiet text, which axe does not check', async () => {
    await using visited = await open('accounts-listAccounts');
    await visited.docs.operation.getByPlaceholder('cursor').waitFor();
    const [field, text] = await visited.page.evaluate<string[]>(`
      ['::placeholder', undefined].map((part) => getComputedStyle(document.querySelector(part ? '[placeholder=cursor]' : '.scopes'), part).color)`);
    expect(field).toBe(text);
  });

  test('prints the whole of a long reply', async () => {
    await using visited = await open('accounts-listCurrencies');
    await visited.docs.execute();
    await visited.page.emulateMedia({ media: 'print' });
    const height = await visited.page.evaluate<string>(
      "getComputedStyle(document.querySelector('.microlight')).maxHeight",
    );
    expect(height).toBe('none');
  });

  test('lists the operations, and the description as paragraphs, without a script', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`, { javaScriptEnabled: false });
    const main = visited.page.getByRole('main');
    expect(await main.getByRole('listitem').first().innerText()).toBe('GET /currencies List the currencies');
    expect(await main.getByRole('listitem').count()).toBe(9);
    expect(await main.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['What to rely on']);
    expect(await main.innerText()).not.toMatch(/[*#`]/);
    const links = await main.getByRole('link').allInnerTexts();
    expect(links).toEqual(['openapi.yaml', 'openapi.json']);
  });

  test('shows the focus on each control', async () => {
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`, { viewport: VIEWPORT });
    const { stops, unseen } = await focusOfDocs(new DocsPage(visited.page, 'accounts-listAccounts'));
    expect(unseen).toEqual([]);
    expect(stops).toBeGreaterThan(20);
  });

  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no fault that axe calls serious, %s, %i pixels wide', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 844 }, isMobile: width < 640 };
    await using visited = await visit(stage.browser, `${stage.service.url}/docs`, options);
    const docs = new DocsPage(visited.page, 'accounts-openAccount');
    expect(await faultsOfDocs(docs, stage.service.token, ['Error', 'Account'])).toEqual([]);
    expect(await docs.width()).toBe(width);
    expect(await docs.beyond()).toEqual([]);
  });
});
