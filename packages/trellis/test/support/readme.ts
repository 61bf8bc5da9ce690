import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithFile } from './end-with-file.ts';
import type { Project } from './project.ts';
import { compileCache, ROOT } from './service.ts';

/** The manual of the service of this project, and that of the framework. */
const MANUALS = ['docs', 'packages/trellis/docs', 'packages/contract/docs'];
const namesIn = (folder: string) => readdirSync(join(ROOT, folder)).map((file) => file.replace('.md', ''));

/** All pages by name: those of the root and of the manuals by their file, some of other folders by a name of their own. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ...['README', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => [name, `${name}.md`] as const),
  ['trellis', 'packages/trellis/README.md'],
  ['changes', 'packages/trellis/CHANGELOG.md'],
  ['trellis-contract', 'packages/contract/README.md'],
  ['bank', 'examples/bank/README.md'],
  ...MANUALS.flatMap((folder) => namesIn(folder).map((name) => [name, `${folder}/${name}.md`] as const)),
]);

export const page = (name: string): string => readFileSync(join(ROOT, PAGES.get(name) ?? name), 'utf8');

/** The code blocks of a language below a heading of a page. */
export function blocks(name: string, heading: string, language: string): string[] {
  const sections = page(name).split(/^#+ /m);
  const section = sections.find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, each]) => each === language)
    .map(([, , text]) => text ?? '');
}

/** Runs a line as a reader would, in a copy of the project. */
export function run(
  { folder }: Project,
  line: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env;
  // Node passes NODE_V8_COVERAGE on to a child unless it is set: the compiler and the linter would take minutes.
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['--norc', '-c', line],
      { cwd: folder, env: { PATH, HOME, ...compileCache(folder), NODE_V8_COVERAGE: '' } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      },
    );
    endWithFile(child);
  });
}
