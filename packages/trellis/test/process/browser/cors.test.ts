import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/port.ts';
import { type Service, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser } from './in-browser.ts';

/** What a script on a page got, as far as its browser let it. */
interface Got {
  readonly status?: number;
  readonly body?: unknown;
  readonly replayed?: string | null;
  readonly requestId?: string | null;
  readonly wait?: string | null;
  readonly left?: string | null;
  /** The name of the error that `fetch` failed with. */
  readonly failed?: string;
}

/** Makes the page run a script that sends one request and reads the whole answer. */
function send(page: Page, url: string, options: object): Promise<Got> {
  return page.evaluate<Got>(`
    fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then(
      async (response) => ({
        status: response.status,
        body: await response.json(),
        replayed: response.headers.get('Idempotent-Replayed'),
        requestId: response.headers.get('X-Request-Id'),
        wait: response.headers.get('Retry-After'),
        left: response.headers.get('RateLimit'),
      }),
      (error) => ({ failed: error.name }),
    )`);
}

const item = (id: number) => JSON.stringify({ id, name: 'x' });

function create(page: Page, { url, token }: Service, body: string, id: string): Promise<Got> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Request-Id': id };
  return send(page, `${url}/items`, { method: 'POST', headers, body });
}

describeInBrowser('CORS', () => {
  const servers: Server[] = [];
  let browser: Browser;
  let service: Service;
  let listed: Page;
  let other: Page;

  /** A page of a site of its own. */
  async function pageAt(port: number): Promise<Page> {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>another site</title>');
    }).listen(port, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    // Not by `visit`, which intercepts requests: Playwright would then answer preflight requests itself.
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    return page;
  }

  beforeAll(async () => {
    const port = await freePort();
    const environment = { CORS_ORIGINS: `http://127.0.0.1:${port}`, RATE_LIMIT: '4/1h' };
    [browser, service] = await Promise.all([startBrowser(), startService(environment)]);
    listed = await pageAt(port);
    other = await pageAt(await freePort());
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await browser.close();
    await service.stop();
  });

  /** The requests that have reached the service, once there are so many. */
  function arrived(count: number): Promise<string[]> {
    return until(() => {
      const lines = service.log().filter(({ msg }) => msg === 'request');
      return (
        lines.length >= count &&
        lines.map(({ method, path, status }) => `${String(method)} ${String(path)} ${String(status)}`)
      );
    });
  }

  test('pages of other origins in a browser cannot send an item or read a reply if CORS_ORIGINS does not list their origin', async () => {
    expect(await create(other, service, item(1), 'other')).toEqual({ failed: 'TypeError' });
    expect(await send(other, `${service.url}/openapi.json`, {})).toEqual({ failed: 'TypeError' });
    expect(await arrived(2)).toEqual(['OPTIONS /items 405', 'GET /openapi.json 200']);
  });

  test('pages of other origins in a browser can send items and read each reply if CORS_ORIGINS lists their origin', async () => {
    const left = (count: number) => expect.stringMatching(new RegExp(`^"caller"; r=${count}; t=\\d+$`));
    expect([
      await create(listed, service, item(1), 'page-1'),
      await create(listed, service, item(1), 'page-2'),
      await create(listed, service, '{"id":1,"name":"y"}', 'page-3'),
      await create(listed, { ...service, token: 'wrong' }, item(2), 'page-4'),
      await create(listed, service, item(3), 'page-5'),
      await create(listed, service, item(4), 'page-6'),
      await send(listed, `${service.url}/openapi.json`, {}),
      await send(listed, `${service.url}/none`, { headers: { Authorization: 'Bearer wrong' } }),
    ]).toMatchObject([
      { status: 200, body: { name: 'x' }, replayed: null, requestId: 'page-1', wait: null, left: left(3) },
      { status: 200, replayed: 'true', requestId: 'page-2' },
      { status: 400, body: { error: 40011 }, requestId: 'page-3' },
      { status: 401, body: { error: 40101 }, requestId: 'page-4' },
      { status: 200, body: { name: 'x' } },
      { status: 429, body: { error: 42900 }, wait: expect.stringMatching(/^\d+$/), left: left(0) },
      { status: 200 },
      { status: 404, body: { error: 40400 } },
    ]);
    const creates = [200, 200, 400, 401, 200, 429].map((status) => `POST /items ${status}`);
    const others = ['GET /openapi.json 200', 'OPTIONS /none 204', 'GET /none 404'];
    expect((await arrived(12)).slice(2)).toEqual(['OPTIONS /items 204', ...creates, ...others]);
  });
});
