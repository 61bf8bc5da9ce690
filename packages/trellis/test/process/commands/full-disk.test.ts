import { join } from 'node:path';
import { expect } from '@jest/globals';
import { addTokens } from '../../support/place.ts';
import { createItem, ITEMS, start } from '../../support/service.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { noSmallDisk, SmallDisk, UNSHARE } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

testWith(noSmallDisk, 'token list, export and backup read a store on a full disk; others name the cause', async () => {
  const file = join(temporaryFolder(), 'items.db');
  const [token = ''] = await addTokens(`sqlite:${file}`, 1);
  const disk = new SmallDisk(file);
  const { url } = await disk.listening();
  expect((await createItem({ url, token }, '{"id":1,"name":"x"}')).status).toBe(200);
  disk.fill(0);
  let status = 200;
  for (let id = 2; status === 200; id++) ({ status } = await createItem({ url, token }, `{"id":${id},"name":"x"}`));
  const listed = await disk.run('token', 'list');
  expect(listed).toEqual({ code: 0, stdout: expect.stringMatching(/^NAME .*\ntests-0 +valid /), stderr: '' });
  expect((await disk.run('export')).stdout).toMatch(/^\{"id":1,"name":"x"\}\n/);
  const backup = join(temporaryFolder(), 'backup.db');
  expect(await disk.run('backup', backup)).toMatchObject({ code: 0, stderr: '' });
  for (const args of [
    ['token', 'create', 'x'],
    ['remove', '1'],
  ])
    expect(await disk.run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/disk is full\n$/) });
  disk.makeRoom();
  await until(async () => (await createItem({ url, token }, '{"id":1,"name":"x"}')).status === 200);
  disk.service.child.kill('SIGTERM');
  expect(await disk.service.ended).toBe(0);
});

testWith(noSmallDisk, 'a command says what to do when a full disk has no room for the files of SQLite', async () => {
  const file = join(temporaryFolder(), 'items.db');
  await addTokens(`sqlite:${file}`, 1);
  const folder = temporaryFolder();
  const fill =
    'mount -t tmpfs -o size=1m tmpfs "$1" && cp "$2" "$1" && ! cp /dev/zero "$1/ballast" && shift 2 && exec "$@"';
  const command = ['sh', '-c', fill, 'sh', folder, file, process.execPath, ITEMS.main, 'token', 'list'];
  const DATABASE_URL = `sqlite:${join(folder, 'items.db')}`;
  const { ended, stderr } = start('unshare', [...(UNSHARE ?? []), ...command], { DATABASE_URL }, folder);
  expect(await ended).toBe(1);
  expect(stderr()).toMatch(/ cannot be read, as the full disk has no room for its -shm: free 32 KiB of the disk\n$/);
});
