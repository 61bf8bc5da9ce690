import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { freePort } from '../support/port.ts';
import { type Service, startService } from '../support/service.ts';
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

/** Has a script of the page send a plant, or read something, and read all of the answer. */
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

const plant = (id: number) => JSON.stringify({ id, name: 'x' });

function create(page: Page, { url, token }: Service, body: string, id: string): Promise<Got> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Request-Id': id };
  return send(page, `${url}/plants`, { method: 'POST', headers, body });
}

describeInBrowser('pages of other origins in a browser', () => {
  const servers: Server[] = [];
  let browser: Browser | undefined;
  let service: Service | undefined;
  let stage: { readonly service: Service; readonly listed: Page; readonly other: Page };

  /** A page of a site of its own. */
  async function pageAt(visitor: Browser, port: number): Promise<Page> {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>another site</title>');
    }).listen(port, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    // Not by `visit`: where requests are intercepted, Playwright answers what browsers ask before.
    const page = await (await visitor.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    return page;
  }

  beforeAll(async () => {
    const [port, otherPort] = [await freePort(), await freePort()];
    const environment = { CORS_ORIGINS: `http://127.0.0.1:${port}`, RATE_LIMIT: '4/1h' };
    [browser, service] = await Promise.all([startBrowser(), startService(environment)]);
    const [listed, other] = await Promise.all([pageAt(browser, port), pageAt(browser, otherPort)]);
    stage = { service, listed, other };
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await browser?.close();
    await service?.stop();
  });

  /** The requests that reached the service. */
  function arrived(): string[] {
    const lines = stage.service.log().filter(({ msg }) => msg === 'request');
    return lines.map(({ method, path, status }) => `${String(method)} ${String(path)} ${String(status)}`);
  }

  test('are kept out if they are not listed: the plant is not even sent', async () => {
    const { service: at, other } = stage;
    expect(await create(other, at, plant(1), 'other')).toEqual({ failed: 'TypeError' });
    expect(await send(other, `${at.url}/openapi.json`, {})).toEqual({ failed: 'TypeError' });
    while (arrived().length < 2) await sleep(10);
    expect(arrived()).toEqual(['OPTIONS /plants 405', 'GET /openapi.json 200']);
  });

  test('can send and read everything if they are listed', async () => {
    const { service: at, listed } = stage;
    const sent = arrived().length;
    expect(await create(listed, at, plant(1), 'page-1')).toEqual({
      status: 200,
      body: { name: 'x' },
      replayed: null,
      requestId: 'page-1',
      wait: null,
      left: expect.stringMatching(/^"caller"; r=3; t=\d+$/),
    });
    expect(await create(listed, at, plant(1), 'page-2')).toMatchObject({
      status: 200,
      replayed: 'true',
      requestId: 'page-2',
    });
    expect(await create(listed, at, '{"id":1,"name":"y"}', 'page-3')).toMatchObject({
      status: 400,
      body: { error: 40011, message: 'a different plant with this id exists' },
      requestId: 'page-3',
    });
    expect(await create(listed, { ...at, token: 'wrong' }, plant(2), 'page-4')).toMatchObject({
      status: 401,
      body: { error: 40101 },
      requestId: 'page-4',
    });
    expect(await create(listed, at, plant(3), 'page-5')).toMatchObject({ status: 200, body: { name: 'x' } });
    expect(await create(listed, at, plant(4), 'page-6')).toMatchObject({
      status: 429,
      body: { error: 42900 },
      wait: expect.stringMatching(/^\d+$/),
      left: expect.stringMatching(/^"caller"; r=0; t=\d+$/),
    });
    expect(await send(listed, `${at.url}/openapi.json`, {})).toMatchObject({ status: 200 });
    const headers = { Authorization: 'Bearer wrong' };
    expect(await send(listed, `${at.url}/none`, { headers })).toMatchObject({
      status: 404,
      body: { error: 40400 },
    });
    while (arrived().at(-1) !== 'GET /none 404') await sleep(10);
    expect(arrived().slice(sent)).toEqual([
      'OPTIONS /plants 204',
      'POST /plants 200',
      'POST /plants 200',
      'POST /plants 400',
      'POST /plants 401',
      'POST /plants 200',
      'POST /plants 429',
      'GET /openapi.json 200',
      'OPTIONS /none 204',
      'GET /none 404',
    ]);
  });
});
