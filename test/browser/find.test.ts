import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** A folder with programs of these names. */
function folderOf(...names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o755 });
  return folder;
}

describe('the browser of the tests', () => {
  test('is the one that the setting names', () => {
    const own = join(folderOf('own'), 'own');
    expect(findBrowser({ CHROMIUM: own, PATH: folderOf('chromium') })).toBe(own);
  });

  test('is not another one if the setting names none', () => {
    expect(() => findBrowser({ CHROMIUM: '/none/chromium', PATH: folderOf('chromium') })).toThrow(
      'CHROMIUM must name a program, not /none/chromium',
    );
  });

  test.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'])(
    'is found on PATH: %s',
    (name) => {
      const folder = folderOf(name);
      expect(findBrowser({ CHROMIUM: '', PATH: [folderOf('other'), folder].join(':') })).toBe(join(folder, name));
    },
  );

  test('must be a program', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'chromium'), '', { mode: 0o644 });
    const found = findBrowser({ PATH: [folder, folderOf('google-chrome')].join(':') });
    expect(found).toMatch(/google-chrome$/);
  });

  test('is found among the programs of Windows', () => {
    const root = folderOf();
    const path = join(root, 'Microsoft/Edge/Application/msedge.exe');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '', { mode: 0o755 });
    expect(findBrowser({ PATH: folderOf(), ProgramFiles: root })).toBe(path);
  });
});
