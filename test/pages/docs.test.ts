import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { parse } from 'yaml';
import { startApp, YAML } from '../support/app.ts';
import { until } from '../support/until.ts';

const app = await startApp();
const mounted = await startApp({
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
    ['https://plants.example', undefined, '/'],
    ['https://plants.example/v1', undefined, '/v1'],
    ['https://plants.example/v1', '/api', '/api/v1'],
  ])('names the path of the operations, for the server %s below %s', async (server, basePath = '', url) => {
    const yaml = YAML.replace('  - url: /\n', `  - url: ${server} # see below\n`);
    const { url: at } = await startApp({ yaml, basePath });
    const text = await (await fetch(`${at}${basePath}/openapi.yaml`)).text();
    const { servers } = (await (await fetch(`${at}${basePath}/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers.map((each) => each.url)).toEqual([url]);
    expect((parse(text) as { servers: unknown }).servers).toEqual(servers);
    if (server === url) expect(text).toBe(yaml);
    // Swagger UI appends the path of an operation to the URL of the server.
    expect((await fetch(new URL(`${url.replace(/\/$/, '')}/plants`, at), { method: 'POST' })).status).toBe(401);
  });
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

describe('/docs', () => {
  test('redirects to /docs/, a page that refers only to files below /docs/', async () => {
    await request(app.url).get('/docs').expect(301).expect('Location', 'docs/');
    const { text } = await request(app.url)
      .get('/docs/')
      .expect(200)
      .expect('Content-Type', 'text/html; charset=utf-8');
    expect(text).toContain('<title>Plant Store</title>');
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, file]) => file ?? '')
      .filter((file) => !/^(#|data:)/.test(file));
    expect(files).toHaveLength(4);
    for (const file of files) {
      expect(file).toMatch(/^\.\/[\w-]+(\.\w+)+$/);
      await request(app.url).get(new URL(file, 'http://x/docs/').pathname).expect(200);
    }
  });

  test('reads the contract from ../openapi.json', async () => {
    const { text } = await request(mounted.url).get('/api/docs/swagger-ui-init.js').expect(200);
    expect(text).toContain('"url": "../openapi.json"');
    expect(text).toContain('"persistAuthorization": true');
    expect(text).toContain('"validatorUrl": null');
  });

  test.each(['/docs', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-init.js', '/openapi.json'])(
    'has a Content-Security-Policy that allows only what the page needs: %s',
    async (path) => {
      const { headers } = await request(app.url).get(path);
      const policy = headers['content-security-policy'];
      expect(policy).toMatch(/^default-src 'none';script-src 'self';style-src 'self'( 'sha256-[\w+/=]+'){2};/);
      expect(policy).not.toContain('upgrade-insecure-requests');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      for (const name of ['strict-transport-security', 'cross-origin-opener-policy', 'x-powered-by']) {
        expect(headers).not.toHaveProperty(name);
      }
    },
  );

  test.each(['/docs', '/docs/', '/openapi.yaml', '/openapi.json'])('answers 405 to a POST: %s', async (path) => {
    const { body } = (await request(app.url).post(path).expect(405).expect('Allow', 'GET, HEAD')) as { body: unknown };
    expect(body).toEqual({ error: 40500, message: 'the method POST is not allowed here: use GET, HEAD' });
    await request(app.url)
      .head(path)
      .expect(path === '/docs' ? 301 : 200);
  });

  test.each([
    '/docs/none.css',
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
    .get('/docs/swagger-ui.css')
    .set('Range', 'bytes=99999999-')
    .set('If-Match', '"x"')
    .expect(200);
  expect(text.length).toBeGreaterThan(10_000);
  const line = () => app.log.find(({ path }) => path === '/docs/swagger-ui.css');
  expect(await until(line)).toMatchObject({ status: 200 });
});

test('the service sends Strict-Transport-Security when its public address has https', async () => {
  const secure = await startApp({ https: true });
  await request(secure.url)
    .get('/docs/')
    .expect('Strict-Transport-Security', /max-age=\d+/)
    .expect('Cross-Origin-Opener-Policy', 'same-origin');
});
