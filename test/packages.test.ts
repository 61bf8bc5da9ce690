import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './support/service.ts';

interface Package {
  readonly license?: string;
  /** How old packages have it. */
  readonly licenses?: readonly { readonly type: string }[];
}
interface Locked extends Package {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as unknown;
const direct = readJson('package.json') as Readonly<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
>;
const { packages: locked } = readJson('package-lock.json') as { packages: Readonly<Record<string, Locked>> };

/** The licence of a package by its folder; one for another platform is not installed. */
function licenceOf(folder: string): string | undefined {
  const path = join(folder, 'package.json');
  const { license, licenses } = existsSync(join(ROOT, path)) ? (readJson(path) as Package) : (locked[folder] ?? {});
  return license ?? licenses?.map(({ type }) => type).join(' AND ');
}

const [, section = ''] = /^### Packages\n(.*?)^## /ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
const documented = [...section.matchAll(/^\| (`.+?) +\| (\S+) +\| /gm)].flatMap(([, names = '', licence]) =>
  [...names.matchAll(/`(.+?)`/g)].map(([, name = '']) => ({ name, licence })),
);
const covers = (name: string, each: string) =>
  name.endsWith('…') ? each.startsWith(name.slice(0, -1)) : each === name;

/** Licences that ask no more of those who use the service than to keep a notice. */
const HARMLESS = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense', 'Python-2.0'];

describe('the packages in the README', () => {
  const names = Object.keys({ ...direct.dependencies, ...direct.optionalDependencies, ...direct.devDependencies });

  test.each(names)('have %s, with its licence', (name) => {
    const rows = documented.filter((row) => covers(row.name, name));
    expect(rows.map(({ licence }) => licence)).toEqual([licenceOf(`node_modules/${name}`)]);
  });

  test('are no others', () => {
    expect(documented.filter((row) => !names.some((name) => covers(row.name, name)))).toEqual([]);
  });

  test('are counted right, with those that they need, and none of these has a licence that asks for more', () => {
    const shipped = Object.entries(locked).filter(([folder, { dev }]) => folder !== '' && dev !== true);
    const platforms = Object.keys(direct.optionalDependencies).map((name) => `node_modules/${name}`);
    expect(shipped.map(([folder]) => folder)).toEqual(expect.arrayContaining(platforms));
    // Of these, one is installed.
    const folders = shipped.map(([folder]) => folder).filter((folder) => !platforms.slice(1).includes(folder));
    const counts: Record<string, number> = {};
    for (const folder of folders) {
      const licence = licenceOf(folder) ?? 'none';
      expect({ folder, harmless: HARMLESS.includes(licence) }).toEqual({ folder, harmless: true });
      counts[licence] = (counts[licence] ?? 0) + 1;
    }
    expect(section).toContain(`${folders.length} packages ship`);
    const told = [...section.matchAll(/(\d+)\s+under\s+([\w.-]*\w)/g)].map(([, count, licence]) => [
      licence,
      Number(count),
    ]);
    expect(Object.fromEntries(told)).toEqual(counts);
  });
});
