import { createHook } from 'node:async_hooks';
import { get as httpGet, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { parse } from 'yaml';
import { startApp, YAML } from '../../support/app.ts';
import { sendRaw } from '../../support/raw.ts';
import { until } from '../../support/until.ts';

const app = await startApp();
const mounted = await startApp({
  beside: app,
  basePath: '/api',
  yaml: YAML.replace('      minLength: 1\n', '      minLength: 1\n      x-large: 9007199254740993\n'),
});

describe('/openapi.yaml', () => {
  test('is the contract, byte for byte', async () => {
    const response = await request(app.url)
      .get('/openapi.yaml')
      .buffer()
      .expect(200)
      .expect('Content-Type', 'application/yaml');
    expect(response.text).toBe(YAML);
  });

  test('names the path of the public address as its server', async () => {
    const response = await fetch(`${mounted.url}/api/openapi.yaml`);
    const document = parse(await response.text()) as { servers: unknown; paths: unknown };
    expect(document.servers).toEqual([{ url: '/api' }]);
    expect(document.paths).toEqual((parse(YAML) as { paths: unknown }).paths);
    expect((await fetch(`${mounted.url}/openapi.yaml`)).status).toBe(404);
  });

  test.each([
    ['/v1', undefined, '/v1'],
    ['/v1', '/api', '/api/v1'],
    ['https://items.example', undefined, '/'],
    ['https://items.example/v1', undefined, '/v1'],
    ['https://items.example/v1', '/api', '/api/v1'],
    ['/{v}', undefined, '/v1'],
  ])('names the path of the operations, for the server %s below %s', async (server, basePath = '', url) => {
    const yaml = YAML.replace(
      '  - url: /\n',
      `  - url: "${server}" # see below\n    variables: { v: { default: v1 } }\n`,
    );
    const { url: at } = await startApp({ yaml, basePath, beside: app });
    const text = await (await fetch(`${at}${basePath}/openapi.yaml`)).text();
    const { servers } = (await (await fetch(`${at}${basePath}/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers.map((each) => each.url)).toEqual([url]);
    expect((parse(text) as { servers: unknown }).servers).toEqual(servers);
    if (server === url) expect(text).toBe(yaml);
    // Swagger UI appends the path of an operation to the URL of the server.
    expect((await fetch(new URL(`${url.replace(/\/$/, '')}/items`, at), { method: 'POST' })).status).toBe(401);
  });
});

test('the contract as served lists its other servers unchanged', async () => {
  const others = [{ url: 'https://{region}.example/v2', variables: { region: { default: 'eu' } } }, { url: '/v3' }];
  const yaml = YAML.replace('  - url: /\n', '  - url: https://items.example/v1\n').replace(
    /^security:$/m,
    `${others.map((each) => `  - ${JSON.stringify(each)}\n`).join('')}$&`,
  );
  const { url } = await startApp({ yaml, beside: app });
  const { servers } = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown };
  expect(servers).toEqual([{ url: '/v1' }, ...others]);
  expect((parse(await (await fetch(`${url}/openapi.yaml`)).text()) as { servers: unknown }).servers).toEqual(servers);
});

test.each([
  ['that are an alias', 'x-servers: &s\n  - url: https://items.example/v1\nservers: *s\n', '/api/v1'],
  ['whose first is an alias', 'x-server: &s { url: https://items.example/v1 }\nservers: [*s]\n', '/api/v1'],
  ['whose first has aliases', 'servers: [&s { url: &u https://items.example/v1 }]\nx-more: [*s, *u]\n', '/api/v1'],
  ['which more than a hundred aliases follow', `servers: [&s { url: / }]\nx-more: [${'*s, '.repeat(200)}*s]\n`, '/api'],
])('the contract is served with servers %s', async (_, servers, url) => {
  const yaml = YAML.replace(/^servers:\n(?: .*\n)+/m, servers);
  const { url: at } = await startApp({ yaml, basePath: '/api', beside: app });
  const expected = { ...(parse(yaml, { maxAliasCount: -1 }) as object), servers: [{ url }] };
  const [text, json] = ['yaml', 'json'].map(async (name) => (await fetch(`${at}/api/openapi.${name}`)).text());
  expect(parse((await text) ?? '', { maxAliasCount: -1 })).toEqual(expected);
  expect(JSON.parse((await json) ?? '')).toEqual(expected);
});

describe('/openapi.json', () => {
  test('has the content of /openapi.yaml', async () => {
    const { body } = (await request(app.url)
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', 'application/json')) as { body: unknown };
    expect(body).toEqual(parse(YAML));
  });

  test('keeps digits that JavaScript would round', async () => {
    const { text } = await request(mounted.url).get('/api/openapi.json').expect(200);
    expect(text).toContain('"x-large":9007199254740993');
  });
});

describe('/', () => {
  test.each([undefined, '*/*', 'application/json', 'text/html', 'image/png', ',;='])(
    'leads to /docs/, whatever the client accepts: %j',
    async (accept) => {
      const field = accept === undefined ? '' : `Accept: ${accept}\r\n`;
      const head = `GET / HTTP/1.1\r\nHost: x\r\n${field}Connection: close\r\n\r\n`;
      const { status, headers } = await sendRaw(app.url, head);
      expect([status, headers['location'], headers['vary']]).toEqual([302, './docs/', undefined]);
    },
  );

  test('is at the path of BASE_URL, with and without a slash', async () => {
    const { url } = await startApp({ basePath: '/shop/v1:b', beside: app });
    for (const path of ['/shop/v1:b', '/shop/v1:b/']) {
      const { headers } = await request(url).get(path).expect(302);
      expect(new URL(String(headers['location']), url + path).pathname).toBe('/shop/v1:b/docs/');
    }
    await request(url).get('/shop/v1:b/docs/').expect(200);
    for (const path of ['/', '/shop', '/shop/', '/shop/v1:b//', '/SHOP/v1:b/'])
      await request(url).get(path).expect(404);
  });
});

/** Every file that a visit of the page loads, and the contract. */
const FILES = [
  '/docs/',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui-standalone-preset.js',
  '/docs/swagger-ui-init.js',
  '/openapi.json',
  '/openapi.yaml',
];

/** Requests a file, and returns its bytes as they came. */
async function get(path: string, headers: OutgoingHttpHeaders, { url } = app) {
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpGet(url + path, { headers, agent: false }, resolve),
  );
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

describe.each(FILES)('%s', (path) => {
  test('comes as it is, by gzip or by brotli, as the client accepts', async () => {
    const [plain, gzip, br] = [
      await get(path, { 'Accept-Encoding': 'identity' }),
      await get(path, { 'Accept-Encoding': 'gzip' }),
      await get(path, { 'Accept-Encoding': 'br' }),
    ];
    expect([plain, gzip, br].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(br.body.length).toBeLessThan(gzip.body.length);
    expect(gzip.body.length).toBeLessThan(plain.body.length);
    for (const { headers, body } of [plain, gzip, br]) {
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(body.length) });
    }
  });

  test('answers 304 when the client has the file in a coding that it accepts', async () => {
    const tags = [];
    for (const coding of ['identity', 'gzip', 'br']) {
      const { headers } = await get(path, { 'Accept-Encoding': coding });
      const tag = String(headers.etag);
      const again = await get(path, { 'Accept-Encoding': coding, 'If-None-Match': `"other", W/${tag}` });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
      expect(again.headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': headers['cache-control'] });
      expect((await get(path, { 'Accept-Encoding': coding, 'If-None-Match': '"other"' })).status).toBe(200);
      tags.push(tag);
    }
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{43}"$/);
    const [plain = ''] = tags;
    expect((await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': plain })).status).toBe(200);
    expect((await get(path, { 'If-None-Match': '*' })).status).toBe(304);
  });
});

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['*', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br ; q=0.5 , gzip; Q=0.5', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0.001', 'gzip'],
  ['identity, br;q=0.9', undefined],
  ['gzip;q=0, br;q=0.000', undefined],
  ['identity;q=0, *;q=0', undefined],
  ['deflate', undefined],
  ['br;q=x, ;, gzip=1', undefined],
  ['', undefined],
])('a file has the coding that the client prefers: %j', async (accepted, coding) => {
  const { headers } = await get('/docs/swagger-ui-init.js', { 'Accept-Encoding': accepted });
  expect(headers['content-encoding']).toBe(coding);
});

test('a file is compressed once, however many clients ask for it at once', async () => {
  const fresh = await startApp({ beside: app });
  let compressions = 0;
  const hook = createHook({
    init: (_id, type) => {
      compressions += Number(type === 'ZLIB');
    },
  }).enable();
  const asks = Array.from({ length: 30 }, () => get('/docs/swagger-ui-bundle.js', { 'Accept-Encoding': 'br' }, fresh));
  const replies = await Promise.all(asks);
  hook.disable();
  expect(compressions).toBe(1);
  expect(new Set(replies.map(({ body }) => body.toString('hex'))).size).toBe(1);
});

describe('/docs', () => {
  test('redirects to /docs/, a page that refers only to files below /docs/', async () => {
    await request(app.url).get('/docs').expect(301).expect('Location', 'docs/');
    const { text } = await request(app.url)
      .get('/docs/')
      .expect(200)
      .expect('Content-Type', 'text/html; charset=utf-8');
    expect(text).toContain('<title>Item Store</title>');
    expect(text).toContain('<meta name="description" content="Add items to a store, exactly and safely.">');
    expect(text).toMatch(/<link rel="icon" href="data:image\/svg\+xml,/);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, file]) => file ?? '')
      .filter((file) => !/^(#|data:)/.test(file));
    expect(files).toHaveLength(5);
    for (const file of files) {
      expect(file).toMatch(/^\.\/[\w-]+(\.\w+)+$|^\.\.\/openapi\.(yaml|json)$/);
      await request(app.url).get(new URL(file, 'http://x/docs/').pathname).expect(200);
    }
  });

  test('reads the contract from ../openapi.json', async () => {
    const { text } = await request(mounted.url).get('/api/docs/swagger-ui-init.js').expect(200);
    expect(text).toContain('"url": "../openapi.json"');
    expect(text).toContain('"validatorUrl": null');
  });

  test.each(['/docs', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-init.js', '/openapi.json'])(
    'has a Content-Security-Policy that allows only what the page needs: %s',
    async (path) => {
      const { headers } = await request(app.url).get(path);
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(/^default-src 'none';script-src 'self';style-src 'self'( 'sha256-[\w+/=]+'){2};/);
      expect(policy).not.toContain('upgrade-insecure-requests');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      for (const name of ['strict-transport-security', 'cross-origin-opener-policy', 'x-powered-by']) {
        expect(headers).not.toHaveProperty(name);
      }
    },
  );

  test('escapes the texts of the contract', async () => {
    const yaml = YAML.replace('title: Item Store', () => 'title: <b>A & $& B</b>')
      .replace(/^ {2}summary: Add.*\n/m, '')
      .replace('Send an item as JSON', '<i>$$1</i>');
    const { url } = await startApp({ yaml, beside: app });
    const { text } = await request(url).get('/docs/').expect(200);
    const title = '&#60;b&#62;A &#38; &#36;&#38; B&#60;/b&#62;';
    expect(text).toContain(`<title>${title}</title>`);
    expect(text).toContain(`<meta name="description" content="${title}">`);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain('<p>&#60;i&#62;&#36;1&#60;/i&#62; with');
  });

  test.each(['/', '/docs', '/docs/', '/openapi.yaml', '/openapi.json'])('answers 405 to a POST: %s', async (path) => {
    const { body } = (await request(app.url).post(path).expect(405).expect('Allow', 'GET, HEAD')) as { body: unknown };
    expect(body).toEqual({ error: 40500, message: 'the method POST is not allowed here: use GET, HEAD' });
    await request(app.url)
      .head(path)
      .expect({ '/': 302, '/docs': 301 }[path] ?? 200);
  });

  test.each([
    '/docs/swagger-ui.css',
    '/docs/package.json',
    '/docs/index.html',
    '/docs/swagger-initializer.js',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs//',
    '/Docs',
  ])('answers 404 for other files: %s', async (path) => {
    const { body } = (await request(app.url).get(path).expect(404)) as { body: unknown };
    expect(body).toMatchObject({ error: 40400 });
  });
});

test('the service answers a range request with the whole file, and logs its path', async () => {
  const { text } = await request(app.url)
    .get('/docs/swagger-ui-standalone-preset.js')
    .set('Range', 'bytes=99999999-')
    .set('If-Match', '"x"')
    .expect(200);
  expect(text.length).toBeGreaterThan(10_000);
  const line = () => app.log.find(({ path }) => path === '/docs/swagger-ui-standalone-preset.js');
  expect(await until(line)).toMatchObject({ status: 200 });
});

test('the service sends Strict-Transport-Security when its public address has https', async () => {
  const secure = await startApp({ https: true, beside: app });
  await request(secure.url)
    .get('/docs/')
    .expect('Strict-Transport-Security', /max-age=\d+/)
    .expect('Cross-Origin-Opener-Policy', 'same-origin');
});
