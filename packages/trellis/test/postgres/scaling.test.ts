import { beforeAll, describe, expect, test } from '@jest/globals';
import { MAX_WAITING_BYTES, MAX_WAITING, STORE_PATIENCE_MS } from '../../src/storage/queue.ts';
import { DEADLINE, MAX } from '../../src/http/bounds.ts';
import { type Postgres, PostgresServer, sharedPostgres } from '../support/postgres.ts';
import { page } from '../support/readme.ts';
import { until } from '../support/until.ts';
import { createItem, runCommand, startInstance } from '../support/service.ts';

const POSTGRESQL = page('postgresql').replaceAll('\n', ' ');
const RELIABILITY = page('reliability');

let server: Postgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

describe('several instances', () => {
  test('instances on one PostgreSQL hold four connections each, as the manual says', async () => {
    const database = await server.createDatabase();
    const { code } = await runCommand(['migrate'], { DATABASE_URL: server.url(database) });
    expect(code).toBe(0);
    const service = await startInstance({ DATABASE_URL: server.url(database, '?application_name=counted') });
    const connections = "select pid from pg_stat_activity where application_name = 'counted'";
    let id = 0;
    // Creates that arrive together are two batches at most, each on a connection of its own.
    const countAfterCreates = async () => {
      await Promise.all(Array.from({ length: 50 }, () => createItem(service, `{"id":${id++},"name":"Ginkgo"}`)));
      return (await server.query(connections)).length;
    };
    await until(async () => (await countAfterCreates()) === 4);
    for (let time = 0; time < 3; time++) expect(await countAfterCreates()).toBe(4);
    expect(POSTGRESQL).toContain('Each instance holds four connections,');
    await service.stop();
  });

  test('instances on one PostgreSQL do not start on a server with fsync off, or on a database without UTF8', async () => {
    const careless = await PostgresServer.create({ fsync: 'off' });
    const refusal = await runCommand(['serve'], { DATABASE_URL: careless.url(), PORT: '0' });
    expect(refusal).toMatchObject({
      code: 1,
      stderr: `item-store: PostgreSQL at 127.0.0.1:${careless.port}/postgres has fsync = off: the store needs on\n`,
    });
    await careless.remove();
    const latin = await server.createDatabase("encoding 'LATIN1' template template0");
    expect((await runCommand(['serve'], { DATABASE_URL: server.url(latin), PORT: '0' })).stderr).toMatch(
      /has server_encoding = LATIN1: the store needs UTF8/,
    );
  });
});

test('docs/reliability.md has the bounds of what clients can make the service hold', () => {
  const number = (count: number) => count.toLocaleString('en');
  const [kib, mib] = [
    (bytes: number) => `${number(bytes / 1024)} KiB`,
    (bytes: number) => `${number(bytes / 2 ** 20)} MiB`,
  ];
  const second = (ms: number) => `${number(ms / 1000)} s`;
  const spare = (count: number, whom: string) => `${number(count)}, and ${number(count / 4)} for small ${whom}`;
  const bounds = [...RELIABILITY.matchAll(/^\| ([^|]*[^ |]) +\| ([^|]*[^ |]) +\|/gm)].map(
    ([, what, most]) => `${what ?? ''}: ${most ?? ''}`,
  );
  expect(bounds).toEqual(
    expect.arrayContaining([
      `connections: ${number(MAX.connections)}`,
      `target and header fields of a request: ${kib(MAX.headBytes)}, ${number(MAX.fields)} fields`,
      `a body, as sent and decompressed: ${kib(MAX.bodyBytes)}`,
      `framing of a body in chunks: ${kib(MAX.framingBytes)}, and twice the body`,
      `bodies that are arriving, as allocated: ${mib(MAX.bodies)}`,
      `requests under way: ${spare(MAX.underWay, 'callers')}`,
      `requests that do not wait for the answer: ${spare(MAX.pipelined, 'clients')}`,
      `writes that wait for the store: ${number(MAX_WAITING)}, ${mib(MAX_WAITING_BYTES)}, ${second(STORE_PATIENCE_MS)}`,
      `a reply: ${mib(MAX.reply)}`,
      `replies that wait for the client: ${mib(MAX.unsent)}`,
      `the head of a request: ${second(DEADLINE.head)}, then 408`,
      `a request, head and body: ${second(DEADLINE.request)}, and ${second(DEADLINE.progress)} without a byte, then 408`,
    ]),
  );
  expect(RELIABILITY).toContain(`have not taken within ${second(DEADLINE.room)}`);
  expect(RELIABILITY).toContain(`| ${second(DEADLINE.progress)} in which the client reads none of it`);
  expect(RELIABILITY).toContain(`| ${second(DEADLINE.idle)} (\`IDLE_TIMEOUT\`), then the connection is closed`);
  expect(POSTGRESQL).toContain(`a create waits for at most ${second(STORE_PATIENCE_MS)}`);
});
