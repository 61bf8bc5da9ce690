import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { sendRaw } from './support/raw.ts';
import { listening, plantStore, ROOT, start, startService } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` });
const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

/** A request whose body is still to come, for the most part. */
async function slowRequest(url: string, token: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  const head = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}`;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST /plants HTTP/1.1\r\n${head}\r\n\r\n${BODY.slice(0, 10)}`);
  await wait(200);
  return {
    finish: async () => {
      socket.write(BODY.slice(10));
      await closed;
      return text;
    },
  };
}

describe('npm start', () => {
  test('prints a token and a line for curl, which stores a plant that is there after a restart', async () => {
    const environment = newStore();
    const service = start('npm', ['start'], environment, ROOT);
    await listening(service);
    const [curl = ''] = /curl .*/.exec(service.stderr()) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${curl} --silent --include`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(stdout).toMatch(/\r\n\r\n\{"name":"Monstera deliciosa","tag":"tropical"\}$/);
    service.child.kill('SIGTERM');
    await service.ended;

    const again = start('npm', ['start'], environment, ROOT);
    await listening(again);
    expect(again.stderr()).not.toContain('plantstore_');
    const { stdout: exported } = await plantStore(['export'], environment);
    expect(exported).toBe('{"id":1,"name":"Monstera deliciosa","tag":"tropical"}\n');
    again.child.kill('SIGTERM');
    await again.ended;
    // npm passes the signal on, and the service ends as it should.
    expect(again.log().map(({ msg }) => msg)).toEqual(['listening', 'ready', 'stopping', 'stopped']);
  });

  test('stops by Ctrl-C in a terminal, which delivers the signal more than once', async () => {
    const args = ['--quiet', '--flush', '--return', '--command', 'npm start', '/dev/null'];
    const terminal = start('script', args, newStore(), ROOT, {}, 'pipe');
    await listening(terminal);
    const stoppedAt = performance.now();
    terminal.child.stdin?.write('\x03');
    await terminal.ended;
    expect(performance.now() - stoppedAt).toBeLessThan(5000);
    expect(terminal.stdout()).toContain('"signal":"SIGINT","msg":"stopping"');
    expect(terminal.stdout()).toContain('"msg":"stopped"');
    expect(terminal.stdout()).not.toContain('stopped before all was done');
  });
});

describe('the service', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'answers what is under way when it is told to stop by %s',
    async (signal) => {
      const service = await startService();
      const { finish } = await slowRequest(service.url, service.token);
      service.child.kill(signal);
      await wait(300);
      await expect(fetch(service.url)).rejects.toThrow();
      const answer = await finish();
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
      expect(answer).toContain('Connection: close');
      expect(await service.ended).toBe(0);
    },
  );

  test('answers what still comes on a connection, and says that it is the last', async () => {
    const service = await startService();
    const { hostname, port, host } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const request = `GET /none HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    socket.write(request);
    while (!text.includes('}')) await wait(5);
    service.child.kill('SIGTERM');
    while (!service.log().some(({ msg }) => msg === 'stopping')) await wait(5);
    socket.write(request);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text.match(/HTTP\/1\.1 404|Connection: [\w-]+/g)).toEqual([
      'HTTP/1.1 404',
      'Connection: keep-alive',
      'HTTP/1.1 404',
      'Connection: close',
    ]);
    expect(await service.ended).toBe(0);
  });

  test('answers all that is under way on one connection, and takes no more on it', async () => {
    const folder = temporaryFolder();
    const service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` });
    const { host } = new URL(service.url);
    const head = `Host: ${host}\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: 19`;
    const creates = [1, 2, 3].map((id) => `POST /plants HTTP/1.1\r\n${head}\r\n\r\n{"id":${id},"name":"x"}`);
    const other = new DatabaseSync(join(folder, 'plants.db'));
    other.exec('begin immediate');
    let late: () => unknown = () => undefined;
    const answer = sendRaw(service.url, ...creates.slice(0, 2), (socket) => {
      late = () => socket.write(creates[2] ?? '');
    });
    await wait(500);
    service.child.kill('SIGTERM');
    while (!service.log().some(({ msg }) => msg === 'stopping')) await wait(5);
    late();
    await wait(100);
    other.exec('rollback');
    expect((await answer).text.match(/HTTP\/1\.1 \d+|Connection: close/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'Connection: close',
    ]);
    expect(await service.ended).toBe(0);
    expect(other.prepare('select id from plants').all()).toEqual([{ id: 1 }, { id: 2 }]);
    other.close();
  });

  test('does not wait for connections that are idle', async () => {
    const service = await startService();
    await (await fetch(service.url)).text();
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(3000);
  });

  test('ends within 10 s even if its store is locked by another process', async () => {
    const folder = temporaryFolder();
    const service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` });
    const other = new DatabaseSync(join(folder, 'plants.db'));
    other.exec('begin immediate');
    // More than the store can give up on in time: one batch after the other waits for the lock.
    const { hostname, port, host } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    for (let id = 0; id < 9000; id++) {
      const body = `{"id":${id},"name":"x"}`;
      const fields = [
        `Host: ${host}`,
        `Authorization: Bearer ${service.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      socket.write(`POST /plants HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`);
    }
    await wait(1500);
    const stoppedAt = performance.now();
    await service.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    other.exec('rollback');
    expect(other.prepare('select count(*) as count from plants').get()).toEqual({ count: 0 });
    other.close();
    expect(text).not.toContain('HTTP/1.1 200');
  });

  test('does not wait for ever: a request that never ends is cut off within 10 s', async () => {
    const service = await startService();
    const { finish } = await slowRequest(service.url, service.token);
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    await expect(finish()).resolves.toBe('');
  });

  test('ends at once when it is told again after a second', async () => {
    const service = await startService();
    await slowRequest(service.url, service.token);
    service.child.kill('SIGTERM');
    service.child.kill('SIGTERM');
    await wait(1200);
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGTERM');
    const stoppedAt = performance.now();
    expect(await service.ended).toBe(1);
    expect(performance.now() - stoppedAt).toBeLessThan(1000);
  });
});
