import { describe, expect, test } from '@jest/globals';
import { Progress, progressLine } from '../../src/commands/progress.ts';

const HALF = { items: 500_000, share: 0.5, seconds: 4 };

describe('what is told of progress', () => {
  test.each([
    ['all of it', HALF, 42, ' 50 %  500,000 plants  125,000/s  4 s left'],
    ['no time', HALF, 36, ' 50 %  500,000 plants  125,000/s'],
    ['no rate', HALF, 24, ' 50 %  500,000 plants'],
    ['a part of the share', HALF, 3, ' 50'],
    ['no share where none is known', { ...HALF, share: undefined }, 79, '500,000 plants  125,000/s'],
    ['nothing yet', { items: 0, share: 0, seconds: 0 }, 40, '  0 %  0 plants  0/s'],
    ['no more than all, of a file that grew', { ...HALF, share: 1.2 }, 29, '100 %  500,000 plants'],
    ['minutes', { items: 60, share: 0.5, seconds: 90 }, Infinity, ' 50 %  60 plants  1/s  2 min left'],
  ])('is %s', (_what, advance, width, line) => {
    expect(progressLine(advance, width)).toBe(line);
  });

  test('comes ten times a second at most to a terminal, where it is taken back, and rarely to others', async () => {
    const outputTo = (texts: string[], isTTY: boolean) => ({
      isTTY,
      columns: 40,
      write: (text: string | Uint8Array) => texts.push(String(text)) > 0,
    });
    const [onTerminal, inFile]: [string[], string[]] = [[], []];
    const [terminal, file] = [new Progress(outputTo(onTerminal, true)), new Progress(outputTo(inFile, false))];
    for (const end = performance.now() + 450; performance.now() < end; await new Promise(setImmediate)) {
      terminal.update(1000, 0.5);
      file.update(1000, 0.5);
    }
    terminal.say('a line');
    expect(inFile).toEqual([]);
    expect(onTerminal.length).toBeGreaterThan(2);
    expect(onTerminal.length).toBeLessThan(8);
    expect(onTerminal[0]).toMatch(/^\r 50 % {2}1,000 plants {2}[\d,]+\/s {2}1 s left/);
    expect(onTerminal.slice(-2)).toEqual(['\r\x1b[K', 'a line\n']);
  });
});
