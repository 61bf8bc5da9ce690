import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLog } from '../../../src/observability/log.ts';

test('the log tells each line that it has dropped once', async () => {
  let isGone = false;
  let written = '';
  const write = (text: string | Uint8Array) => {
    if (isGone) throw new Error('the reader of stdout is gone');
    written += text.toString();
    return true;
  };
  const log = createLog('info', { write });
  for (const [lost, all] of [
    [2, 2],
    [3, 5],
  ] as const) {
    isGone = true;
    for (let line = 0; line < lost; line++) log.logger.info('lost');
    while (log.dropped() < all) await sleep(5);
    isGone = false;
    const before = written;
    while (written === before) await log.flush();
  }
  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly lines: number; readonly msg: string });
  expect(lines.map(({ lines, msg }) => [lines, msg])).toEqual([
    [2, 'log lines were dropped: stdout could not be written'],
    [3, 'log lines were dropped: stdout could not be written'],
  ]);
});
