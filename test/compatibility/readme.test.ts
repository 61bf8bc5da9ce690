import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { RULES } from '../../scripts/compatibility/rules.ts';
import { ROOT } from '../support/service.ts';

test('the README has the rules of compatibility', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, section = ''] = /^### Releasing\n(.*?)^##+ /ms.exec(readme) ?? [];
  const told = [...section.matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
  const cell = (verdict: string | undefined) =>
    verdict === undefined ? '–' : verdict === 'compatible' ? verdict : 'breaks';
  expect(told.slice(2)).toEqual(
    Object.entries(RULES).map(([name, { request, reply, because }]) => [name, cell(request), cell(reply), because]),
  );
});
