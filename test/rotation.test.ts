import { expect, test } from '@jest/globals';
import { PostgresServer } from '../packages/trellis/test/support/postgres.ts';
import { blocks } from '../packages/trellis/test/support/readme.ts';
import { createPlant, startPlantInstance } from './support.ts';

test('a second PostgreSQL role, made by the SQL of the manual, replaces the first without a stop', async () => {
  const [second = ''] = blocks('authentication', 'Rotation', 'sql');
  const server = await PostgresServer.create();
  await server.query("create role plants login password 'secret'");
  const database = await server.createDatabase();
  await server.query(`alter database ${database} owner to plants`);
  const url = (role: string) => server.url(database, '', role);
  const first = await startPlantInstance({ DATABASE_URL: url('plants:secret') });
  const { token } = first;
  expect((await createPlant(first, '{"id":1,"name":"x"}')).status).toBe(200);

  for (const statement of second.trim().split('\n')) await server.query(statement);
  const next = await startPlantInstance({ DATABASE_URL: url('plants_b:another%20secret') });
  await server.query("alter role plants password 'changed'");
  for (const { url } of [first, next])
    expect((await createPlant({ url, token }, '{"id":2,"name":"y"}')).headers.get('Idempotent-Replayed')).toBe(
      url === next.url ? 'true' : null,
    );
  expect(await server.query("select distinct tableowner from pg_tables where schemaname = 'public'", database)).toEqual(
    [{ tableowner: 'plants' }],
  );
  await Promise.all([first.stop(), next.stop()]);
  await server.remove();
});
