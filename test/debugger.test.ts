import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import packageJson from '../package.json' with { type: 'json' };
import { listening, ROOT, start } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

test('SIGUSR1 opens no debugger, and the service goes on', async () => {
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` };
  // Without npm, which would get the signal.
  const service = start('sh', ['-c', packageJson.scripts.start], environment, ROOT);
  const url = await listening(service);
  service.child.kill('SIGUSR1');
  await sleep(1000);
  expect(service.stderr()).not.toContain('Debugger listening');
  await expect(fetch('http://127.0.0.1:9229/json')).rejects.toThrow();
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test.each(['Dockerfile', 'deploy/plant-store.service'])('%s starts the service so, too', (file) => {
  const starts = readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => /^(ENTRYPOINT|ExecStart)/.test(line));
  expect(starts).toEqual([expect.stringContaining('--disable-sigusr1')]);
});

test('an old Node on the PATH, which does not know that option, is named in one line', async () => {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
for option; do [ "$option" != --disable-sigusr1 ] || { echo 'node: bad option' >&2; exit 9; }; done
exec '${process.execPath}' -e "Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require('./scripts/require-node.cjs')"
`;
  writeFileSync(join(bin, 'node'), script, { mode: 0o755 });
  const node = start('sh', ['-c', packageJson.scripts.start], { PATH: `${bin}:/usr/bin:/bin` }, folder);
  expect(await node.ended).toBe(1);
  expect(node.stderr()).toMatch(/^plant-store needs Node 26 and found 20\.20\.2: .*\n$/);
});
