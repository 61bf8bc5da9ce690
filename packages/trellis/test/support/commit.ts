import { spawnSync } from 'node:child_process';
import { ROOT } from './service.ts';

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return stdout.trim();
}

/** The commit of the sources that run, for the rows of RESULTS.md: `a1b2c3d4`, or `a1b2c3d4 and changes`. */
export function commitHere(): string {
  const hash = git('rev-parse', '--short=8', 'HEAD') || 'no commit';
  return git('status', '--porcelain', '--', 'src', 'packages/*/src') === '' ? hash : `${hash} and changes`;
}
