import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { ExplainedError } from '../src/explained-error.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const TEMPLATE = join(PACKAGE, 'template');
/** What a folder may hold before: a contract, the tarball of trellis, and what `npm install` and Git leave. */
const KEPT = /^(?:\.git|node_modules|openapi\.yaml|package(?:-lock)?\.json|trellis-.*\.tgz)$/;
/** npm leaves files with a dot out of a package. */
const DOTTED = ['gitignore', 'npmrc'];
/** The operations of the template, and their uses, which a service with a contract of its own does not have. */
const OF_NOTES = {
  files: ['service/createNote.ts', 'service/getNote.ts', 'test/createNote.test.ts', 'test/derived.test.ts'],
  'service/index.ts': [
    [/import \{ createNote \}.*\n/, ''],
    [/import \{ getNote \}.*\n/, ''],
    [/\{ createNote, getNote \}/, '{}'],
    [/\{ notes: 'createNote' \}/, '{}'],
  ],
  'service/tables.ts': [
    [/import .*\n\n/, ''],
    [/ {2}notes: .*\n/, ''],
  ],
  'service/steps.ts': [[/ {2}notes1: [^]*\n {2}\],\n/, '']],
  'README.md': [[/.*createNote\.ts.*\n/, '']],
} as const;

/** Begins a service in a folder, which it makes if need be. @throws ExplainedError that says what to give */
export function init(named: string): void {
  const folder = resolve(named);
  const name = basename(folder);
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw new ExplainedError(
      `a service has the name of its folder, of small letters, digits and "-": ${JSON.stringify(name)} cannot be one`,
    );
  mkdirSync(folder, { recursive: true });
  const other = readdirSync(folder).find((each) => !KEPT.test(each));
  if (other !== undefined)
    throw new ExplainedError(`${join(named, other)} exists: begin in an empty folder, or in one with an openapi.yaml`);
  const hasContract = existsSync(join(folder, 'openapi.yaml'));

  const trellis = dependencyOf(folder);
  cpSync(TEMPLATE, folder, { recursive: true, force: false });
  for (const each of DOTTED) renameSync(join(folder, each), join(folder, `.${each}`));
  const edit = (file: string, edits: readonly (readonly [RegExp | string, string])[]) => {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(
      join(folder, file),
      edits.reduce((edited, [from, to]) => edited.replace(from, () => to), text),
    );
  };
  edit('service/index.ts', [
    ["name: 'minimal'", `name: '${name}'`],
    [/marker: '.{4}'/, `marker: '${hash('sha256', name, 'base64url').slice(0, 4)}'`],
  ]);
  edit('README.md', [['# minimal', `# ${name}`]]);
  if (hasContract) {
    const { files, ...edits } = OF_NOTES;
    for (const file of files) rmSync(join(folder, file));
    for (const [file, uses] of Object.entries(edits)) edit(file, uses);
    rmSync(join(folder, 'generated'), { recursive: true });
  }
  writePackageJson(folder, name, trellis);

  const cd = named === '.' ? '' : `cd ${named} && `;
  const next = hasContract ? 'npm run check names what the contract needs' : 'npm test && npm start';
  console.log(`${name}: written. Next: ${cd}npm install && npm run generate; then ${next}`);
}

interface PackageJson {
  readonly scripts?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
}

function packageJsonIn(folder: string): PackageJson {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageJson) : {};
}

/**
 * What this trellis was installed from. Never a version: the registry may have another package of this name.
 *
 * @param folder of the service
 */
function dependencyOf(folder: string): string {
  // `npx` installs this package elsewhere.
  for (const at of [...upFrom(folder), ...upFrom(PACKAGE)]) {
    const [, path] = /^file:(.*)$/.exec(packageJsonIn(at).dependencies?.['trellis'] ?? '') ?? [];
    if (path !== undefined) return fileFrom(folder, resolve(at, path));
  }
  return fileFrom(folder, PACKAGE);
}

function upFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upFrom(parent)];
}

function fileFrom(folder: string, path: string): string {
  const way = relative(folder, path);
  return `file:${isAbsolute(way) ? path : way}`;
}

const SCRIPTS = {
  // `exec`: a signal reaches the service, not only npm's shell.
  start: 'exec node --disable-sigusr1 --max-semi-space-size=16 main.ts serve',
  command: 'exec node --disable-sigusr1 --max-semi-space-size=16 main.ts',
  generate: 'trellis generate',
  check: 'trellis check',
  dev: 'trellis dev',
  test: "node --test 'test/*.test.ts'",
  'contract:check': 'trellis contract check',
  'contract:release': 'trellis contract release',
};
const TYPES_OF_NODE = '26.6.6';

/** The scripts of a package.json that is there give way: `npm init` writes a test that fails. */
function writePackageJson(folder: string, name: string, trellis: string): void {
  const { scripts, dependencies, devDependencies, ...others } = packageJsonIn(folder);
  const text = {
    ...{ name, version: '0.1.0', private: true, ...others, type: 'module' },
    scripts: { ...scripts, ...SCRIPTS },
    dependencies: { ...dependencies, trellis },
    devDependencies: { ...devDependencies, '@types/node': TYPES_OF_NODE, ...packageJson.peerDependencies },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(text, null, 2)}\n`);
}
