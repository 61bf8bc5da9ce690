import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { untilSample } from '../../support/metrics.ts';
import { createItem, type Instance, startInstance, startService } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const [OLD = '', NEW = '', NEWEST = ''] = ['old', 'new', 'newest'].map(
  (each) => `${each}-token-of-an-operator-0000000001`,
);

const logged = (service: Instance, start: string) => service.log().filter(({ msg }) => String(msg).startsWith(start));
const accepts = async ({ url }: Instance, token: string) =>
  (await createItem({ url, token }, '{"id":1,"name":"x"}')).status === 200;

test('the service rereads TOKEN_FILE within seconds, and keeps its tokens while the file is missing', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, `${OLD}\n`);
  const service = await startInstance({ TOKEN_FILE: file, ADMIN_PORT: '0' });
  const valid = async () => {
    return (await Promise.all([OLD, NEW, NEWEST].map((token) => accepts(service, token)))).join(' ');
  };
  expect(await valid()).toBe('true false false');
  writeFileSync(file, `${NEW}\n${OLD}\n`);
  await until(async () => (await valid()) === 'true true false');
  writeFileSync(`${file}.new`, `${NEW}\n`);
  renameSync(`${file}.new`, file);
  await until(async () => (await valid()) === 'false true false');

  rmSync(file);
  await until(() => logged(service, 'TOKEN_FILE cannot be used').length === 1);
  expect(await valid()).toBe('false true false');
  await untilSample(service, 'item_store_token_file_usable', 0);
  // Kubernetes mounts the file of a secret as a symbolic link.
  mkdirSync(join(folder, 'version'));
  writeFileSync(join(folder, 'version/token'), NEWEST);
  symlinkSync('version/token', file);
  await until(async () => (await valid()) === 'false false true');
  await untilSample(service, 'item_store_token_file_usable', 1);

  // If the file to mount is missing, a container engine makes a folder with its name.
  rmSync(file);
  mkdirSync(file);
  await until(() => logged(service, 'TOKEN_FILE cannot be used').length === 2);
  rmSync(file, { recursive: true });
  writeFileSync(file, OLD);
  await until(async () => (await valid()) === 'true false false');

  expect(await service.stop()).toBe(0);
  expect(logged(service, 'TOKEN_FILE has changed').map(({ tokens }) => tokens)).toEqual([2, 1, 1, 1]);
  for (const token of [OLD, NEW, NEWEST]) expect(service.stdout()).not.toContain(token);
});

test('reads a TOKEN_FILE that is a pipe once, and stops as usual', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // In one process, each end would wait for the other.
  const [, service] = await Promise.all([writeFile(pipe, OLD), startService({ TOKEN_FILE: pipe })]);
  await until(() => logged(service, 'TOKEN_FILE cannot be used').length === 1);
  expect(await accepts(service, OLD)).toBe(true);
  expect(await service.stop()).toBe(0);
});

test('rereads TOKEN_FILE after it was a pipe, a socket and a device, and keeps its tokens meanwhile', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, OLD);
  const service = await startInstance({ TOKEN_FILE: file });
  // No process writes to the pipe, so opening it to read would wait for ever.
  const socket = createServer().listen(join(folder, 'socket'));
  await once(socket, 'listening');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const others = [join(folder, 'pipe'), join(folder, 'socket'), '/dev/null'];
  for (const [index, other] of others.entries()) {
    rmSync(file);
    symlinkSync(other, file);
    await until(() => logged(service, 'TOKEN_FILE cannot be used').length === index + 1);
    expect(await accepts(service, OLD)).toBe(true);
    rmSync(file);
    writeFileSync(file, `${OLD}\n${NEW}${index}`);
    await until(() => logged(service, 'TOKEN_FILE has changed').length === index + 1);
    expect(await accepts(service, `${NEW}${index}`)).toBe(true);
  }
  socket.close();
  expect(await service.stop()).toBe(0);
});

test('warns once that every user may write TOKEN_FILE, and again when its mode is wrong again', async () => {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, OLD);
  chmodSync(file, 0o644);
  const service = await startInstance({ TOKEN_FILE: file });
  const warnings = () => logged(service, 'every user may write TOKEN_FILE');
  for (const count of [1, 2]) {
    const before = service.log().length;
    chmodSync(file, 0o666);
    await until(() => warnings().length === count);
    expect(warnings().at(-1)).toMatchObject({ level: 'warn', path: file });
    chmodSync(file, 0o664);
    // A poll that sees the new tokens sees the mended mode too, of which it writes no line.
    writeFileSync(file, `${OLD}\n${NEW}${count}`);
    await until(() => logged(service, 'TOKEN_FILE has changed').length === count);
    expect(service.log().length).toBe(before + 2);
  }
  expect(await service.stop()).toBe(0);
});
