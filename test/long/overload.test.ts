import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Crowd, percentile, whileServing } from '../support/crowd.ts';
import type { Flood, Flooded } from '../support/flood.ts';
import { ROOT, type Service, start, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

/**
 * What the service must do with, whatever clients do: V8 ends a process whose heap would grow beyond it. What it takes
 * of the machine says less, as V8 lets garbage grow where memory is plenty.
 */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=400 --max-semi-space-size=16' };

/**
 * How long the slowest of a hundred creates of somebody else may take meanwhile, in milliseconds: some 400 on an idle
 * machine, and half a minute for a service that reads all that is sent.
 */
const LONGEST_MS = 5000;

const FLOOD = fileURLToPath(new URL('../support/flood.ts', import.meta.url));

describe('with more work than it can do the service', () => {
  test.each([
    ['many connections that do not wait for answers', { connections: 50, together: 100, waits: false }],
    ['thousands of clients at once', { connections: 5000, together: 1, waits: true }],
  ])('%s: answers what it takes, refuses what is too much, keeps its memory', async (_name, extent) => {
    const folder = temporaryFolder();
    const path = join(folder, 'plants.db');
    const service = await startService({ DATABASE_URL: `sqlite:${path}`, ...HEAP });
    const { url, token } = service;
    const file = join(folder, 'created');
    const options: Flood = { url, token, seconds: 4, file, ...extent };
    const flood = start(process.execPath, [FLOOD, JSON.stringify(options)], {}, ROOT);
    const times = await whileServing(service, 1_000_000_000, flood.ended);
    expect(flood.stderr()).toBe('');
    const flooded = JSON.parse(flood.stdout()) as Flooded;
    expect(flooded.wrong).toEqual([]);
    expect(flooded.created).toBeGreaterThan(1000);
    if (!extent.waits) expect(flooded.refused + flooded.closed).toBeGreaterThan(0);
    expect(percentile(times, 0.99)).toBeLessThan(LONGEST_MS);
    expect(await service.stop()).toBe(0);
    const database = new DatabaseSync(path);
    const stored = new Set(
      database
        .prepare('select id from plants')
        .all()
        .map((row) => Number(row['id'])),
    );
    database.close();
    const lost = readFileSync(file, 'utf8')
      .split('\n')
      .filter((id) => !stored.has(Number(id)));
    expect(lost).toEqual([]);
  });
});

describe('others are served while', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(HEAP);
  });
  afterAll(() => service.stop());

  const head = (length: number) =>
    `POST /plants HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  let firstId = 0;
  /** Lets a polite client send while others do what they do, for some seconds. */
  async function expectService(work: Promise<unknown>): Promise<void> {
    const times = await whileServing(service, (firstId += 1_000_000), work);
    expect(percentile(times, 0.99)).toBeLessThan(LONGEST_MS);
  }

  test('eighty clients send a thousand requests each, read the answers, and stay', async () => {
    using crowd = new Crowd(service);
    const requests = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000);
    const chatting = (async () => {
      for (let client = 0; client < 80; client++) {
        const [socket] = await crowd.join(1);
        let [answers, rest] = [0, ''];
        await new Promise<void>((resolve) => {
          socket?.on('data', (chunk: Buffer) => {
            const parts = (rest + chunk.toString('latin1')).split('HTTP/1.1 404');
            answers += parts.length - 1;
            // The next one may have begun.
            rest = parts.at(-1)?.slice(-11) ?? '';
            if (answers === 1000) resolve();
          });
          socket?.on('close', resolve);
          socket?.write(requests);
        });
      }
    })();
    await expectService(chatting);
    expect(crowd.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(80);
  });

  test('ten thousand connections are idle', async () => {
    using crowd = new Crowd(service);
    const joining = (async () => {
      for (let joined = 0; joined < 10_000; joined += 500) await crowd.join(500);
    })();
    await expectService(joining);
    expect(crowd.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(10_000);
    await expectService(sleep(1000));
  });

  test('a thousand clients ask for something, and are gone without a word', async () => {
    const answered = (async () => {
      for (let round = 0; round < 10; round++) {
        using crowd = new Crowd(service);
        for (const socket of await crowd.join(100)) {
          socket.write(head(30) + `{"id":${round},"name":"half`);
          socket.resetAndDestroy();
        }
        await sleep(100);
      }
    })();
    await expectService(answered);
  });
});
