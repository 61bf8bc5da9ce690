import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { noSmallDisk, SmallDisk } from './support/small-disk.ts';
import { adminUrl } from './support/metrics.ts';
import { createPlant, plantStore, startService } from './support/service.ts';
import { testWith } from './support/skipping.ts';
import { temporaryFolder } from './support/temporary.ts';

const statusOf = async (admin: string) => (await fetch(`${admin}/readyz`)).status;

testWith(noSmallDisk, '/readyz answers 503 while the disk of the store is full, as a create does', async () => {
  const file = join(temporaryFolder(), 'plants.db');
  const { stdout: token } = await plantStore(['token', 'create', 'app'], { DATABASE_URL: `sqlite:${file}` });
  const disk = new SmallDisk(file);
  const { url, admin } = await disk.listening();
  expect(await statusOf(admin)).toBe(200);
  disk.fill(0);
  expect(await statusOf(admin)).toBe(503);
  const create = () => createPlant({ url, token: token.trim() }, '{"id":1,"name":"Ginkgo"}');
  expect((await create()).status).toBe(503);
  disk.makeRoom();
  expect(await statusOf(admin)).toBe(200);
  expect((await create()).status).toBe(200);
  disk.service.child.kill('SIGTERM');
  expect(await disk.service.ended).toBe(0);
});

test('/readyz waits for a process that holds the lock of the store for a moment', async () => {
  const file = join(temporaryFolder(), 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${file}`, ADMIN_PORT: '0' });
  using other = new DatabaseSync(file);
  other.exec('begin immediate');
  const status = statusOf(adminUrl(service));
  await sleep(500);
  other.exec('rollback');
  expect(await status).toBe(200);
  await service.stop();
});

test('/readyz answers 503 from SIGTERM on, until what is under way is answered', async () => {
  const file = join(temporaryFolder(), 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${file}`, ADMIN_PORT: '0' });
  const admin = adminUrl(service);
  expect(await statusOf(admin)).toBe(200);
  using other = new DatabaseSync(file);
  other.exec('begin immediate');
  const created = createPlant(service, '{"id":1,"name":"Ginkgo"}');
  await sleep(300);
  service.child.kill('SIGTERM');
  await sleep(300);
  // The public listener has closed, and the admin listener has not.
  await expect(fetch(service.url)).rejects.toThrow();
  expect(await statusOf(admin)).toBe(503);
  expect((await fetch(`${admin}/livez`)).status).toBe(200);
  other.exec('rollback');
  expect((await created).status).toBe(200);
  expect(await service.ended).toBe(0);
});

test('/readyz leaves the schema as a newer version has made it', async () => {
  const file = join(temporaryFolder(), 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${file}`, ADMIN_PORT: '0' });
  using other = new DatabaseSync(file);
  other.exec('pragma user_version = 99');
  expect(await statusOf(adminUrl(service))).toBe(200);
  expect(other.prepare('pragma user_version').get()).toEqual({ user_version: 99 });
  await service.stop();
});
