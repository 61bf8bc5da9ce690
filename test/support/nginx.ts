import { spawnSync } from 'node:child_process';

/** What hinders tests with nginx here; undefined: nothing does. */
export function whyNoNginx(): string | undefined {
  return spawnSync('nginx', ['-v']).error === undefined ? undefined : 'there is no nginx: install Debian’s';
}
