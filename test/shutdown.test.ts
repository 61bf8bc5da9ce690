import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { byHand, open } from './support/raw.ts';
import { listening, plantStore, ROOT, type Service, start, startService } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';
import { until } from './support/until.ts';

const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

/** The file of a new store, and the settings of a service on it. */
function newStore() {
  const file = join(temporaryFolder(), 'plants.db');
  return { file, environment: { PORT: '0', DATABASE_URL: `sqlite:${file}` } };
}

/** Sends a create without the last 20 bytes of its body, which `finish` sends. */
async function slowRequest(service: Service) {
  const connection = open(service);
  const closed = once(connection.socket, 'close');
  connection.socket.write(byHand(service).create(BODY).slice(0, -20));
  await sleep(200);
  return {
    finish: async () => {
      connection.socket.write(BODY.slice(-20));
      await closed;
      return connection.received;
    },
  };
}

const isStopping = ({ log }: Service) => until(() => log().some(({ msg }) => msg === 'stopping'));

describe('npm start', () => {
  test('prints a token and a curl line, which stores a plant that survives a restart', async () => {
    const { environment } = newStore();
    const service = start('npm', ['start'], environment, ROOT);
    await listening(service);
    const [curl = ''] = /curl .*/.exec(service.stderr()) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${curl} --silent --include`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n\{"name":"Monstera deliciosa","tag":"tropical"\}$/);
    service.child.kill('SIGTERM');
    await service.ended;

    const again = start('npm', ['start'], environment, ROOT);
    await listening(again);
    expect(again.stderr()).not.toContain('plantstore_');
    const { stdout: exported } = await plantStore(['export'], environment);
    expect(exported).toBe('{"id":1,"name":"Monstera deliciosa","tag":"tropical"}\n');
    again.child.kill('SIGTERM');
    await again.ended;
    // npm has passed SIGTERM on to the service.
    expect(again.log().map(({ msg }) => msg)).toEqual(['listening', 'ready', 'stopping', 'stopped']);
  });

  test('stops on Ctrl-C in a terminal, which sends the signal more than once', async () => {
    const args = ['--quiet', '--flush', '--return', '--command', 'npm start', '/dev/null'];
    // On a slow machine npm draws a spinner, which would precede the first line of the log.
    const environment = { ...newStore().environment, NPM_CONFIG_PROGRESS: 'false' };
    const terminal = start('script', args, environment, ROOT, {}, 'pipe');
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
    'answers a request under way when %s stops it',
    async (signal) => {
      const service = await startService();
      const { finish } = await slowRequest(service);
      service.child.kill(signal);
      await sleep(300);
      await expect(fetch(service.url)).rejects.toThrow();
      expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK[^]*Connection: close/);
      expect(await service.ended).toBe(0);
    },
  );

  test('answers a request that arrives while it stops, with Connection: close', async () => {
    const service = await startService();
    const connection = open(service);
    const closed = once(connection.socket, 'close');
    const request = byHand(service).request('GET /none');
    connection.socket.write(request);
    await until(() => connection.received.includes('}'));
    service.child.kill('SIGTERM');
    await isStopping(service);
    connection.socket.write(request);
    await closed;
    const answers = ['HTTP/1.1 404', 'Connection: keep-alive', 'HTTP/1.1 404', 'Connection: close'];
    expect(connection.received.match(/HTTP\/1\.1 404|Connection: [\w-]+/g)).toEqual(answers);
    expect(await service.ended).toBe(0);
  });

  test('answers all requests under way on a connection while it stops, and accepts no more', async () => {
    const { file, environment } = newStore();
    const service = await startService(environment);
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const connection = open(service);
    const closed = once(connection.socket, 'close');
    const [first, second, third] = [1, 2, 3].map((id) => byHand(service).create(`{"id":${id},"name":"x"}`));
    connection.socket.write(`${String(first)}${String(second)}`);
    await sleep(500);
    service.child.kill('SIGTERM');
    await isStopping(service);
    connection.socket.write(String(third));
    await sleep(100);
    other.exec('rollback');
    await closed;
    const answers = ['HTTP/1.1 200', 'HTTP/1.1 200', 'Connection: close'];
    expect(connection.received.match(/HTTP\/1\.1 \d+|Connection: close/g)).toEqual(answers);
    expect(await service.ended).toBe(0);
    expect(other.prepare('select id from plants').all()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('stops without waiting for idle connections', async () => {
    const service = await startService();
    await (await fetch(service.url)).text();
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(3000);
  });

  test('stops within 10 s while another process locks its store', async () => {
    const { file, environment } = newStore();
    const service = await startService(environment);
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    // One batch after the other waits for the lock, which takes longer than 10 s for so many plants.
    const connection = open(service);
    for (let id = 0; id < 9000; id++) connection.socket.write(byHand(service).create(`{"id":${id},"name":"x"}`));
    await sleep(1500);
    const stoppedAt = performance.now();
    await service.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    other.exec('rollback');
    expect(other.prepare('select count(*) as count from plants').get()).toEqual({ count: 0 });
    expect(connection.received).not.toContain('HTTP/1.1 200');
  });

  test('cuts off an endless request within 10 s of SIGTERM', async () => {
    const service = await startService();
    const { finish } = await slowRequest(service);
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    expect(await finish()).toBe('');
  });

  test('ends at once when SIGTERM is repeated after 1 s', async () => {
    const service = await startService();
    await slowRequest(service);
    service.child.kill('SIGTERM');
    service.child.kill('SIGTERM');
    await sleep(1200);
    expect(service.child.exitCode).toBeNull();
    service.child.kill('SIGTERM');
    const stoppedAt = performance.now();
    expect(await service.ended).toBe(1);
    expect(performance.now() - stoppedAt).toBeLessThan(1000);
  });
});
