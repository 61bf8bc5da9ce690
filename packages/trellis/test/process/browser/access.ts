import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../support/service.ts';
import type { DocsPage } from './docs.ts';

// Checks of accessibility: those of axe, and those of the focus, which axe lacks.

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** The faults that axe calls serious or critical, with their elements. */
export function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`${AXE};
    axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}

const FOCUSED = 'document.activeElement';

/** The name or the text of the element with the focus; undefined for the page itself. */
export function focused(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    `${FOCUSED} === document.body ? undefined : ${FOCUSED}.ariaLabel ?? ${FOCUSED}.innerText`,
  );
}

/** Waits for a button with this name, and presses Tab until it has the focus. @throws Error at the end of the page */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
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

/** Whether the focus can be seen: a screenshot without it differs. */
async function isSeen(page: Page): Promise<boolean> {
  await page.evaluate(`${FOCUSED}.scrollIntoView({ block: 'center' })`);
  const withFocus = await page.screenshot();
  await page.evaluate(`globalThis.focused = ${FOCUSED}; focused.blur()`);
  const without = await page.screenshot();
  await page.evaluate('focused.focus({ focusVisible: true })');
  return !withFocus.equals(without);
}

/** Opens a schema with all its parts, which the page keeps closed. */
export async function expandSchema(page: Page, name: string): Promise<void> {
  const schemas = page.getByRole('button', { name: 'Schemas' });
  if ((await schemas.getAttribute('aria-expanded')) === 'false') await schemas.click();
  const schema = page.locator('.models article', { has: page.getByText(name, { exact: true }) });
  await schema.getByRole('button', { name: 'Expand all' }).first().click();
}

/** The serious faults that axe finds in each state of the docs page. */
export async function faultsOfDocs(
  docs: DocsPage,
  token: string,
  schemas: readonly string[],
): Promise<[string, string[]][]> {
  const { page } = docs;
  const faults: [string, string[]][] = [];
  const look = async (state: string) => faults.push([state, await faultsOf(page)]);
  await docs.operation.waitFor();
  await look('docs');
  await docs.authorize('no token…');
  await docs.token.getByText('This is no token').waitFor();
  await look('no token');
  await docs.authorize(token);
  await docs.tryOut();
  await docs.execute();
  await look('created');
  await docs.execute('{}');
  await look('refused');
  for (const name of schemas) await expandSchema(page, name);
  await page.locator('.models .json-schema-2020-12-property').first().waitFor();
  await look('schemas');
  return faults.filter(([, each]) => each.length > 0);
}

/** Goes through the page by the keyboard: counts the stops, and names those where the focus cannot be seen. */
export async function focusOfDocs(
  docs: DocsPage,
): Promise<{ readonly stops: number; readonly unseen: readonly string[] }> {
  const { page } = docs;
  const unseen: string[] = [];
  const look = async (name: string | undefined) => {
    if (!(await isSeen(page))) unseen.push(String(name));
    await page.keyboard.press('Tab');
  };
  await docs.tryOut();
  // After a click on the heading, Tab goes on from there.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Tab');
  let stops = 0;
  for (let name = await focused(page); name !== undefined; name = await focused(page)) {
    stops++;
    await look(name);
  }
  return { stops, unseen };
}
