import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// `npm run t -- FILE…` runs tests that run a file, as t.json has them, which --measure renews. Of a file that it does not
// know, they are those that mirror its name, in every tier, and the unit tests of its folder. Without a file, it takes those
// that Git says have changed. With --list, it only names the tests.

const ROOT = join(import.meta.dirname, '..');
const MAP = join(import.meta.dirname, 't.json');
const TIERS = 'packages/{contract,trellis}/test/{unit,engine,process,postgres}';

const sources = globSync('{src,test,examples,packages}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
const tests = new Set(sources.filter((file) => file.endsWith('.test.ts') && !/\/(?:long|nightly)\//.test(file)));
const importers = new Map<string, string[]>();
for (const file of sources) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, path = ''] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) {
    const imported = join(dirname(file), path);
    importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
}

const matching = (pattern: string) => globSync(pattern, { cwd: ROOT }).filter((file) => tests.has(file));

/** The tests with the name of a file: for a package, at its place in each tier; for services, in any folder of tests. */
function mirrors(file: string): string[] {
  const [, kind = '', rest = ''] = /^packages\/\w+\/(src|tools|testing)\/(.*)\.ts$/.exec(file) ?? [];
  if (rest === '') return matching(`{test,examples/*/test}/**/${basename(file, '.ts')}{,-*}.test.ts`);
  const place = kind === 'src' ? rest : `${kind}/${rest}`;
  return matching(`${TIERS}/${place}{,-*,/*}.test.ts`);
}

/** The tests that import a file, directly or through the fewest other files. */
function nearest(file: string): string[] {
  const seen = new Set([file]);
  for (let files = [file]; files.length > 0;) {
    files = files.flatMap((each) => importers.get(each) ?? []).filter((each) => !seen.has(each));
    for (const each of files) seen.add(each);
    const found = [...new Set(files.flatMap((each) => (tests.has(each) ? [each] : mirrors(each))))];
    if (found.length > 0) return found;
  }
  return [];
}

/** Tests by number, and of each source the numbers of those that run it. */
const measured = existsSync(MAP)
  ? (JSON.parse(readFileSync(MAP, 'utf8')) as { tests: string[]; sources: Partial<Record<string, string>> })
  : { tests: [], sources: {} };

function testsOf(file: string): string[] {
  if (tests.has(file)) return [file];
  const own = mirrors(file);
  const numbers = measured.sources[file];
  if (numbers !== undefined) {
    const known = numbers.split(' ').map((number) => measured.tests[Number(number)] ?? '');
    const since = own.filter((test) => !measured.tests.includes(test));
    return [...known.filter((test) => tests.has(test)), ...since];
  }
  const [, name = '', folder = ''] = /^packages\/(\w+)\/(?:src\/)?([^/]+)\//.exec(file) ?? [];
  const ofFolder = folder === '' ? [] : matching(`packages/${name}/test/unit/${folder}/**/*.test.ts`);
  return [...(own.length > 0 ? own : nearest(file)), ...ofFolder];
}

function changed(): string[] {
  const lines = execFileSync('git', ['status', '--porcelain', '--no-renames', '-uall'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return lines.split('\n').flatMap((line) => (/^ ?D/.test(line) ? [] : line.slice(3)));
}

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, measure: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.measure) process.exit((await import('./measure.ts')).measure(MAP));
const files = positionals.length > 0 ? positionals.map((file) => relative(ROOT, resolve(file))) : changed();
const chosen = [...new Set(files.filter((file) => file.endsWith('.ts')).flatMap(testsOf))];
if (values.list) console.log(chosen.join('\n'));
else if (chosen.length === 0) console.log('no test mirrors this file: run npm test');
else
  process.exitCode =
    spawnSync('npm', ['test', '--', '--runTestsByPath', ...chosen], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
