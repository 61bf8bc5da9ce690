import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { visit } from '../support/browser.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser, setStage } from './in-browser.ts';

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

describeInBrowser('the docs page by the keyboard alone', () => {
  const stage = setStage();
  test('creates a plant, from the top of the page', async () => {
    const { browser, service } = stage();
    await using visited = await visit(browser, `${service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page);
    await docs.operation.waitFor();
    await tabTo(page, /^Authorize$/);
    await page.keyboard.press('Enter');
    // The dialog takes the focus.
    await page.keyboard.type(service.token);
    await tabTo(page, /^Apply credentials$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Close$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^POST\s+\/plants/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Try it out/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Execute$/);
    const { status, body } = await docs.answerTo(() => page.keyboard.press('Enter'));
    expect([status, JSON.parse(body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
    expect(visited.problems).toEqual([]);
  });

  test('shows where the focus is, wherever it is', async () => {
    const { browser, service } = stage();
    await using visited = await visit(browser, `${service.url}/docs`);
    const { page } = visited;
    const docs = new DocsPage(page);
    const unseen: (string | undefined)[] = [];
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    for (const _stop of ['token', 'Authorize', 'Close']) {
      if (!(await isSeen(page))) unseen.push(await focused(page));
      await page.keyboard.press('Tab');
    }
    await page.getByRole('button', { name: 'Close' }).click();
    await docs.tryOut();
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
