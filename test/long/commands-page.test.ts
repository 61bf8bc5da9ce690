import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, start } from '../../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { plantStore } from '../support.ts';

const PAGE = page('commands');

test('docs/commands.md names every command', async () => {
  const { stdout } = await plantStore(['--help'], {});
  for (const [, name = ''] of stdout.matchAll(/^ {2}(?!help)([a-z]+)/gm)) {
    expect(PAGE).toMatch(new RegExp(`^\\| .*\`${name}[ \`]`, 'm'));
  }
});

test('each line of docs/commands.md works without a change, and `config` prints the lines on that page', async () => {
  const folder = temporaryFolder();
  // This folder replaces the folders in the commands of the page.
  const here = (text: string) => text.replaceAll(/\/(etc|var\/lib\/plant-store)\//g, `${folder}/`);
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'scripts/plant-store'), join(folder, 'bin/plant-store'));
  const settings = `DATABASE_URL=sqlite:${folder}/plants.db\nPORT=3001\n`;
  writeFileSync(join(folder, '.env'), settings);
  writeFileSync(join(folder, 'plant-store.env'), settings);
  writeFileSync(join(folder, 'first.ndjson'), '{"id":1,"name":"Aloe"}\n');
  await plantStore(['import', 'first.ndjson'], {}, folder);
  await plantStore(['token', 'create', 'app'], {}, folder);
  const lines = [...PAGE.matchAll(/^plant-store .*$/gm)].map(([line]) => here(line));
  expect(lines.length).toBeGreaterThan(10);
  let printed = '';
  for (const line of lines) {
    const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, JWT_ISSUER: '' };
    const shell = start('bash', ['--norc', '-c', line], environment, folder);
    const code = await shell.ended;
    const stderr = line.includes('token create') ? expect.stringContaining('plants.db') : '';
    expect([line, code, shell.stderr()]).toEqual([line, 0, stderr]);
    printed += shell.stdout();
  }
  expect(readFileSync(join(folder, 'plants.csv'), 'utf8')).toBe('id,name,tag\n1,Aloe,\n');
  expect(existsSync(join(folder, 'plants.ndjson'))).toBe(true);
  const narrow = (text: string) => here(text).replaceAll(/ {2,}/g, '  ').split('\n');
  const [, shown = ''] = /```text\n(.*?)\n```/s.exec(PAGE) ?? [];
  expect(narrow(printed)).toEqual(expect.arrayContaining([...narrow(shown), 'app']));
});
