import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Crowd, memory, percentile, whileServing } from './support/crowd.ts';
import type { Flood, Flooded } from './support/flood.ts';
import type { Service } from './support/service.ts';
import { ROOT, start, startService } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

/**
 * What the service may take, in megabytes, whatever clients do. It holds about 300 then; where memory is plenty and the
 * processor is not, V8 lets garbage grow to several times that before it is cleared away.
 */
const MOST_MEMORY = 1900;
/**
 * How long the slowest of a hundred creates of somebody else may take meanwhile, in milliseconds: some 400 on an idle
 * machine, and half a minute for a service that reads all that is sent.
 */
const LONGEST_MS = 5000;

const FLOOD = fileURLToPath(new URL('support/flood.ts', import.meta.url));

describe('with more work than it can do the service', () => {
  test.each([
    ['many connections that do not wait for answers', { connections: 50, together: 100, waits: false }],
    ['thousands of clients at once', { connections: 5000, together: 1, waits: true }],
  ])('%s: answers what it takes, refuses what is too much, keeps its memory', async (_name, extent) => {
    const folder = temporaryFolder();
    const path = join(folder, 'plants.db');
    const service = await startService({ DATABASE_URL: `sqlite:${path}`, NODE_OPTIONS: '--max-semi-space-size=16' });
    const { url, token } = service;
    const file = join(folder, 'created');
    const options: Flood = { url, token, seconds: 4, file, ...extent };
    const flood = start(process.execPath, [FLOOD, JSON.stringify(options)], {}, ROOT);
    const times = await whileServing(service, 1_000_000_000, flood.ended);
    const { most } = memory(service);
    expect(flood.stderr()).toBe('');
    const flooded = JSON.parse(flood.stdout()) as Flooded;
    expect(flooded.wrong).toEqual([]);
    expect(flooded.created).toBeGreaterThan(1000);
    if (!extent.waits) expect(flooded.refused + flooded.closed).toBeGreaterThan(0);
    expect(percentile(times, 0.99)).toBeLessThan(LONGEST_MS);
    expect(most).toBeLessThan(MOST_MEMORY);
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
    service = await startService({ NODE_OPTIONS: '--max-semi-space-size=16' });
  });
  afterAll(async () => {
    expect(memory(service).most).toBeLessThan(MOST_MEMORY);
    await service.stop();
  });

  const head = (length: number) =>
    `POST /plants HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}\r\n\r\n`;
  let firstId = 0;
  /** Lets a polite client send while others do what they do, for some seconds. */
  async function expectService(work: Promise<unknown>): Promise<void> {
    const times = await whileServing(service, (firstId += 1_000_000), work);
    expect(percentile(times, 0.99)).toBeLessThan(LONGEST_MS);
  }

  test('ten thousand connections are idle', async () => {
    using crowd = new Crowd(service);
    const joining = (async () => {
      for (let joined = 0; joined < 10_000; joined += 500) await crowd.join(500);
    })();
    await expectService(joining);
    expect(crowd.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(10_000);
    await expectService(sleep(1000));
  });

  test.each([
    ['header fields', () => 'POST /plants HTTP/1.1\r\nHost: '],
    ['bodies', () => head(1000)],
  ])('a thousand clients send their %s a byte a second', async (_name, begin) => {
    using crowd = new Crowd(service);
    for (const socket of await crowd.join(1000)) socket.write(begin());
    const trickle = (async () => {
      for (let second = 0; second < 4; second++) {
        for (const socket of crowd.sockets) socket.write(' ');
        await sleep(1000);
      }
    })();
    await expectService(trickle);
    expect(crowd.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(1000);
  });

  test('a thousand clients hold back the end of a body of 60 KB; some of them are refused', async () => {
    using crowd = new Crowd(service);
    const sockets = await crowd.join(1000);
    let refused = 0;
    for (const socket of sockets) {
      socket.on('data', (chunk: Buffer) => {
        if (chunk.toString('latin1').startsWith('HTTP/1.1 503')) refused++;
      });
      socket.write(head(64_000) + ' '.repeat(60_000));
    }
    await expectService(sleep(3000));
    // 32 MB may be on their way.
    expect(refused).toBeGreaterThan(400);
    expect(refused).toBeLessThan(600);
  });

  test('two hundred clients send thousands of requests, and never read an answer', async () => {
    using crowd = new Crowd(service);
    const request = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100);
    for (const socket of await crowd.join(200)) {
      socket.pause();
      socket.write(request.repeat(20));
    }
    await expectService(sleep(4000));
  });

  test('a thousand clients ask for something, and are gone without a word', async () => {
    const answered = (async () => {
      for (let round = 0; round < 10; round++) {
        using crowd = new Crowd(service);
        for (const socket of await crowd.join(100)) {
          socket.write(head(30) + `{"id":${String(round)},"name":"half`);
          socket.resetAndDestroy();
        }
        await sleep(100);
      }
    })();
    await expectService(answered);
  });
});
