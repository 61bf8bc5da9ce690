import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { Client, type EngineName, ENGINES, startOn, type TestInstance } from 'trellis/testing';
import { page } from '../support/readme.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from '../support/until.ts';
import { service } from '../services/bookings/index.ts';

const FOLDER = join(import.meta.dirname, '../services/bookings');
const ROOM = { room: 'Kew', cents: 9007199254740993n };
interface Booking {
  readonly id: string;
}

/** A new store, and a function that changes it as an operator might. */
async function newStore(engine: EngineName) {
  if (engine === 'SQLite') {
    const path = join(temporaryFolder(), 'bookings.db');
    const run = (sql: string) => {
      using database = new DatabaseSync(path);
      return Promise.resolve(database.prepare(sql).run());
    };
    return { url: `sqlite:${path}`, run };
  }
  const server = await sharedPostgres();
  const database = await server.createDatabase();
  return { url: server.url(database), run: (sql: string) => server.query(sql, database) };
}

/** Sends a booking, and returns what its reply has. */
async function book(client: Client, key: string, room: object) {
  const { status, headers, body } = await client.send<Booking>('POST', '/bookings', room, { 'Idempotency-Key': key });
  return { status, replayed: headers.get('Idempotent-Replayed'), body };
}
const counts = async (client: Client) =>
  (await client.send<{ bookings: bigint; keys: bigint }>('GET', '/bookings/count')).body;

test('docs/idempotency-key.md shows the code of the service that these tests run', () => {
  const shown = Array.from(page('idempotency-key').matchAll(/^```(?:yaml|ts\n\/\/ service\/(.+?))\n(.*?)^```$/gms));
  expect(shown).toHaveLength(5);
  const unindented = (text: string) => text.replaceAll(/^ +/gm, '');
  for (const [, file = 'openapi.yaml', text = ''] of shown)
    expect(unindented(readFileSync(join(FOLDER, file), 'utf8'))).toContain(unindented(text));
});

test.each(ENGINES)(
  'createBooking answers a repeated Idempotency-Key as the first time, and books once, on %s',
  async (engine) => {
    await using instance = await startOn(engine, service, { LOG_LEVEL: 'fatal' });
    const [ada, bob] = [await instance.token(), await instance.token()].map(
      (token) => new Client({ url: instance.url, service, token }),
    ) as [Client, Client];
    const first = await book(ada, 'a', ROOM);
    expect(first).toEqual({ status: 201, replayed: null, body: { ...ROOM, id: first.body.id } });
    expect(await book(ada, 'a', { cents: ROOM.cents, room: 'Kew' })).toEqual({ ...first, replayed: 'true' });
    for (const other of [
      { ...ROOM, room: 'Eden' },
      { ...ROOM, cents: 9007199254740992n },
    ])
      expect(await book(ada, 'a', other)).toMatchObject({ status: 422, body: { error: 42201 } });
    // A key is of one caller, and another key is another booking.
    const others = [await book(bob, 'a', ROOM), await book(ada, 'b', ROOM)];
    expect(others.map(({ status, replayed }) => [status, replayed])).toEqual(others.map(() => [201, null]));
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(3);
    expect(await counts(ada)).toEqual({ bookings: 3n, keys: 3n });
    for (const key of ['', 'x'.repeat(65), 'a b'])
      expect([key, (await book(ada, key, ROOM)).status]).toEqual([key, 400]);
  },
);

test.each(ENGINES)(
  'createBooking books once when one Idempotency-Key comes eight times at once, on %s',
  async (engine) => {
    await using instance = await startOn(engine, service, { LOG_LEVEL: 'fatal' });
    const client = new Client({ url: instance.url, service, token: await instance.token() });
    const answers = await Promise.all(Array.from({ length: 8 }, () => book(client, 'a', ROOM)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await counts(client)).toEqual({ bookings: 1n, keys: 1n });
  },
);

test.each(ENGINES)('createBooking keeps no Idempotency-Key of a booking that fails, on %s', async (engine) => {
  const { url, run } = await newStore(engine);
  await using instance = await startOn(engine, service, { DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const client = new Client({ url: instance.url, service, token: await instance.token() });
  expect(await book(client, 'a', ROOM)).toMatchObject({ status: 201 });
  await run('create unique index one_booking on bookings (room)');
  expect(await book(client, 'b', ROOM)).toMatchObject({ status: 500 });
  expect(await counts(client)).toEqual({ bookings: 1n, keys: 1n });
  await run('drop index one_booking');
  expect(await book(client, 'b', ROOM)).toMatchObject({ status: 201, replayed: null });
});

test.each([
  ['SQLite', 'at - 86400000'],
  ['PostgreSQL', "at - interval '24 hours'"],
] as const)('the service forgets an Idempotency-Key after 24 hours, on %s', async (engine, earlier) => {
  const { url, run } = await newStore(engine);
  const start = () => startOn(engine, service, { DATABASE_URL: url, LOG_LEVEL: 'fatal' });
  const clientOf = (instance: TestInstance, token: string) => new Client({ url: instance.url, service, token });
  let token: string;
  {
    await using instance = await start();
    token = await instance.token();
    for (const key of ['a', 'b'])
      expect(await book(clientOf(instance, token), key, ROOM)).toMatchObject({ status: 201 });
  }
  await run(`update keys set at = ${earlier} where key = 'a'`);
  await using instance = await start();
  const client = clientOf(instance, token);
  await until(async () => (await counts(client)).keys === 1n);
  expect(await book(client, 'a', ROOM)).toMatchObject({ status: 201, replayed: null });
  expect(await book(client, 'b', ROOM)).toMatchObject({ status: 201, replayed: 'true' });
});
