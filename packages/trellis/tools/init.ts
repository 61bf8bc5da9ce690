import { hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContractError, ExplainedError, messageOf } from 'trellis-contract/ground';
import template from '../template/package.json' with { type: 'json' };
import type { Stubs } from './stubs/service.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const TEMPLATE = join(PACKAGE, 'template');
/** npm leaves files with a dot out of a package. */
const DOTTED = ['gitattributes', 'gitignore', 'npmrc'];
/** What a folder must not have before. Anything else stays: a contract, the document that it was made of, a tarball. */
const WRITTEN = readdirSync(TEMPLATE)
  .filter((name) => !['openapi.yaml', 'package.json'].includes(name))
  .map((name) => (DOTTED.includes(name) ? `.${name}` : name));
/** What a service with a contract of its own has instead of the notes of the template. */
const TEMPLATE_OWN = join(PACKAGE, 'template-own');
const OF_NOTES = ['generated', 'test', 'service/createNote.ts', 'service/getNote.ts'].map((each) =>
  join(TEMPLATE, each),
);

/**
 * Begins a service in a folder, which it creates if it does not exist.
 *
 * @param contract a file, for each of whose operations a stub is written
 * @throws ExplainedError that names the fault and the cure
 */
export async function init(named: string, contract?: string): Promise<void> {
  const folder = resolve(named);
  const name = basename(folder);
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw new ExplainedError(
      `a service has the name of its folder, of small letters, digits and "-": ${JSON.stringify(name)} cannot be one`,
    );
  const taken = WRITTEN.find((each) => existsSync(join(folder, each)));
  if (taken !== undefined)
    throw new ExplainedError(`${join(named, taken)} exists, which init writes: move it, or begin in another folder`);
  const own = join(folder, 'openapi.yaml');
  if (contract !== undefined && existsSync(own) && resolve(contract) !== own)
    throw new ExplainedError(`${join(named, 'openapi.yaml')} exists: remove it, or name it by --contract`);
  const before = packageJsonIn(folder);
  requireNew(named, folder, before);
  const stubs = contract === undefined ? undefined : await stubsOfFile(contract);
  mkdirSync(folder, { recursive: true });
  if (contract !== undefined && resolve(contract) !== own) copyFileSync(contract, own);
  const hasContract = existsSync(own);

  const trellis = dependencyOf(folder);
  // A file of the folder may have the name without the dot.
  const isCopied = (file: string) =>
    ![...DOTTED, 'package.json'].includes(basename(file)) && !(hasContract && OF_NOTES.includes(file));
  cpSync(TEMPLATE, folder, { recursive: true, force: false, filter: isCopied });
  if (hasContract) cpSync(TEMPLATE_OWN, folder, { recursive: true });
  for (const each of DOTTED) copyFileSync(join(TEMPLATE, each), join(folder, `.${each}`));
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
  if (stubs !== undefined) {
    mkdirSync(join(folder, 'test'), { recursive: true });
    for (const [file, text] of Object.entries(stubs.files)) writeFileSync(join(folder, file), text);
    edit('service/index.ts', [
      [/(?=import \{ steps \})/, stubs.imports],
      [/ {2}operations: .*\n/, stubs.members],
    ]);
    // A contract that was written elsewhere has a style of its own: another path would break its clients.
    edit('redocly.yaml', [
      ['[recommended]', '[minimal]'],
      ['own/example-of-error: error', 'own/example-of-error: warn'],
    ]);
    for (const each of stubs.left) console.error(each);
  }
  writePackageJson(folder, name, trellis, before);

  const cd = named === '.' ? '' : `cd ${named} && `;
  const next =
    hasContract && stubs === undefined ? 'npm run check names what the contract needs' : 'npm test && npm start';
  // The template's own contract comes with generated types.
  const generate = hasContract ? ' && npm run generate' : '';
  console.log(`${name}: written. Next: ${cd}npm install${generate}; then ${next}`);
}

/** The derivation is imported only here, as its packages are not installed yet for a service that needs no stubs. */
async function stubsOfFile(contract: string): Promise<Stubs> {
  if (!existsSync(contract)) throw new ExplainedError(`${contract} does not exist: name the file of a contract`);
  const { stubsOf } = await import('./stubs/service.ts');
  try {
    return await stubsOf(readFileSync(contract, 'utf8'));
  } catch (error) {
    if (error instanceof ContractError) throw new ContractError(error.message.replaceAll('openapi.yaml', contract));
    throw error;
  }
}

interface PackageJson {
  readonly type?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
}

function packageJsonIn(folder: string): PackageJson {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return {};
  try {
    // npm allows a byte order mark, as some editors write it.
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as PackageJson;
  } catch (error) {
    throw new ExplainedError(`${file} cannot be read: ${messageOf(error)}: mend it first`);
  }
}

/** @throws ExplainedError if the folder has a project, which `init` would change */
function requireNew(named: string, folder: string, { type, scripts = {} }: PackageJson): void {
  const file = join(named, 'package.json');
  const other = Object.keys(SCRIPTS).find((each) => {
    const script = scripts[each] ?? PLACEHOLDER;
    return script !== PLACEHOLDER && script !== SCRIPTS[each as keyof typeof SCRIPTS];
  });
  if (other !== undefined)
    throw new ExplainedError(
      `${file} has a script "${other}", which init writes: rename it, or begin in another folder`,
    );
  if (type === 'module') return;
  const [script] = globSync('**/*.{js,ts}', { cwd: folder, exclude: ['**/node_modules'] });
  if (script !== undefined)
    throw new ExplainedError(
      `${join(named, script)} would become an ES module, as init sets "type": "module" in ${file}: ` +
        'set it yourself, name such files .cjs, or begin in another folder',
    );
}

/**
 * The place that this trellis was installed from, never a version: the registry may have another package of this name.
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

/** No flag of V8 is set after the start, which Node's manual warns of. docs/performance.md says what each is for. */
const FLAGS = '--disable-sigusr1 --max-semi-space-size=16 --no-allocation-site-pretenuring';
const SCRIPTS = {
  // `exec`: a signal reaches the service, not only npm's shell.
  start: `exec node ${FLAGS} main.ts serve`,
  command: `exec node ${FLAGS} main.ts`,
  generate: 'trellis generate',
  check: 'trellis check',
  dev: 'trellis dev',
  test: "node --test 'test/*.test.ts'",
  'contract:check': 'trellis contract check',
  'contract:release': 'trellis contract release',
};
/** The script `test` that `npm init` writes. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

function writePackageJson(folder: string, name: string, trellis: string, before: PackageJson): void {
  const { scripts, dependencies = {}, devDependencies, ...others } = before;
  // What the project has chosen stays.
  const added = Object.entries(template.devDependencies).filter(([each]) => !Object.hasOwn(dependencies, each));
  const text = {
    ...{ name, version: '0.1.0', private: true, ...others, type: 'module' },
    scripts: { ...scripts, ...SCRIPTS },
    dependencies: { ...dependencies, trellis },
    devDependencies: { ...Object.fromEntries(added), ...devDependencies },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(text, null, 2)}\n`);
}
