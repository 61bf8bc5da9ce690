import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPlant, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const [OLD = '', NEW = '', NEWEST = ''] = ['old', 'new', 'newest'].map(
  (each) => `${each}-token-of-an-operator-0000000001`,
);

test('the service rereads TOKEN_FILE within seconds, and keeps its tokens while the file is missing', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, `${OLD}\n`);
  const service = await startService({ TOKEN_FILE: file });
  const valid = async () => {
    const statuses = [OLD, NEW, NEWEST].map(
      async (token) => (await createPlant({ url: service.url, token }, '{"id":1,"name":"x"}')).status === 200,
    );
    return (await Promise.all(statuses)).join(' ');
  };
  const logged = (start: string) => service.log().filter(({ msg }) => String(msg).startsWith(start));
  expect(await valid()).toBe('true false false');
  writeFileSync(file, `${NEW}\n${OLD}\n`);
  await until(async () => (await valid()) === 'true true false');
  writeFileSync(`${file}.new`, `${NEW}\n`);
  renameSync(`${file}.new`, file);
  await until(async () => (await valid()) === 'false true false');

  rmSync(file);
  await until(() => logged('TOKEN_FILE cannot be used').length === 1);
  expect(await valid()).toBe('false true false');
  // Kubernetes mounts the file of a secret as a symbolic link.
  mkdirSync(join(folder, 'version'));
  writeFileSync(join(folder, 'version/token'), NEWEST);
  symlinkSync('version/token', file);
  await until(async () => (await valid()) === 'false false true');

  // If the file to mount is missing, a container engine makes a folder with its name.
  rmSync(file);
  mkdirSync(file);
  await until(() => logged('TOKEN_FILE cannot be used').length === 2);
  rmSync(file, { recursive: true });
  writeFileSync(file, OLD);
  await until(async () => (await valid()) === 'true false false');

  expect(await service.stop()).toBe(0);
  expect(logged('TOKEN_FILE has changed').map(({ tokens }) => tokens)).toEqual([2, 1, 1, 1]);
  for (const token of [OLD, NEW, NEWEST]) expect(service.stdout()).not.toContain(token);
});

test('the service reads a TOKEN_FILE that is a pipe once, and stops as usual', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [, service] = await Promise.all([writeFile(pipe, OLD), startService({ TOKEN_FILE: pipe })]);
  await sleep(1500);
  expect((await createPlant({ url: service.url, token: OLD }, '{"id":1,"name":"x"}')).status).toBe(200);
  expect(await service.stop()).toBe(0);
});
