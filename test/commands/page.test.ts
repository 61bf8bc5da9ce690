import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { page } from '../support/readme.ts';
import { plantStore, ROOT, start } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PAGE = page('commands');

test('each line of docs/commands.md works as it stands, and `config` prints the lines on that page', async () => {
  const folder = temporaryFolder();
  // This folder stands for the folders that the page names.
  const here = (text: string) => text.replaceAll(/\/(etc|var\/lib\/plant-store)\//g, `${folder}/`);
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'scripts/plant-store'), join(folder, 'bin/plant-store'));
  const settings = `DATABASE_URL=sqlite:${folder}/plants.db\nPORT=3001\n`;
  writeFileSync(join(folder, '.env'), settings);
  writeFileSync(join(folder, 'plant-store.env'), settings);
  await plantStore(['token', 'create', 'app'], {}, folder);
  const lines = [...PAGE.matchAll(/^plant-store .*$/gm)].map(([line]) => here(line));
  expect(lines.length).toBeGreaterThan(3);
  let printed = '';
  for (const line of lines) {
    const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, JWT_ISSUER: '' };
    const shell = start('bash', ['--norc', '-c', line], environment, folder);
    expect([line, await shell.ended, shell.stderr()]).toEqual([line, 0, '']);
    printed += shell.stdout();
  }
  expect(existsSync(join(folder, 'plants.ndjson'))).toBe(true);
  const narrow = (text: string) => here(text).replaceAll(/ {2,}/g, '  ').split('\n');
  const [, shown = ''] = /```text\n(.*?)\n```/s.exec(PAGE) ?? [];
  expect(narrow(printed)).toEqual(expect.arrayContaining([...narrow(shown), 'app']));
});
