import { expect, test } from '@jest/globals';
import { visit } from '../support/browser.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser, setStage } from './in-browser.ts';

/** The contrast of each text on the page with what it stands on (WCAG 2.2, 1.4.3), by text. */
const CONTRASTS = `
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = channels(colour).slice(0, 3).map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] === 0 ? ground(element.parentElement) : colour;
  };
  [...document.querySelectorAll('h1, p, a')].map((element) => {
    const [dark, light] = [getComputedStyle(element).color, ground(element)].map(luminance).toSorted((a, b) => a - b);
    return [element.innerText, (light + 0.05) / (dark + 0.05)];
  })`;

describeInBrowser('the landing page in a browser', () => {
  const stage = setStage();
  test('leads to the docs', async () => {
    const { browser, service } = stage();
    await using visited = await visit(browser, service.url);
    const { page } = visited;
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Plant Store');
    await page.getByRole('link', { name: 'Read the documentation' }).click();
    await new DocsPage(page).operation.waitFor();
    expect(page.url()).toBe(`${service.url}/docs/`);
    expect(visited.problems).toEqual([]);
    expect(visited.requests.slice(0, 2)).toEqual([`GET ${service.url}/`, `GET ${service.url}/docs/`]);
  });

  test('leads to the contract', async () => {
    const { browser, service } = stage();
    await using visited = await visit(browser, service.url);
    await visited.page.getByRole('link', { name: 'openapi.json' }).click();
    expect(visited.page.url()).toBe(`${service.url}/openapi.json`);
    expect(JSON.parse(await visited.page.locator('pre').innerText())).toMatchObject({ openapi: '3.1.0' });
    expect(visited.problems).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('can be read, also on a phone: %s', async (colorScheme) => {
    const { browser, service } = stage();
    const viewport = { width: 320, height: 640 };
    await using visited = await visit(browser, service.url, { colorScheme, viewport, isMobile: true });
    const contrasts = await visited.page.evaluate<[string, number][]>(CONTRASTS);
    expect(contrasts).toHaveLength(8);
    expect(contrasts.filter(([, contrast]) => contrast < 4.5)).toEqual([]);
    const ground = await visited.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 248, 244)' : 'rgb(19, 26, 20)');
    expect(await new DocsPage(visited.page).width()).toBe(viewport.width);
    expect(visited.problems).toEqual([]);
  });
});
