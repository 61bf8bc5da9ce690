import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { page } from '../support/readme.ts';
import { ROOT } from '../support/service.ts';

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
  readonly deprecated?: string;
  readonly engines?: { readonly node?: string };
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as unknown;
const { packages } = readJson('package-lock.json') as { packages: Readonly<Record<string, Package>> };
const installed = Object.entries(packages).filter(([folder]) => folder !== '');

/** Licences whose only condition is to keep their notice. */
const HARMLESS = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense', 'Python-2.0'];

test('each production package has a licence whose only condition is to keep its notice', () => {
  const shipped = installed.filter(([, { dev }]) => dev !== true);
  expect(shipped.length).toBeGreaterThan(100);
  const others = shipped.filter(([folder, { license }]) => !HARMLESS.includes(license ?? licenceOf(folder)));
  expect(others).toEqual([]);
});

/** Reads the licence from the package: the lock file lacks the licences of old packages. */
function licenceOf(folder: string): string {
  const path = join(folder, 'package.json');
  const { licenses } = (existsSync(join(ROOT, path)) ? readJson(path) : {}) as { licenses?: { type: string }[] };
  return licenses?.map(({ type }) => type).join(' AND ') ?? 'none';
}

test('no package is deprecated or needs a Node newer than 20, so `npm ci` prints no warning', () => {
  const warned = installed.filter(
    ([, { deprecated, engines }]) => deprecated !== undefined || /^>=? ?2[1-9]/.test(engines?.node ?? ''),
  );
  expect(warned).toEqual([]);
});

test('README and docs/deployment.md name the oldest Node and npm of `engines`', () => {
  const { engines } = readJson('package.json') as { engines: Record<'node' | 'npm', string> };
  const [node, npm] = [engines.node, engines.npm].map((range) => range.replace('>=', ''));
  const told = `Node ${node ?? ''} or later with npm ${npm ?? ''} or later`;
  for (const name of ['README', 'deployment']) expect(page(name).replaceAll('\n', ' ')).toContain(told);
});

test('CONTRIBUTING.md gives a reason for each package', () => {
  const { dependencies, devDependencies, optionalDependencies } = readJson('package.json') as Record<string, object>;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const [, section = ''] = /^## Packages\n(.*)/ms.exec(page('CONTRIBUTING')) ?? [];
  const rows = [...section.matchAll(/^\| (`.+?) +\| /gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(.+?)`/g)]);
  const told = rows.map(([, name = '']) => name.replace('…', ''));
  const covers = (each: string, name: string) => (/[-/]$/.test(each) ? name.startsWith(each) : name === each);
  expect(names.filter((name) => !told.some((each) => covers(each, name)))).toEqual([]);
  expect(told.filter((each) => !names.some((name) => covers(each, name)))).toEqual([]);
});
