import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { inTime } from '../support/in-time.ts';
import { sample, scrape, untilSample } from '../support/metrics.ts';
import { byHand, open } from '../support/raw.ts';
import { send } from '../support/signals.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from '../support/until.ts';
import {
  createItem,
  type Instance,
  ITEMS,
  quoted,
  ROOT,
  start,
  startInstance,
  startService,
} from '../support/service.ts';

const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

/** The setting of services whose metrics tell how many requests are under way. */
const WATCHED = { ADMIN_PORT: '0' };

/** The file of a new store, and the settings of a service on it. */
function newStore() {
  const file = join(temporaryFolder(), 'items.db');
  return { file, environment: { ...WATCHED, PORT: '0', DATABASE_URL: `sqlite:${file}` } };
}

/** Sends a create to a watched service without the last 20 bytes of its body, which `finish` sends. */
async function slowRequest(service: Instance) {
  const connection = open(service);
  const closed = once(connection.socket, 'close');
  connection.socket.write(byHand(service).create(BODY).slice(0, -20));
  await untilSample(service, 'item_store_http_requests_in_flight', 1);
  return {
    finish: async () => {
      connection.socket.write(BODY.slice(-20));
      await closed;
      return connection.received;
    },
  };
}

const isStopping = ({ log }: Instance) => until(() => log().some(({ msg }) => msg === 'stopping'));

/** Whether the service accepts no connection. */
const isRefused = ({ url }: Instance) =>
  fetch(url).then(
    () => false,
    () => true,
  );

/** How long the service took to stop, by the times of its own log, in milliseconds. */
function stopTime({ log }: Instance): number {
  const lines = log();
  const timeOf = (line: Record<string, unknown> | undefined) => Date.parse(String(line?.['time']));
  return timeOf(lines.at(-1)) - timeOf(lines.find(({ msg }) => msg === 'stopping'));
}

describe('terminals', () => {
  // The services are not children of this process.
  const pids: number[] = [];
  afterAll(() => {
    for (const pid of pids) send(pid, 'SIGKILL');
  });

  /** Starts a command in a terminal, closes the terminal, and returns the process that was the service. */
  async function hangUp(command: string) {
    const folder = temporaryFolder();
    const line = `echo $$ > pid; exec ${command} ${quoted(join(ROOT, 'scripts/node'))} ${quoted(ITEMS.main)} serve > log`;
    const environment = { PORT: '0', DATABASE_URL: 'sqlite:items.db', SHELL: '/bin/sh' };
    const args = ['--quiet', '--return', '--command', line, '/dev/null'];
    const terminal = start('script', args, environment, folder, {}, 'pipe');
    const log = () => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '');
    await until(() => log().includes('"msg":"ready"'));
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    pids.push(pid);
    terminal.child.kill('SIGKILL');
    await terminal.ended;
    return { pid, log };
  }

  test('a terminal that hangs up stops a service whose stdin is a terminal that closes', async () => {
    const { log } = await hangUp('');
    await until(() => log().includes('"signal":"SIGHUP","msg":"stopping"') && log().includes('"msg":"stopped"'));
  });

  test('a terminal that hangs up does not stop a service that nohup has started', async () => {
    const { pid, log } = await hangUp('nohup');
    // The service receives SIGHUP first.
    process.kill(pid, 'SIGTERM');
    await until(() => log().includes('"msg":"stopped"'));
    expect(log().match(/"signal":"\w+"/g)).toEqual(['"signal":"SIGTERM"']);
  });
});

describe('the service', () => {
  // As under systemd, its stdin is no terminal.
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'goes on after SIGHUP, and answers a request under way when %s stops it',
    async (signal) => {
      await inTime(async () => {
        const service = await startService(WATCHED);
        service.child.kill('SIGHUP');
        const { finish } = await slowRequest(service);
        service.child.kill(signal);
        await until(() => isRefused(service));
        // The service waits 5 s for the rest of the request.
        expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK[^]*Connection: close/);
        expect(await service.ended).toBe(0);
        expect(service.log().find(({ msg }) => msg === 'stopping')).toMatchObject({ signal });
      });
    },
  );

  test('answers a request that arrives while it stops, with Connection: close', async () => {
    const service = await startInstance();
    const connection = open(service);
    const closed = once(connection.socket, 'close');
    const request = byHand(service).request('GET /none');
    connection.socket.write(request);
    await until(() => connection.received.includes('}'));
    const stopped = service.stop();
    await isStopping(service);
    connection.socket.write(request);
    await closed;
    const answers = ['HTTP/1.1 404', 'Connection: keep-alive', 'HTTP/1.1 404', 'Connection: close'];
    expect(connection.received.match(/HTTP\/1\.1 404|Connection: [\w-]+/g)).toEqual(answers);
    expect(await stopped).toBe(0);
  });

  test('answers all requests under way on a connection while it stops, and accepts no more', async () => {
    await inTime(async () => {
      const { file, environment } = newStore();
      const service = await startInstance(environment);
      using other = new DatabaseSync(file);
      // The store waits 2 s for the lock.
      other.exec('begin immediate');
      const connection = open(service);
      const closed = once(connection.socket, 'close');
      const [first, second, third] = [1, 2, 3].map((id) => byHand(service).create(`{"id":${id},"name":"x"}`));
      connection.socket.write(`${String(first)}${String(second)}`);
      await untilSample(service, 'item_store_http_requests_in_flight', 2, 2000);
      const stopped = service.stop();
      await isStopping(service);
      connection.socket.write(String(third));
      await sleep(100);
      other.exec('rollback');
      await closed;
      const answers = ['HTTP/1.1 200', 'HTTP/1.1 200', 'Connection: close'];
      expect(connection.received.match(/HTTP\/1\.1 \d+|Connection: close/g)).toEqual(answers);
      expect(await stopped).toBe(0);
      expect(other.prepare('select id from items').all()).toEqual([{ id: 1 }, { id: 2 }]);
    });
  });

  test('stops without waiting for idle connections', async () => {
    await inTime(async () => {
      const service = await startInstance();
      await (await fetch(service.url)).text();
      expect(await service.stop()).toBe(0);
      expect(stopTime(service)).toBeLessThan(3000);
    });
  });

  test('stops within 10 s while another process locks its store', async () => {
    await inTime(async () => {
      const { file, environment } = newStore();
      const service = await startInstance(environment);
      using other = new DatabaseSync(file);
      other.exec('begin immediate');
      // One batch after the other waits for the lock, which takes longer than 10 s for so many items.
      const connection = open(service);
      for (let id = 0; id < 9000; id++) connection.socket.write(byHand(service).create(`{"id":${id},"name":"x"}`));
      // A busy machine may refuse the first ones, as they have waited for 5 s, before so many wait.
      const refused = () => service.log().some(({ status }) => status === 503);
      await until(async () => Number(sample(await scrape(service), 'item_store_waiting_writes')) > 1000 || refused());
      await service.stop();
      other.exec('rollback');
      expect(stopTime(service)).toBeLessThan(10_000);
      expect(other.prepare('select count(*) as count from items').get()).toEqual({ count: 0 });
      expect(connection.received).not.toContain('HTTP/1.1 200');
    });
  });

  test('ends at a second signal although SQLite reads without end', async () => {
    const main = fileURLToPath(new URL('http/running-operation-main.ts', import.meta.url));
    const service = await startService(WATCHED, ROOT, main);
    const endless = createItem(service, '{"id":1,"name":"reads without end"}').catch(() => undefined);
    await untilSample(service, 'item_store_http_requests_in_flight', 1);
    await until(() => {
      service.child.kill('SIGTERM');
      return service.child.signalCode;
    });
    expect(service.child.signalCode).toBe('SIGKILL');
    expect(service.log().at(-1)).toMatchObject({ msg: 'stopped before all was done' });
    await endless;
  });

  test('cuts off an endless request within 10 s of SIGTERM', async () => {
    await inTime(async () => {
      const service = await startInstance(WATCHED);
      const { finish } = await slowRequest(service);
      expect(await service.stop()).toBe(0);
      expect(stopTime(service)).toBeLessThan(10_000);
      expect(await finish()).toBe('');
    });
  });

  test('ends at once when SIGTERM is repeated after 1 s', async () => {
    await inTime(async () => {
      const service = await startService(WATCHED);
      await slowRequest(service);
      service.child.kill('SIGTERM');
      service.child.kill('SIGTERM');
      await isStopping(service);
      await sleep(1200);
      expect(service.child.exitCode).toBeNull();
      service.child.kill('SIGTERM');
      // Without the last signal, the service would cut the request off after 5 s, and end with 0.
      await service.ended;
      expect(service.child.signalCode).toBe('SIGKILL');
    });
  });
});
