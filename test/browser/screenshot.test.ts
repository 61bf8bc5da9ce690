import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, start } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { describeInBrowser } from './in-browser.ts';

/** Width and height of a PNG, from its first chunk. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  expect(png.subarray(0, 16).toString('latin1')).toBe('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

function expectPicture(path: string): void {
  const png = readFileSync(path);
  const { width, height } = sizeOf(png);
  expect(width).toBe(1280);
  // Fonts differ from machine to machine.
  expect(height).toBeGreaterThan(1200);
  expect(height).toBeLessThan(1700);
  expect(png.length).toBeLessThan(200_000);
}

describeInBrowser('npm run screenshot', () => {
  test('takes the picture of the README', async () => {
    const path = join(temporaryFolder(), 'docs.png');
    const { PATH = '', CHROMIUM = '' } = process.env;
    const command = start(process.execPath, ['test/browser/screenshot.ts', path], { PATH, CHROMIUM }, ROOT);
    expect({ code: await command.ended, stderr: command.stderr() }).toEqual({ code: 0, stderr: '' });
    expectPicture(path);
  });
});

test('the README has such a picture', () => {
  const [, path = ''] = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  expectPicture(join(ROOT, path));
});
