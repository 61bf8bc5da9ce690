import { expect, test } from '@jest/globals';
import { MAX } from '../../../src/http/bounds.ts';
import { connectionsAllowed } from '../../../src/http/open-files.ts';
import { Crowd } from '../../support/crowd.ts';
import { adminUrl, samples, scrape } from '../../support/metrics.ts';
import { createPlace, type Engine } from '../../support/place.ts';
import { createItem, ITEMS, listening, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const line = (files: string) => `Max processes    1    1    processes\nMax open files    ${files}    4096    files\n`;

test.each([
  ['20000', { connections: MAX.connections }],
  ['unlimited', { connections: MAX.connections }],
  ['1024', { connections: 832, openFiles: 1024 }],
  ['256', { connections: 64, openFiles: 256 }],
])('the limit of %s open files allows %j', (files, allowed) => {
  expect(connectionsAllowed(line(files))).toEqual(allowed);
});

test('a system that does not tell the limit allows all connections', () => {
  expect(connectionsAllowed('')).toEqual({ connections: MAX.connections });
});

test('a limit of open files that leaves too few connections stops the start with the cure', () => {
  expect(() => connectionsAllowed(line('255'))).toThrow(
    expect.objectContaining({
      name: 'WrongSettings',
      message: 'the process may open only 255 files, but needs 256: raise LimitNOFILE= of systemd, or `ulimit -n`',
    }),
  );
});

test.each<Engine>(['SQLite', 'PostgreSQL'])(
  'a service with a low limit of open files answers while more clients connect than the limit, on %s',
  async (engine) => {
    await using place = await createPlace(engine);
    const environment = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: place.url };
    const command = ['--norc', '-c', 'ulimit -n 300 && exec "$@"', 'bash', process.execPath, ITEMS.main, 'serve'];
    const started = start('bash', command, environment, temporaryFolder());
    const service = { ...started, url: await listening(started), token: place.token };
    expect(service.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        connections: 108,
        openFiles: 300,
        msg: 'the limit of open files allows fewer connections than the service takes',
      }),
    );
    using crowd = new Crowd(service);
    for (let joined = 0; joined < 350; joined += 50) await crowd.join(50);
    const cutOff = async () =>
      samples(await scrape(service), 'item_store_connections_cut_off_total')['connections'] ?? 0;
    await until(async () => (await cutOff()) >= 350 - 108);
    expect((await fetch(`${adminUrl(service)}/livez`)).status).toBe(200);
    expect((await createItem(service, '{"id":1,"name":"x"}')).status).toBe(200);
    await until(() => service.log().some(({ msg }) => msg === 'connection cut off'));
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  },
);
