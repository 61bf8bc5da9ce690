import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../../support/port.ts';
import { NOBODY } from '../../support/postgres.ts';
import { createPlant, listening, ROOT, start } from '../../support/service.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const UNIT = readFileSync(join(ROOT, 'deploy/plant-store.service'), 'utf8');
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

const { error } = spawnSync('systemd-analyze', ['--version']);
describeWith(error && 'there is no systemd-analyze: install systemd', 'plant-store.service', () => {
  test('is what systemd understands, with nothing to remark', () => {
    const file = join(temporaryFolder(), 'plant-store.service');
    writeFileSync(file, UNIT.replaceAll('/opt/plant-store', ROOT.replace(/\/$/, '')));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

test('plant-store.service runs the service as a user that may write in its own folder only', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, Number.parseInt(setting('StateDirectoryMode'), 8));
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
  expect(setting('StateDirectory')).toBe('plant-store');
  const [name = '', value = ''] = setting('Environment').replace('/var/lib/plant-store', folder).split('=');
  const [program = '', ...args] = setting('ExecStart').replaceAll('/opt/plant-store/', ROOT).split(' ');
  expect(setting('WorkingDirectory')).toBe('/opt/plant-store');
  const service = start(program, args, { [name]: value, PORT: String(await freePort()) }, ROOT, NOBODY);
  const url = await listening(service);
  const [token = ''] = /plantstore_[\w-]{43}/.exec(service.stderr()) ?? [];
  expect((await createPlant({ url, token }, '{"id":1,"name":"Ginkgo"}')).status).toBe(200);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(10);
});
