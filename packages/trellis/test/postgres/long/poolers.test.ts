import { beforeAll, expect, test } from '@jest/globals';
import { noPgBouncer, PgBouncer } from '../../support/pgbouncer.ts';
import { type Postgres, PostgresServer, sharedPostgres } from '../../support/postgres.ts';
import { createItem, runProcess, startService } from '../../support/service.ts';
import { describeWith } from '../../../../contract/test/support/skipping.ts';
import { until } from '../../support/until.ts';

const IGNORE = 'ignore_startup_parameters = options';

describeWith(noPgBouncer, 'behind PgBouncer', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await sharedPostgres();
  });

  test.each([
    ['refuses startup options', ['pool_mode = transaction'], 'refuses the settings of a session'],
    ['ignores startup options', ['pool_mode = transaction', IGNORE], 'gives two sessions one connection'],
    ['refuses startup options in session mode', ['pool_mode = session'], 'refuses the settings of a session'],
  ])('the service names the cure, and does not start, when the pooler %s', async (_name, settings, problem) => {
    await using pooler = await PgBouncer.start(server, settings);
    const url = pooler.url(await server.createDatabase());
    const { code, stderr } = await runProcess(['serve'], { DATABASE_URL: url, PORT: '0' });
    expect(stderr).toContain(`${problem}: a pooler in transaction mode is not supported: use a pooler in session mode`);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
  });

  test('the service does not start, when the pooler drops a setting that it needs', async () => {
    const database = await server.createDatabase();
    await server.query(`alter database ${database} set datestyle = 'German'`);
    await using pooler = await PgBouncer.start(server, ['pool_mode = session', IGNORE]);
    const { code, stderr } = await runProcess(['serve'], { DATABASE_URL: pooler.url(database), PORT: '0' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('has DateStyle = German: the store needs ISO\n')]);
  });

  test('the service stores items through session mode, and waits for a server that is away', async () => {
    await using away = await PostgresServer.create();
    await using pooler = await PgBouncer.start(away, ['pool_mode = session', IGNORE, 'server_login_retry = 1']);
    const service = await startService({ DATABASE_URL: pooler.url(await away.createDatabase()) });
    const create = async (id: number) => (await createItem(service, `{"id":${id},"name":"Ginkgo"}`)).status;
    const all = Array.from({ length: 200 }, (_, id) => create(id));
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    await away.stop('SIGQUIT');
    expect(await create(200)).toBe(503);
    await away.start();
    const status = await until(async () => {
      const answered = await create(201);
      return answered !== 503 && answered;
    });
    expect(status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  test('the service waits, when the server behind the pooler is away at its start', async () => {
    await using away = await PostgresServer.create();
    const database = await away.createDatabase();
    await using pooler = await PgBouncer.start(away, ['pool_mode = session', IGNORE, 'server_login_retry = 1']);
    await away.stop('SIGQUIT');
    const service = await startService({ DATABASE_URL: pooler.url(database) }, undefined, undefined, 'listening');
    await until(() => service.log().some(({ msg }) => msg === 'the store is away'));
    await away.start();
    await until(() => service.log().some(({ msg }) => msg === 'ready'));
    expect((await createItem(service, '{"id":1,"name":"Ginkgo"}')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
