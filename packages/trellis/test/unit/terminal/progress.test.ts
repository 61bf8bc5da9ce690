import { describe, expect, jest, test } from '@jest/globals';
import { Progress, progressLine } from '../../../src/terminal/progress.ts';

const HALF = { records: 500_000, noun: 'items', share: 0.5, seconds: 4 };

describe('an import or export shows', () => {
  test.each([
    ['share, items, rate and time left on a wide terminal', HALF, 42, ' 50 %  500,000 items  125,000/s  4 s left'],
    ['no time left on 36 columns', HALF, 36, ' 50 %  500,000 items  125,000/s'],
    ['no rate on 24 columns', HALF, 24, ' 50 %  500,000 items'],
    ['a part of the share on 3 columns', HALF, 3, ' 50'],
    ['no share when it does not know the whole', { ...HALF, share: undefined }, 79, '500,000 items  125,000/s'],
    ['zeros at the start', { ...HALF, records: 0, share: 0, seconds: 0 }, 40, '  0 %  0 items  0/s'],
    ['at most 100 % when the file has grown', { ...HALF, share: 1.2 }, 29, '100 %  500,000 items'],
    ['the time left in minutes', { ...HALF, records: 60, seconds: 90 }, Infinity, ' 50 %  60 items  1/s  2 min left'],
  ])('%s', (_what, advance, width, line) => {
    expect(progressLine(advance, width)).toBe(line);
  });

  test('its progress at most ten times a second on a terminal, and each ten seconds in a file', () => {
    const outputTo = (texts: string[], isTTY: boolean) => ({
      isTTY,
      columns: 40,
      write: (text: string | Uint8Array) => texts.push(String(text)) > 0,
    });
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const [onTerminal, inFile]: [string[], string[]] = [[], []];
    const [terminal, file] = [
      new Progress('items', outputTo(onTerminal, true)),
      new Progress('items', outputTo(inFile, false)),
    ];
    for (let ms = 0; ms <= 20_000; ms += 10) {
      clock.mockReturnValue(ms);
      terminal.update(1000, 0.5);
      file.update(1000, 0.5);
    }
    terminal.say('a line');
    clock.mockRestore();
    expect(inFile).toEqual(['50 %  1,000 items  100/s  10 s left\n', '50 %  1,000 items  50/s  20 s left\n']);
    expect(onTerminal).toHaveLength(202);
    expect(onTerminal[0]).toBe('\r 50 %  1,000 items  10,000/s  1 s left\x1b[K');
    expect(onTerminal.slice(-2)).toEqual(['\r\x1b[K', 'a line\n']);
  });
});
