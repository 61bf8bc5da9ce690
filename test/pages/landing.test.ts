import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { startApp, YAML } from '../support/app.ts';
import { sendRaw } from '../support/raw.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const app = await startApp();
const mounted = await startApp({ basePath: '/shop/v1:b' });

/** Where the links of a page lead, as seen from it. */
const links = (html: string, from: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => new URL(href, `http://x${from}`).pathname);

describe('the landing page', () => {
  test('describes the service, and links to the docs and the contract', async () => {
    const { text } = await request(app.url)
      .get('/')
      .set('Accept', BROWSER)
      .expect(200)
      .expect('Content-Type', 'text/html; charset=utf-8')
      .expect('Vary', 'Accept');
    expect(text).toContain('<title>Plant Store</title>');
    expect(text).toContain('<h1>Plant Store</h1>\n<p>Add plants to a store, exactly and safely.</p>');
    expect(links(text, '/')).toEqual(['/docs/', '/openapi.yaml', '/openapi.json']);
    for (const path of links(text, '/')) await request(app.url).get(path).expect(200);
  });

  test('is at the path of BASE_URL', async () => {
    const get = (path: string) => request(mounted.url).get(path).set('Accept', BROWSER);
    const { headers } = await get('/shop/v1:b').expect(301).expect('Vary', 'Accept');
    expect(new URL(String(headers['location']), `${mounted.url}/shop/v1:b`).href).toBe(`${mounted.url}/shop/v1:b/`);
    const { text } = await get('/shop/v1:b/').expect(200);
    for (const path of links(text, '/shop/v1:b/')) await request(mounted.url).get(path).expect(200);
    for (const path of ['/', '/shop', '/shop/', '/shop/v1:b//', '/SHOP/v1:b/']) await get(path).expect(404);
  });

  test('answers HEAD with the Content-Length of GET, and no body', async () => {
    const { headers } = await request(app.url).get('/').set('Accept', BROWSER);
    const head = await request(app.url).head('/').set('Accept', BROWSER).expect(200);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    await request(mounted.url).head('/shop/v1:b').set('Accept', BROWSER).expect(301);
  });

  test.each([BROWSER, 'text/*', 'TEXT/HTML', 'text/html, application/json', 'application/json;q=0.1, text/*;q=0.2'])(
    'is for clients that prefer HTML: %s',
    async (accept) => {
      const get = request(app.url).get('/').set('Accept', accept);
      await get.expect(200).expect('Content-Type', /^text\/html/);
    },
  );

  test.each([
    '',
    '*/*',
    'application/json',
    'application/json, text/html',
    'application/json, text/html;q=0.9',
    'text/html;q=0, */*',
    'text/html;q=0',
    'image/png',
    ',;=',
  ])('does not exist for other clients: %j', async (accept) => {
    const { host } = new URL(app.url);
    for (const path of ['/', '/shop/v1:b', '/shop/v1:b/']) {
      const { url } = path === '/' ? app : mounted;
      const field = accept === '' ? '' : `Accept: ${accept}\r\n`;
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${field}Connection: close\r\n\r\n`;
      const { status, headers, body } = await sendRaw(url, head);
      expect([status, headers['content-type'], headers['vary']]).toEqual([404, 'application/json', 'Accept']);
      expect(JSON.parse(body)).toEqual({ error: 40400, message: `the path ${path} does not exist` });
    }
  });

  test.each(['POST', 'DELETE', 'OPTIONS'])('does not exist for other methods: %s', async (method) => {
    const response = await fetch(`${app.url}/`, { method, headers: { Accept: BROWSER } });
    expect([response.status, response.headers.get('vary'), response.headers.get('allow')]).toEqual([404, null, null]);
  });

  test('has a Content-Security-Policy that allows only its own styles', async () => {
    const { headers } = await request(app.url).get('/').set('Accept', BROWSER);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none';img-src data:;form-action 'none';style-src 'sha256-[\w+/=]+';base-uri 'none';frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers).not.toHaveProperty('strict-transport-security');
    const secure = await startApp({ https: true });
    await request(secure.url)
      .get('/')
      .set('Accept', BROWSER)
      .expect('Strict-Transport-Security', /max-age=\d+/);
  });

  test('escapes HTML in the title of the contract', async () => {
    const yaml = YAML.replace('title: Plant Store', 'title: <b>A & B</b>').replace(/^ {2}summary: Add.*\n/m, '');
    const other = await startApp({ yaml });
    const { text } = await request(other.url).get('/').set('Accept', BROWSER).expect(200);
    expect(text).toContain('<title>&lt;b&gt;A &amp; B&lt;/b&gt;</title>');
    expect(text).toContain('<h1>&lt;b&gt;A &amp; B&lt;/b&gt;</h1>\n<p>This is');
    const docs = await request(other.url).get('/docs/').expect(200);
    expect(docs.text).toContain('<title>&lt;b&gt;A &amp; B&lt;/b&gt;</title>');
  });
});
