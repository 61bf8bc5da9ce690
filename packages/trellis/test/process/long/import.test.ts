import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importStdin, lines, look, place } from '../../support/item-store.ts';
import { percentile, whileServing } from '../../support/crowd.ts';
import { inTime } from '../../support/in-time.ts';
import { runProcess, startService } from '../../support/service.ts';

describe('an import', () => {
  test('stores 400,000 lines with a heap that cannot hold them', async () => {
    const { folder, environment } = await place();
    // 80 MB are enough. An import that read ahead of the store needed more than 96 MB for 250,000 lines.
    const heap = { ...environment, NODE_OPTIONS: '--max-old-space-size=96' };
    const { write, end, ended, stdout } = importStdin({ folder, environment: heap });
    for (let first = 0; first < 400_000; first += 10_000) await write(lines(10_000, first));
    end();
    expect(await ended).toBe(0);
    expect(stdout()).toContain('400000 created');
  });

  test('does not keep a running service from creating items', async () => {
    await inTime(async () => {
      const { folder, database, environment } = await place();
      const service = await startService(environment);
      writeFileSync(join(folder, 'items.ndjson'), lines(100_000));
      const imported = runProcess(['import', 'items.ndjson'], environment, folder);
      const times = await whileServing(service, -1_000_000, imported);
      expect(await imported).toMatchObject({ code: 0 });
      expect(service.log().filter(({ status }) => status === 503)).toEqual([]);
      expect({ p50: percentile(times, 0.5) < 500, all: percentile(times, 1) < 2000 }).toEqual({ p50: true, all: true });
      await service.stop();
      expect(look(database)).toBe(100_000 + times.length);
    });
  });
});
