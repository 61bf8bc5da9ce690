import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, start } from '../../../packages/trellis/test/support/service.ts';

const FOLDER = join(import.meta.dirname, '..');
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('README leads to files that exist', () => {
  const links = Array.from(README.matchAll(/\]\(([^)#]+)/g), ([, path = '']) => path);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((path) => !existsSync(join(FOLDER, path)))).toEqual([]);
});

test('README says how many lines the bank has', () => {
  const files = ['main.ts', ...globSync('service/*.ts', { cwd: FOLDER })];
  const lines = files.map((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n').length - 1);
  const [, told] = /Some (\d+) lines/.exec(README) ?? [];
  expect(Math.abs(lines.reduce((sum, each) => sum + each) - Number(told))).toBeLessThan(25);
});

test('README begins with a command that runs the bank', async () => {
  const [command = ''] = /^npm run bank -- \w+$/m.exec(README) ?? [];
  expect(README.indexOf(command)).toBeLessThan(40);
  const { ended, stdout } = start('bash', ['-c', `${command} --help`], {}, ROOT);
  expect(await ended).toBe(0);
  expect(stdout()).toContain('serve');
});
