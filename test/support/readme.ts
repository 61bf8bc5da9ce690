import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.ts';
import { ROOT } from './service.ts';

export const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** The page of what follows from a change of the contract. */
export const PAGE = readFileSync(join(ROOT, 'docs/changing-the-contract.md'), 'utf8');

/** The page of what the service says of itself. */
export const OBSERVABILITY = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');

export const BACKUPS = readFileSync(join(ROOT, 'docs/backups.md'), 'utf8');

/** How the service is run under systemd, in containers and on Kubernetes. */
export const DEPLOYMENT = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');

/** The code blocks of a language below a heading. */
export function blocks(heading: string, language: string, page = README): string[] {
  const section = page.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
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
  // Node passes this on by itself, unless told otherwise: the compiler and the linter would take minutes.
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['--norc', '-c', line],
      { cwd: folder, env: { PATH, HOME, NODE_V8_COVERAGE: '' } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}
