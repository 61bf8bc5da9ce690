import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import packageJson from './package.json' with { type: 'json' };

// `npm run pack` makes trellis-VERSION.tgz, and prints its path last. The package has JavaScript and declarations, as
// Node strips no types beneath node_modules.

const FROM = import.meta.dirname;
const ROOT = join(FROM, '../..');
const TO = mkdtempSync(join(tmpdir(), 'trellis-'));

const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '--project', join(FROM, 'tsconfig.pack.json'), '--outDir', TO], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
// Keeps only the declarations that the types of an import need.
const needed = new Set<string>();
function need(declarations: string): void {
  if (needed.has(declarations)) return;
  needed.add(declarations);
  const text = readFileSync(join(TO, declarations), 'utf8');
  for (const [, path = ''] of text.matchAll(/['"](\.{1,2}\/[^'"]+)\.ts['"]/g))
    need(join(dirname(declarations), `${path}.d.ts`));
}
for (const file of Object.values(packageJson.exports)) need(join(file.replace(/\.ts$/, '.d.ts')));
for (const file of globSync('**/*.d.ts', { cwd: TO })) if (!needed.has(file)) rmSync(join(TO, file));
// The pages have links to the bank, which has one operation of each kind. Its types are as `generate` writes them.
for (const each of ['openapi.yaml', 'main.ts', 'service'])
  cpSync(join(ROOT, 'examples/bank', each), join(TO, 'examples/bank', each), { recursive: true });
for (const each of ['README.md', 'CHANGELOG.md', 'docs', 'template', 'src/pages/docs.css'])
  cpSync(join(FROM, each), join(TO, each), { recursive: true });
for (const page of globSync('{README.md,docs/*.md}', { cwd: TO })) {
  const text = readFileSync(join(TO, page), 'utf8');
  writeFileSync(join(TO, page), text.replaceAll('../../examples/', 'examples/'));
}
cpSync(join(ROOT, 'LICENSE'), join(TO, 'LICENSE'));
mkdirSync(join(TO, 'bin'));
const bin = readFileSync(join(FROM, 'bin/trellis'), 'utf8').replace(".ts'", ".js'");
writeFileSync(join(TO, 'bin/trellis'), bin, { mode: 0o755 });

const exported = Object.entries(packageJson.exports).map(([name, file]) => {
  const path = file.replace(/\.ts$/, '');
  return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
});
const { private: _, scripts: __, ...described } = packageJson;
const text = { ...described, engines: { node: '>=24' }, exports: Object.fromEntries(exported) as object };
writeFileSync(join(TO, 'package.json'), `${JSON.stringify(text, null, 2)}\n`);

mkdirSync(join(ROOT, '.cache'), { recursive: true });
const npm = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(ROOT, '.cache'), TO];
const name = execFileSync('npm', npm, { encoding: 'utf8' }).trim();
rmSync(TO, { recursive: true });
console.log(join(ROOT, '.cache', name));
