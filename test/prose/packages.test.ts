import { existsSync, globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { untestedValidator } from '../../packages/contract/src/validator/self-test.ts';
import { TESTED_NODES } from '../../packages/trellis/src/http/node-http.ts';
import { page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT } from '../../packages/trellis/test/support/service.ts';
import { isIn } from '../../packages/trellis/tools/peers.ts';

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly deprecated?: string;
  readonly engines?: { readonly node?: string };
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as unknown;
const { packages } = readJson('package-lock.json') as { packages: Readonly<Record<string, Package>> };
// Without the workspaces themselves.
const installed = Object.entries(packages).filter(([folder, { link }]) => folder.includes('node_modules/') && !link);

interface Declared {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const declared = (folder: string) => readJson(join(folder, 'package.json')) as Declared;

/** Licences whose only condition is to keep their notice. */
const HARMLESS = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense', 'Python-2.0'];

test('each production package has a licence whose only condition is to keep its notice, and CONTRIBUTING.md names it', () => {
  const shipped = installed.filter(([, { dev, devOptional }]) => !dev && !devOptional);
  expect(shipped.length).toBeGreaterThan(100);
  const licences = new Set(shipped.map(([folder, { license }]) => license ?? licenceOf(folder)));
  expect(HARMLESS).toEqual(expect.arrayContaining([...licences]));
  const [, named = ''] = /has one of the licences ([^(]*)/.exec(page('CONTRIBUTING')) ?? [];
  expect(
    named
      .trim()
      .split(/,\s+|\s+and\s+/)
      .toSorted(),
  ).toEqual([...licences].toSorted());
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

/** The rows of the table in CONTRIBUTING.md, each of some packages; `…` stands for the rest of their names. */
const [, listed = ''] = /^## Packages\n(.*)/ms.exec(page('CONTRIBUTING')) ?? [];
const rows = Array.from(listed.matchAll(/^\| (`.+?) +\| (\S+) +\| /gm), ([, cell = '', licence]) => ({
  told: Array.from(cell.matchAll(/`(.+?)`/g), ([, name = '']) => name.replace('…', '')),
  licence,
}));
const covers = (each: string, name: string) => (/[-/]$/.test(each) ? name.startsWith(each) : name === each);

test('CONTRIBUTING.md gives a reason for each package', () => {
  const { devDependencies, optionalDependencies } = readJson('package.json') as Record<string, object>;
  const { dependencies } = declared('packages/trellis');
  const { 'trellis-contract': _, ...named } = { ...dependencies, ...declared('packages/contract').dependencies };
  const peers = declared('packages/trellis/lab/bench/peers').dependencies;
  const names = Object.keys({ ...named, ...devDependencies, ...optionalDependencies, ...peers });
  const told = rows.flatMap((row) => row.told);
  expect(names.filter((name) => !told.some((each) => covers(each, name)))).toEqual([]);
  expect(told.filter((each) => !names.some((name) => covers(each, name)))).toEqual([]);
});

test('CONTRIBUTING.md tells the licence that each package has', () => {
  const direct = installed
    .map(([folder, { license }]) => [folder.replace('node_modules/', ''), license ?? licenceOf(folder)] as const)
    .filter(([name]) => !name.includes('/node_modules/'))
    .filter(([name]) => rows.some(({ told }) => told.some((each) => covers(each, name))));
  expect(direct.length).toBeGreaterThan(rows.length);
  const wrong = direct.filter(([name, licence]) =>
    rows.some((row) => row.told.some((each) => covers(each, name)) && row.licence !== licence),
  );
  expect(wrong).toEqual([]);
});

test.each(['express', 'express-openapi-validator', 'swagger-ui-express'])(
  'one copy of %s runs, at the version that package.json lists, in the bank too',
  (name) => {
    const version = declared('.').dependencies[name] ?? '';
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(declared('examples/bank').dependencies[name]).toBe(version);
    const copies = installed.filter(([folder]) => folder.endsWith(`node_modules/${name}`));
    expect(copies).toEqual([[`node_modules/${name}`, expect.objectContaining({ version })]]);
    const running = findPackageJSON(name, join(ROOT, 'packages/trellis/src/index.ts')) ?? '';
    expect(JSON.parse(readFileSync(running, 'utf8'))).toMatchObject({ version });
  },
);

test('both packages allow each package in the same range, and a new service gets the versions that develop this repository', () => {
  const { dependencies, peerDependencies = {} } = declared('packages/trellis');
  const { 'trellis-contract': _, ...ranges } = { ...dependencies, ...peerDependencies };
  expect(Object.entries(ranges).filter(([, range]) => /^\d/.test(range))).toEqual([]);
  const ofContract = declared('packages/contract');
  expect(ofContract.peerDependencies).toEqual(peerDependencies);
  expect({ ...ofContract.dependencies, ...ranges }).toMatchObject(ofContract.dependencies);
  const { devDependencies = {} } = declared('packages/trellis/template');
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(Object.keys(peerDependencies)));
  expect(declared('.').devDependencies).toMatchObject(devDependencies);
  const wrong = Object.entries(peerDependencies).filter(([name, range]) => !isIn(range, devDependencies[name] ?? ''));
  expect(wrong).toEqual([]);
});

test('the installed Node and validator have versions that the tests are for', () => {
  const { optionalDependencies } = readJson('package.json') as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(pinned.length).toBeGreaterThan(1);
  expect(pinned.filter(([, version]) => !TESTED_NODES.includes(version))).toEqual([]);
  expect(untestedValidator()).toBeUndefined();
});

/** What a file imports from packages. */
const packagesOf = (file: string) =>
  Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(
      /^(?:(?:import|export|\}) .*from |import )'([^.'][^']*)'|(?:import|require)\('([^.'][^']*)'\)/gm,
    ),
    ([, name = '', atRunTime = '']) => name || atRunTime,
  )
    .filter((name) => !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);

// A service also finds a package that only another package needs, until that one no longer needs it.
test.each([
  ['packages/contract', 'packages/contract/{src,tools}/**/*.ts'],
  ['packages/trellis', 'packages/trellis/{src,tools,testing}/**/*.ts'],
  ['.', 'src/**/*.ts'],
  ['examples/bank', 'examples/bank/{main.ts,service/**/*.ts}'],
])('package.json of %s has each package that its sources import', (folder, sources) => {
  const { dependencies, peerDependencies = {} } = readJson(join(folder, 'package.json')) as Record<string, object>;
  const files = globSync(sources, { cwd: ROOT });
  expect(files.length).toBeGreaterThan(3);
  const imported = new Set(files.flatMap(packagesOf));
  expect(imported.size).toBeGreaterThan(0);
  expect([...imported].filter((name) => !(name in { ...dependencies, ...peerDependencies }))).toEqual([]);
});
