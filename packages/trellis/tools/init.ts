import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { ExplainedError } from '../src/explained-error.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const TEMPLATE = join(PACKAGE, 'template');
/** What a folder may hold before: a contract, and what `npm install` and Git leave. */
const KEPT = ['.git', 'node_modules', 'openapi.yaml', 'package-lock.json', 'package.json'];
/** npm leaves files with a dot out of a package. */
const DOTTED = ['gitignore', 'npmrc'];
/** The operation of the template, and its uses, which a service with a contract of its own does not have. */
const OF_NOTES = {
  files: ['service/createNote.ts', 'test/createNote.test.ts'],
  'service/index.ts': [
    [/import \{ createNote \}.*\n/, ''],
    [/\{ createNote \}/, '{}'],
    [/\{ notes: 'createNote' \}/, '{}'],
  ],
  'service/tables.ts': [
    [/import .*\n\n/, ''],
    [/ {2}notes: .*\n/, ''],
  ],
  'service/steps.ts': [[/ {2}notes1: [^]*\n {2}\],\n/, '']],
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
  const other = readdirSync(folder).find((each) => !KEPT.includes(each));
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
    for (const file of OF_NOTES.files) rmSync(join(folder, file));
    for (const file of ['service/index.ts', 'service/tables.ts', 'service/steps.ts'] as const)
      edit(file, OF_NOTES[file]);
    rmSync(join(folder, 'generated'), { recursive: true });
  }
  writePackageJson(join(folder, 'package.json'), name, trellis);

  const cd = named === '.' ? '' : `cd ${named} && `;
  const next = hasContract ? 'npm run check names what the contract needs' : 'npm test && npm start';
  console.log(`${name}: written. Next: ${cd}npm install && npm run generate; then ${next}`);
}

/**
 * What this trellis was installed from. Never a version: the registry may have another package of this name.
 *
 * @param folder of the service
 */
function dependencyOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'package.json');
    const { dependencies } = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { dependencies?: Record<string, string> })
      : {};
    const [, path] = /^file:(.*)$/.exec(dependencies?.['trellis'] ?? '') ?? [];
    if (path !== undefined) return fileFrom(folder, resolve(at, path));
    if (at === dirname(at)) return fileFrom(folder, PACKAGE);
  }
}

function fileFrom(folder: string, path: string): string {
  const way = relative(folder, path);
  return `file:${isAbsolute(way) ? path : way}`;
}

function writePackageJson(file: string, name: string, trellis: string): void {
  const present = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
  const text = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      // `exec`: a signal reaches the service, not only npm's shell.
      start: 'exec node --disable-sigusr1 --max-semi-space-size=16 main.ts serve',
      command: 'exec node --disable-sigusr1 --max-semi-space-size=16 main.ts',
      generate: 'trellis generate',
      check: 'trellis check',
      dev: 'trellis dev',
      test: "node --test 'test/*.test.ts'",
      'contract:check': 'trellis contract check',
      'contract:release': 'trellis contract release',
    },
    ...present,
    dependencies: { ...(present['dependencies'] as object | undefined), trellis },
    devDependencies: { '@types/node': TYPES_OF_NODE, ...packageJson.peerDependencies },
  };
  writeFileSync(file, `${JSON.stringify({ ...text, type: 'module' }, null, 2)}\n`);
}

const TYPES_OF_NODE = '26.6.6';
