import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run check:proofs` lists what was measured before the last change of what it proves: a release measures it again.

const ROOT = join(import.meta.dirname, '..');
const LAB = 'packages/trellis/lab';

/** What each file of results proves. Each of its measured lines has a day and a commit. */
const PROOFS = [
  { file: `${LAB}/faults/RESULTS.md`, of: ['packages/trellis/src/storage'] },
  { file: `${LAB}/attacks/RESULTS.md`, of: ['packages/trellis/src/http', 'packages/contract/src'] },
  { file: `${LAB}/bench/RESULTS.md`, of: ['packages/trellis/src', 'packages/contract/src'] },
] as const;
const MEASURED = /\d{4}-\d\d-\d\d · (?<commit>[\da-f]{8})\b/;

const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });

if (existsSync(join(ROOT, '.git')))
  for (const { file, of } of PROOFS) {
    const last = git('log', '-1', '--format=%h', '--', ...of).stdout.trim();
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    const measured = lines.flatMap((line) => MEASURED.exec(line)?.groups?.['commit'] ?? []);
    const old = measured.filter((commit) => git('merge-base', '--is-ancestor', last, commit).status !== 0);
    if (old.length > 0) console.log(`NOTE: ${file}: ${old.length} of ${measured.length} rows are older than ${last}`);
  }
