import { spawnSync } from 'node:child_process';

/** Why tests with nginx cannot run here; undefined if they can. */
export function whyNoNginx(): string | undefined {
  return spawnSync('nginx', ['-v']).error === undefined ? undefined : 'there is no nginx: install Debian’s';
}
