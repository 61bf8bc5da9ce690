import { describe, expect, jest, test } from '@jest/globals';
import { Progress, progressLine } from '../../../src/terminal/progress.ts';

const HALF = { records: 500_000, noun: 'items', share: 0.5, seconds: 4 };

describe('progress', () => {
  test.each([
    ['share, items, rate and time left', HALF, '50 %  500,000 items  125,000/s  4 s left'],
    ['no share when it does not know the whole', { ...HALF, share: undefined }, '500,000 items  125,000/s'],
    ['zeros at the start', { ...HALF, records: 0, share: 0, seconds: 0 }, '0 %  0 items  0/s'],
    ['at most 100 % when the file has grown', { ...HALF, share: 1.2 }, '100 %  500,000 items  125,000/s  0 s left'],
    ['the time left in minutes', { ...HALF, records: 60, seconds: 90 }, '50 %  60 items  1/s  2 min left'],
  ])('an import or export shows %s', (_what, advance, line) => {
    expect(progressLine(advance)).toBe(line);
  });

  test('an import or export shows its progress each ten seconds', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const written: string[] = [];
    const progress = new Progress('items', { write: (text: string | Uint8Array) => written.push(String(text)) > 0 });
    for (let ms = 0; ms <= 20_000; ms += 10) {
      clock.mockReturnValue(ms);
      progress.update(1000, 0.5);
    }
    clock.mockRestore();
    expect(written).toEqual(['50 %  1,000 items  100/s  10 s left\n', '50 %  1,000 items  50/s  20 s left\n']);
  });
});
