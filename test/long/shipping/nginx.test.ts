import { once } from 'node:events';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import {
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { request as requestByTls } from 'node:https';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '../../../packages/trellis/test/support/certificate.ts';
import { whyNoNginx } from '../../../packages/trellis/test/support/nginx.ts';
import { freePort, lastingPort } from '../../../packages/trellis/test/support/port.ts';
import { createPlace, readItems } from '../../../packages/trellis/test/support/place.ts';
import { NOBODY } from '../../../packages/trellis/test/support/postgres.ts';
import { Project } from '../../../packages/trellis/test/support/project.ts';
import { byHand, JSON_TYPE, sendRaw } from '../../../packages/trellis/test/support/raw.ts';
import { blocks } from '../../../packages/trellis/test/support/readme.ts';
import { type Service, start, type Started } from '../../../packages/trellis/test/support/service.ts';
import { describeWith } from '../../../packages/contract/test/support/skipping.ts';
import { Testbed } from '../../../packages/trellis/test/support/testbed.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';
import { createPlant, PLANTS } from '../../support.ts';

const PLANT = '{"id":9007199254740993,"name":"Ginkgo"}';
/** The number of clients. Each client sends one plant after the other, on one connection. */
const CLIENTS = 8;

describeWith(whyNoNginx(), 'nginx with deploy/nginx.conf and two instances', () => {
  let testbed: Testbed;
  const ports: number[] = [];
  const instances: Service[] = [];
  let nginx: Started;
  let proxy: string;
  let folder: string;
  let api: { readonly url: string; readonly token: string };

  const startInstance = async (index: number) => {
    const settings = {
      BASE_URL: 'https://plants.example/api',
      TRUST_PROXY: '1',
      PORT: String(ports[index]),
      ADMIN_PORT: '0',
    };
    instances[index] = await testbed.start(settings);
  };
  const end = (index: number, signal: NodeJS.Signals) => {
    instances[index]?.child.kill(signal);
    return instances[index]?.ended;
  };
  /** Starts nginx with the documented lines, as an unprivileged user, on a free port. */
  const startNginx = async (edit: (project: Project, port: number) => void) => {
    const project = new Project();
    const port = await freePort();
    edit(project, port);
    for (const [index, instance] of ports.entries()) {
      const upstreams = project.read('deploy/upstreams.conf');
      project.write(
        'deploy/upstreams.conf',
        upstreams.replaceAll(`127.0.0.1:300${index + 1}`, `127.0.0.1:${instance}`),
      );
    }
    if (NOBODY.uid !== undefined) chownSync(project.folder, NOBODY.uid, NOBODY.gid);
    const [lines = ''] = blocks('nginx', 'nginx', 'sh');
    // Most systems allow a process 1,024 open files by default.
    const script = `ulimit -Sn 1024\n${lines.replace(/^nginx/m, 'exec nginx')}`;
    const started = start('bash', ['--norc', '-ec', script], {}, project.folder, NOBODY);
    await until(async () => {
      if (started.child.exitCode !== null) throw new Error(`nginx ended: ${started.stderr()}`);
      return (await sendRaw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.0\r\n\r\n')).text;
    });
    return { started, port, folder: project.folder };
  };
  const isUsed = (instance: Service) => until(() => instance.log().some((line) => line['status'] === 200));

  beforeAll(async () => {
    testbed = new Testbed(await createPlace('PostgreSQL', PLANTS), Date.now());
    ports.push(await lastingPort(), await lastingPort());
    await Promise.all([startInstance(0), startInstance(1)]);
    const {
      started,
      port,
      folder: own,
    } = await startNginx((project, free) => {
      project.edit('deploy/listen.conf', ':8080', `:${free}`);
    });
    nginx = started;
    folder = own;
    proxy = `http://127.0.0.1:${port}`;
    api = { url: `${proxy}/api`, token: testbed.place.token };
  });
  afterAll(async () => {
    nginx.child.kill('SIGQUIT');
    expect(await nginx.ended).toBe(0);
    await testbed[Symbol.asyncDispose]();
  });

  test('forwards X-Request-Id, and sends requests to both instances', async () => {
    for (const _ of [1, 2, 3, 4]) {
      const answer = await createPlant(api, PLANT, { 'X-Request-Id': 'from-the-client' });
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'from-the-client']);
    }
    await Promise.all(instances.map(isUsed));
  });

  test('forwards the address of the client in place of the X-Forwarded-For that the client sent', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'from-afar' };
    await new Promise((resolve, reject) => {
      const sent = request(`${api.url}/docs/`, { localAddress: '127.0.0.2', agent: false, headers }, resolve);
      sent.on('error', reject).end();
    });
    const logged = () => instances.flatMap(({ log }) => log()).find((line) => line['requestId'] === 'from-afar');
    expect(await until(logged)).toMatchObject({ client: '127.0.0.2' });
  });

  test('redirects to the docs under the path of BASE_URL', async () => {
    const { status, url } = await fetch(`${api.url}/docs`);
    expect({ status, url }).toEqual({ status: 200, url: `${api.url}/docs/` });
  });

  test('forwards the errors of the service unchanged', async () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${proxy}${path}`, init);
      return [answer.status, ((await answer.json()) as { error: number }).error, answer.headers.get('allow')];
    };
    expect(await ask('/plants')).toEqual([404, 40400, null]);
    expect(await ask('/')).toEqual([404, 40400, null]);
    expect(await ask('/api/plants')).toEqual([405, 40500, 'POST']);
    expect(await ask('/api/plants', { method: 'POST', body: 'x'.repeat(60_000) })).toEqual([401, 40100, null]);
    const Authorization = `Bearer ${testbed.place.token}`;
    const post = (body: string) =>
      ask('/api/plants', { method: 'POST', body, headers: { Authorization, 'Content-Type': 'application/json' } });
    expect((await createPlant(api, PLANT, { 'X-Long': 'x'.repeat(14_000) })).status).toBe(200);
    expect(await post('{"id":1}')).toEqual([400, 40010, null]);
    expect(await post('x'.repeat(65_537))).toEqual([400, 40005, null]);
    expect(await post('x'.repeat(250_000))).toEqual([400, 40005, null]);
  });

  const { HOST } = byHand({ url: 'http://plants.example', token: '' });
  test.each([
    ['text that is not HTTP', 'water the plants\r\n\r\n', 400, 40001],
    [
      'two Content-Length fields',
      `POST /api/plants HTTP/1.1\r\n${HOST}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      40001,
    ],
    ['two Host fields', `GET /api/docs HTTP/1.1\r\n${HOST}\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    [
      'an unknown transfer coding',
      `POST /api/plants HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: xchunked\r\n\r\n`,
      501,
      50100,
    ],
    ['the version HTTP/2.0', `GET / HTTP/2.0\r\n${HOST}\r\n\r\n`, 505, 50500],
    ['the method TRACE', `TRACE / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    ['a path above the root', `GET /../x HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 400, 40001],
    ['an internal path of nginx', `GET /-/40001 HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`, 404, 40400],
    ['a long header field', `GET / HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 43100],
    [
      'three long header fields',
      `GET / HTTP/1.1\r\n${HOST}\r\n${`X: ${'x'.repeat(6000)}\r\n`.repeat(3)}Connection: close\r\n\r\n`,
      431,
      43100,
    ],
    ['a long path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`, 414, 41400],
    [
      'a body of 1 GB',
      `POST /api/plants HTTP/1.1\r\n${HOST}\r\n${JSON_TYPE}\r\nContent-Length: 1000000000\r\nConnection: close\r\n\r\n`,
      400,
      40005,
    ],
  ])('answers with a body that the contract allows when nginx itself refuses %s', async (_, text, status, error) => {
    const answer = await sendRaw(proxy, text, (socket) => socket.once('data', () => socket.end()));
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(answer.body)).toEqual({ error, message: expect.any(String) as unknown });
  });

  test.each([
    ['TRACE', 400],
    ['GET', 404],
  ])('replaces an X-Request-Id that is not valid, for the method %s', async (method, status) => {
    for (const id of ['<script>"', 'x'.repeat(129), 'one, two']) {
      const sent = `${method} /none HTTP/1.1\r\n${HOST}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(proxy, sent);
      expect([answer.status, answer.headers['x-request-id']]).toEqual([status, expect.stringMatching(/^[\da-f]{32}$/)]);
    }
  });

  test('serves an HTTP/1.0 request without a Host field', async () => {
    expect((await sendRaw(proxy, 'GET /api/docs/ HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('accepts no plain HTTP from other machines', async () => {
    const { port } = new URL(proxy);
    // As any address but 127.0.0.1, this one is reached only by a server that listens on all of them.
    await expect(fetch(`http://127.0.0.2:${port}/api/docs/`)).rejects.toMatchObject({
      cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
    });
  });

  describe('with the lines for TLS uncommented,', () => {
    const authority = makeCertificate('authority');
    const { cert, key } = makeCertificate('localhost', ['localhost'], authority);
    let tls: Awaited<ReturnType<typeof startNginx>>;
    let plain: number;

    beforeAll(async () => {
      plain = await freePort();
      tls = await startNginx((project, own) => {
        writeFileSync(join(project.folder, 'cert.pem'), cert);
        writeFileSync(join(project.folder, 'key.pem'), key);
        const lines = project.read('deploy/listen.conf').replaceAll(/^# (?=listen|ssl_)/gm, '');
        const here = lines.replaceAll('/etc/nginx/tls', project.folder).replace(':8080', `:${plain}`);
        project.write('deploy/listen.conf', here.replace('8443', String(own)));
      });
    });
    afterAll(async () => {
      tls.started.child.kill('SIGQUIT');
      expect({ code: await tls.started.ended, stderr: tls.started.stderr() }).toEqual({ code: 0, stderr: '' });
    });

    /** Sends a request by HTTP/2, and returns the status and the header fields. */
    const ask = async (path: string, options: SecureClientSessionOptions = {}, headers: OutgoingHttpHeaders = {}) => {
      const session = connect(`https://localhost:${tls.port}`, { ca: authority.cert, ...options });
      try {
        session.on('error', () => undefined);
        const stream = session.request({ ':path': path, ...headers });
        stream.resume().end();
        const [fields] = (await once(stream, 'response')) as [IncomingHttpHeaders];
        const { alpnProtocol, socket } = session;
        return { fields, by: [alpnProtocol, (socket as TLSSocket).getProtocol()] };
      } finally {
        session.destroy();
      }
    };

    test.each(['TLSv1.2', 'TLSv1.3'] as const)('serves HTTP/2 by %s', async (version) => {
      const { fields, by } = await ask('/api/docs/', { minVersion: version, maxVersion: version });
      expect([fields[':status'], ...by]).toEqual([200, 'h2', version]);
    });

    test('sends Strict-Transport-Security once with each reply, by HTTP/1.1 too, and none by plain HTTP', async () => {
      for (const [path, status] of [
        ['/api/docs/', 200],
        ['/api/plants', 405],
        // From nginx itself.
        ['/-/40400', 404],
      ] as const) {
        const { fields } = await ask(path);
        expect([fields[':status'], fields['strict-transport-security']]).toEqual([status, 'max-age=31536000']);
      }
      const options = { port: tls.port, ca: authority.cert, headers: { Connection: 'close' } };
      const [response] = (await once(requestByTls('https://localhost/api/docs/', options).end(), 'response')) as [
        IncomingMessage,
      ];
      expect([response.resume().statusCode, response.headers['strict-transport-security']]).toEqual([
        200,
        'max-age=31536000',
      ]);
      const { headers } = await fetch(`http://127.0.0.1:${plain}/api/docs/`);
      expect(headers.get('strict-transport-security')).toBe(null);
    });

    test('shows a new certificate after the line of the manual', async () => {
      const renewed = makeCertificate('renewed', ['localhost'], authority);
      writeFileSync(join(tls.folder, 'cert.pem'), renewed.cert);
      writeFileSync(join(tls.folder, 'key.pem'), renewed.key);
      const [line = ''] = blocks('nginx', 'A new certificate', 'sh');
      const reload = start('bash', ['--norc', '-ec', line], {}, tls.folder, NOBODY);
      expect(await reload.ended).toBe(0);
      const shown = async () => {
        const socket = connectTls({ port: tls.port, host: 'localhost', ca: authority.cert });
        await once(socket, 'secureConnect');
        const { subject } = socket.getPeerCertificate();
        socket.destroy();
        return subject.CN;
      };
      await until(async () => (await shown()) === 'renewed');
    });

    test('closes the HTTP/2 connection of a client whose header fields are too large', async () => {
      const asked = ask('/api/docs/', {}, { 'x-long': 'x'.repeat(20_000) });
      await expect(asked).rejects.toThrow('Session closed');
    });

    test('accepts plain HTTP from this machine only', async () => {
      await expect(fetch(`http://127.0.0.2:${plain}/api/docs/`)).rejects.toThrow('fetch failed');
    });
  });

  test.each([
    ['SIGTERM', 3, 0],
    ['SIGKILL', 1, 'SIGKILL'],
  ] as const)(
    'loses no request under load when each instance in turn is ended by %s and restarted',
    async (signal, rounds, code) => {
      using load = testbed.load(CLIENTS, [api]);
      for (let index = 0; index < 2 * rounds; index++) {
        const acknowledged = load.acknowledged;
        await until(() => load.acknowledged >= acknowledged + 200 || load.broken);
        expect(await end(index % 2, signal)).toBe(code);
        await startInstance(index % 2);
      }
      await Promise.all(instances.map(isUsed));
      await load.stop();
      expect(load.failures).toBe(0);
      const stored = await readItems(testbed.place.url, PLANTS);
      testbed.ledger.check(stored.filter(({ name }) => name !== 'Ginkgo'));
    },
  );

  /** Opens connections from 127.0.0.1 that each send a byte of a body now and then, and open again when they end. */
  const attack = (count: number, ...fields: string[]) => {
    let open = true;
    let opened = 0;
    const answers = new Set<string>();
    const sockets = new Set<Socket>();
    const head = ['POST /api/plants HTTP/1.1', HOST, JSON_TYPE, ...fields, 'Content-Length: 60000', '\r\n'].join(
      '\r\n',
    );
    const one = () => {
      const socket = connectSocket({ port: Number(new URL(proxy).port), host: '127.0.0.1' });
      sockets.add(socket);
      socket
        .on('connect', () => opened++)
        .on('data', (data) => answers.add(data.toString('latin1').slice(9, 12)))
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          if (open) setTimeout(one, 1000);
        });
      socket.write(head);
    };
    for (let index = 0; index < count; index++) one();
    const trickle = setInterval(() => {
      for (const socket of sockets) socket.write(' ');
    }, 4000);
    return {
      opened: () => opened,
      answers,
      [Symbol.dispose]: () => {
        open = false;
        clearInterval(trickle);
        for (const socket of sockets) socket.destroy();
      },
    };
  };

  test('refuses a client without a token before its body arrives', async () => {
    using attackers = attack(1);
    await until(() => attackers.answers.has('401'));
  });

  test('answers other clients while one address sends 9,500 bodies that never end, and ends them', async () => {
    using attackers = attack(9500, `Authorization: Bearer ${api.token}`);
    await until(() => attackers.opened() >= 9500);
    for (let id = 1; id <= 12; id++) {
      const sent = request(`${api.url}/plants`, {
        method: 'POST',
        localAddress: '127.0.0.2',
        agent: false,
        timeout: 10_000,
        headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in 10 s')));
      sent.end(`{"id":${id},"name":"Ginkgo"}`);
      const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
      expect(statusCode).toBe(200);
      await sleep(300);
    }
    // The address of the attackers has used up its requests.
    const refused = await createPlant(api, PLANT, { 'X-Request-Id': 'one-too-many' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toEqual({
      error: 42900,
      message: 'this address has 256 requests under way: try again',
    });
    expect(await logged('one-too-many')).toMatchObject({ status: 429, error: 42900 });
    // The service gives a request 30 s.
    await until(() => attackers.answers.has('408'));
  });

  test('keeps its connections to the instances for further requests', async () => {
    const connections = async () => {
      const counts = instances.map(async ({ log }) => {
        const url = String(log().find(({ msg }) => msg === 'admin listening')?.['url']);
        return Number(/^plant_store_connections_open (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    };
    await until(async () => {
      await Promise.all(Array.from({ length: 240 }, () => createPlant(api, PLANT)));
      return (await connections()) > 200;
    });
  });

  /** The line of the log of nginx with this id. */
  const logged = (id: string) =>
    until(() => {
      const lines = readFileSync(join(folder, 'data/nginx/replies.log'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ requestId }) => requestId === id);
    });

  test('tries a stopped instance at most once a second, so that the log stays short', async () => {
    expect(await end(0, 'SIGTERM')).toBe(0);
    const from = nginx.stderr().length;
    const began = performance.now();
    // nginx may have found the instance away before, and then does not try it for a second.
    for (let sent = 0; sent < 100 || nginx.stderr().length === from; sent++)
      expect((await createPlant(api, PLANT)).status).toBe(200);
    const seconds = Math.ceil((performance.now() - began) / 1000);
    const lines = nginx.stderr().slice(from).trim().split('\n');
    expect(lines[0]).toContain('Connection refused');
    // For each try, nginx logs two lines: one about the refused connection, and one about the disabled instance.
    expect(lines.length).toBeLessThanOrEqual(2 * (seconds + 1));
    await startInstance(0);
  });

  test('answers 503 when no instance runs, and uses a restarted instance at once', async () => {
    expect(await Promise.all([end(0, 'SIGTERM'), end(1, 'SIGTERM')])).toEqual([0, 0]);
    const answer = await createPlant({ ...api, url: `${api.url}/plants?secret#` }, PLANT, {
      'X-Request-Id': 'of-the-client',
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.headers.get('x-request-id')).toBe('of-the-client');
    expect(await logged('of-the-client')).toEqual({
      time: expect.stringMatching(/^\d{4}-/),
      requestId: 'of-the-client',
      method: 'POST',
      path: '/api/plants',
      client: '127.0.0.1',
      status: 503,
      error: 50300,
      seconds: expect.any(Number),
      upstream: expect.stringContaining(`127.0.0.1:${String(ports[0])}`),
      msg: 'answered by nginx',
    });
    expect(await answer.json()).toMatchObject({ error: 50300 });
    const page = await fetch(`${api.url}/docs/`, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type'), page.headers.get('retry-after')]).toEqual([
      ...[503, 'text/html', '1'],
    ]);
    expect(await page.text()).toContain('<a href="">Load the page again</a>');
    await startInstance(0);
    for (const _ of [1, 2, 3, 4]) expect((await createPlant(api, PLANT)).status).toBe(200);
  });
});
