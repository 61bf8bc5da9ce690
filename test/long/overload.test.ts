import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { percentile, whileServing } from '../support/crowd.ts';
import type { Flood, Flooded } from '../support/flood.ts';
import { ROOT, start, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

// What hostile clients do, test/attacks does; these are honest, and too many.

/** V8 ends a process whose heap would grow beyond it. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=400 --max-semi-space-size=16' };

/**
 * How long the slowest of a hundred creates of another client may take meanwhile, in milliseconds: some 400 on an idle
 * machine, and half a minute for a service that reads all that is sent.
 */
const LONGEST_MS = 5000;

test.each([
  ['many connections that do not wait for answers', { connections: 50, together: 100, waits: false }],
  ['thousands of clients at once', { connections: 5000, together: 1, waits: true }],
])('with %s the service keeps what it has answered for, and refuses what is too much', async (_name, extent) => {
  const folder = temporaryFolder();
  const path = join(folder, 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${path}`, ...HEAP });
  const { url, token } = service;
  const file = join(folder, 'created');
  const options: Flood = { url, token, seconds: 4, file, ...extent };
  const program = join(ROOT, 'test/support/flood.ts');
  const flood = start(process.execPath, [program, JSON.stringify(options)], {}, ROOT);
  const times = await whileServing(service, 1_000_000_000, flood.ended);
  expect(flood.stderr()).toBe('');
  const flooded = JSON.parse(flood.stdout()) as Flooded;
  expect(flooded.wrong).toEqual([]);
  expect(flooded.created).toBeGreaterThan(1000);
  if (!extent.waits) expect(flooded.refused + flooded.closed).toBeGreaterThan(0);
  expect(percentile(times, 0.99)).toBeLessThan(LONGEST_MS);
  expect(await service.stop()).toBe(0);
  using database = new DatabaseSync(path);
  const rows = database.prepare('select id from plants').all();
  const stored = new Set(rows.map((row) => String(row['id'])));
  const acknowledged = readFileSync(file, 'utf8').split('\n');
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});
