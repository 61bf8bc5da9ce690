import { expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { type Visit, visit } from '../support/browser.ts';
import { freePort } from '../support/port.ts';
import { plantStore, startService } from '../support/service.ts';
import { DocsPage } from './docs.ts';
import { describeInBrowser, setStage } from './in-browser.ts';

/** What Chromium writes to its console of itself when a request of the page is refused. */
const refused = (status: string) => `Failed to load resource: the server responded with a status of ${status}`;

describeInBrowser('the docs page in a browser', () => {
  const stage = setStage();
  const open = (options?: BrowserContextOptions): Promise<Visit> =>
    visit(stage().browser, `${stage().service.url}/docs`, options);

  test('creates a plant for who has a token, and shows that it is stored', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    await docs.tryOut();
    const first = await docs.execute();
    expect([first.status, JSON.parse(first.body)]).toEqual(['200', { name: 'Monstera deliciosa', tag: 'tropical' }]);
    expect(first.headers).not.toContain('idempotent-replayed: true');
    const second = await docs.execute();
    expect([second.status, second.body]).toEqual(['200', first.body]);
    expect(second.headers).toContain('idempotent-replayed: true');
    expect(visited.problems).toEqual([]);
  });

  test('asks its own service alone, for its own files', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    await docs.tryOut();
    await docs.execute('{"id":3,"name":"x"}');
    const { url } = stage().service;
    expect([...new Set(visited.requests)].toSorted()).toEqual([
      `GET ${url}/docs`,
      `GET ${url}/docs/`,
      `GET ${url}/docs/favicon-32x32.png`,
      `GET ${url}/docs/swagger-ui-bundle.js`,
      `GET ${url}/docs/swagger-ui-init.js`,
      `GET ${url}/docs/swagger-ui-standalone-preset.js`,
      `GET ${url}/docs/swagger-ui.css`,
      `GET ${url}/openapi.json`,
      `POST ${url}/plants`,
    ]);
    expect(visited.problems).toEqual([]);
  });

  test('sends an id of 64 bits as it was typed', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    await docs.tryOut();
    for (const id of ['9007199254740993', '9007199254740992', '-9223372036854775808']) {
      const { status, headers } = await docs.execute(`{"id":${id},"name":"typed"}`);
      expect([status, headers.includes('idempotent-replayed: true')]).toEqual(['200', false]);
    }
    const { stdout } = await plantStore(['export'], { DATABASE_URL: stage().database });
    expect(stdout.split('\n').filter((line) => line.includes('typed'))).toEqual([
      '{"id":-9223372036854775808,"name":"typed"}',
      '{"id":9007199254740992,"name":"typed"}',
      '{"id":9007199254740993,"name":"typed"}',
    ]);
    expect(visited.problems).toEqual([]);
  });

  test('shows what is wrong with a plant', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    await docs.tryOut();
    for (const id of ['"x"', '1.5', '9223372036854775808']) {
      const { status, body } = await docs.execute(`{"id":${id},"name":"x"}`);
      expect(status).toMatch(/^400\b/);
      expect(JSON.parse(body)).toEqual({ error: 40010, message: expect.stringMatching(/^body\.id must be /) });
    }
    expect(visited.problems).toEqual(Array<string>(3).fill(refused('400 (Bad Request)')));
  });

  test('shows that a token is asked for, and that it must be a valid one', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.tryOut();
    const without = await docs.execute();
    expect(without.status).toMatch(/^401\b/);
    expect(JSON.parse(without.body)).toMatchObject({ error: 40100 });
    await docs.authorize(`${stage().service.token}0`);
    const wrong = await docs.execute();
    expect(wrong.status).toMatch(/^401\b/);
    expect(JSON.parse(wrong.body)).toMatchObject({ error: 40101 });
    expect(visited.problems).toEqual(Array<string>(2).fill(refused('401 (Unauthorized)')));
  });

  test('remembers the token when it is loaded again, and forgets it with the profile', async () => {
    await using visited = await open();
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    await visited.page.reload();
    await docs.tryOut();
    expect((await docs.execute()).status).toBe('200');
    expect(visited.problems).toEqual([]);
    await using other = await open();
    const stranger = new DocsPage(other.page);
    await stranger.tryOut();
    expect((await stranger.execute()).status).toMatch(/^401\b/);
  });

  test('is as wide as the screen of a phone, and can be used there', async () => {
    const viewport = { width: 360, height: 740 };
    await using visited = await open({ viewport, isMobile: true });
    const docs = new DocsPage(visited.page);
    await docs.authorize(stage().service.token);
    expect(await docs.width()).toBe(viewport.width);
    await docs.tryOut();
    expect(await docs.width()).toBe(viewport.width);
    // One that was edited can be reset: there is a button more.
    expect((await docs.execute('{"id":4,"name":"x"}')).status).toBe('200');
    expect(await docs.width()).toBe(viewport.width);
    expect(await docs.beyond()).toEqual([]);
    expect(visited.problems).toEqual([]);
  });

  test('works where the public address has a path', async () => {
    const PORT = String(await freePort());
    const BASE_URL = `http://127.0.0.1:${PORT}/api`;
    const service = await startService({ PORT, BASE_URL });
    await using visited = await visit(stage().browser, `${BASE_URL}/docs`);
    expect(visited.page.url()).toBe(`${BASE_URL}/docs/`);
    const docs = new DocsPage(visited.page);
    await docs.authorize(service.token);
    await docs.tryOut();
    expect((await docs.execute()).status).toBe('200');
    expect(visited.requests).toContain(`POST ${BASE_URL}/plants`);
    expect(visited.problems).toEqual([]);
    await service.stop();
  });
});
