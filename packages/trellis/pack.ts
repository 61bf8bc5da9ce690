import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import contractJson from '../contract/package.json' with { type: 'json' };
import packageJson from './package.json' with { type: 'json' };

// `npm run pack` makes trellis-VERSION.tgz, and prints its path last. The package has JavaScript and declarations, as
// Node strips no types beneath node_modules.

const FROM = import.meta.dirname;
const ROOT = join(FROM, '../..');
const CONTRACT = join(ROOT, 'packages/contract');
const TO = mkdtempSync(join(tmpdir(), 'trellis-'));

const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '--project', join(FROM, 'tsconfig.pack.json'), '--outDir', join(TO, 'out')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
// The tarball is one package: the files of trellis-contract are in a folder of it, which no registry is asked for.
cpSync(join(TO, 'out/trellis'), TO, { recursive: true });
cpSync(join(TO, 'out/contract'), join(TO, 'contract'), { recursive: true });
rmSync(join(TO, 'out'), { recursive: true });
const doors = new Map(
  Object.entries(contractJson.exports).map(([door, file]) => [
    join(contractJson.name, door),
    join(TO, 'contract', file.replace(/\.ts$/, '.js')),
  ]),
);
const printer = ts.createPrinter({ removeComments: true });
for (const file of globSync('**/*.{js,d.ts}', { cwd: TO })) {
  const emitted = readFileSync(join(TO, file), 'utf8');
  // Comments are in the sources, and those of what a service imports in the declarations.
  const text = file.endsWith('.js')
    ? printer.printFile(ts.createSourceFile(file, emitted, ts.ScriptTarget.Latest))
    : emitted;
  const within = text.replaceAll(/(['"])(trellis-contract(?:\/\w+)?)\1/g, (named, quote: string, door: string) => {
    const path = doors.get(door);
    const from = path && relative(join(TO, file, '..'), path);
    return from === undefined ? named : `${quote}${from.startsWith('.') ? from : `./${from}`}${quote}`;
  });
  if (within !== emitted) writeFileSync(join(TO, file), within);
}
// Keeps only the declarations that the types of an import need.
const needed = new Set<string>();
function need(declarations: string): void {
  if (needed.has(declarations)) return;
  needed.add(declarations);
  const text = readFileSync(join(TO, declarations), 'utf8');
  for (const [, path = ''] of text.matchAll(/['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g))
    need(join(dirname(declarations), `${path}.d.ts`));
}
for (const file of Object.values(packageJson.exports)) need(join(file.replace(/\.ts$/, '.d.ts')));
for (const file of globSync('**/*.d.ts', { cwd: TO })) if (!needed.has(file)) rmSync(join(TO, file));
// The pages have links to the bank, which has one operation of each kind. Its types are as `generate` writes them.
for (const each of ['openapi.yaml', 'main.ts', 'service'])
  cpSync(join(ROOT, 'examples/bank', each), join(TO, 'examples/bank', each), { recursive: true });
for (const each of ['README.md', 'CHANGELOG.md', 'docs', 'template', 'template-own', 'src/pages/docs.css'])
  cpSync(join(FROM, each), join(TO, each), { recursive: true });
for (const each of ['README.md', 'docs']) cpSync(join(CONTRACT, each), join(TO, 'contract', each), { recursive: true });
for (const page of globSync('{,contract/}{CHANGELOG.md,README.md,docs/*.md}', { cwd: TO })) {
  const text = readFileSync(join(TO, page), 'utf8');
  const from = '../'.repeat(page.split('/').length - 1);
  const within = text
    .replaceAll(/(?:\.\.\/)+examples\//g, `${from}examples/`)
    .replaceAll(/(?:\.\.\/)+contract\//g, `${from}contract/`)
    .replaceAll(/(?:\.\.\/)+trellis\//g, from);
  writeFileSync(join(TO, page), within);
}
cpSync(join(ROOT, 'LICENSE'), join(TO, 'LICENSE'));
mkdirSync(join(TO, 'bin'));
const bin = readFileSync(join(FROM, 'bin/trellis'), 'utf8').replace(".ts'", ".js'");
writeFileSync(join(TO, 'bin/trellis'), bin, { mode: 0o755 });

const exported = Object.entries(packageJson.exports).map(([name, file]) => {
  const path = file.replace(/\.ts$/, '');
  return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
});
const { private: _, scripts: __, dependencies, ...described } = packageJson;
const { 'trellis-contract': ___, ...own } = dependencies;
const all = Object.entries({ ...own, ...contractJson.dependencies }).toSorted(([one], [other]) =>
  one < other ? -1 : 1,
);
const text = {
  ...described,
  dependencies: Object.fromEntries(all),
  engines: { node: '>=24' },
  exports: Object.fromEntries(exported) as object,
};
writeFileSync(join(TO, 'package.json'), `${JSON.stringify(text, null, 2)}\n`);

mkdirSync(join(ROOT, '.cache'), { recursive: true });
const npm = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(ROOT, '.cache'), TO];
const name = execFileSync('npm', npm, { encoding: 'utf8' }).trim();
rmSync(TO, { recursive: true });
console.log(join(ROOT, '.cache', name));
