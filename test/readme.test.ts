import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SETTINGS } from '../src/config.ts';
import { DEFAULT_BODY_BYTES } from '../src/contract/body-limit.ts';
import { MAX_DEPTH } from '../src/contract/json.ts';
import { ERROR_NUMBERS, YAML } from './support/app.ts';
import { page } from './support/readme.ts';
import { ROOT } from './support/service.ts';

const README = page('README');

describe('README', () => {
  test('has the error numbers of the contract: run `npm run generate`', () => {
    const rows = [...README.matchAll(/^\| (\d{5}) \| (.+?) +\|$/gm)].map(([, number, meaning]) => [number, meaning]);
    expect(rows).toEqual(Object.entries(ERROR_NUMBERS));
  });

  test('names files that exist in the way of a create', () => {
    const [, way = ''] = README.split('| step ');
    const cells = Array.from(way.split('\n\n')[0]?.matchAll(/\| (`[^|]+`.*?) +\|/g) ?? [], ([, files = '']) => files);
    const files = cells.flatMap((cell) => {
      const [first = '', ...others] = Array.from(cell.matchAll(/`([\w/.-]+)`/g), ([, file = '']) => file);
      return [first, ...others.map((file) => join(file.includes('/') ? '' : dirname(first), file))];
    });
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(join(ROOT, 'src', file)))).toEqual([]);
  });

  test('has the limits of the contract', () => {
    expect(README).toContain(`body ${DEFAULT_BODY_BYTES / 1024} KiB`);
    expect(YAML).toContain(`at most ${DEFAULT_BODY_BYTES / 1024} KiB`);
    expect(README).toContain(`at most ${MAX_DEPTH} levels`);
    expect(YAML).toContain(`at most ${MAX_DEPTH} levels deep`);
    expect(YAML).toContain('minLength: 1\n      maxLength: 1000');
    expect(YAML).toContain('maxLength: 200');
    expect(README).toContain('`name` 1 to 1,000 characters, `tag` up to 200');
  });

  test('has every setting, with its default and its meaning, as the service has them', () => {
    const rows = [...README.matchAll(/^\| `([A-Z_]+)` +\| (?:`(\S+)`)? +\| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
    const settings = Object.entries<{ readonly default?: string; readonly meaning: string }>(SETTINGS);
    expect(rows).toEqual(settings.map(([name, setting]) => [name, setting.default, setting.meaning]));
  });

  test('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = README.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g);
    const names = [...named].map(([, script, short]) => script ?? short);
    expect(names).toContain('generate');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });
});
