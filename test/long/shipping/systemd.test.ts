import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocks } from '../../support/readme.ts';
import { ROOT } from '../../support/service.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { Engine, whyNoEngine } from './engine.ts';

const UNIT = readFileSync(join(ROOT, 'deploy/plant-store.service'), 'utf8');
const PLANT = '{"id":9007199254740993,"name":"Ginkgo"}';
const MACHINE = 'machine';
/** More lines than journald accepts in this test, unless the unit sets a higher limit. */
const MANY = 500;
const JOURNALD = '[Journal]\nRateLimitBurst=10\n';

const { error } = spawnSync('systemd-analyze', ['--version']);
describeWith(error && 'there is no systemd-analyze: install systemd', 'plant-store.service', () => {
  test('passes systemd-analyze verify without a remark', () => {
    const file = join(temporaryFolder(), 'plant-store.service');
    writeFileSync(file, UNIT.replaceAll('/opt/plant-store', ROOT.replace(/\/$/, '')));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describeWith(whyNoEngine(), 'the lines of docs/deployment.md, on Debian with systemd,', () => {
  let machine: Engine;
  beforeAll(async () => {
    const versions = ['1.1.0', '1.2.0'].map((version) => `--volume=${ROOT}:/opt/plant-store-${version}:ro`);
    machine = await Engine.boot(MACHINE, ...versions);
  });
  afterAll(() => machine[Symbol.asyncDispose]());

  const run = async (lines: string) => (await machine.podman('exec', MACHINE, 'bash', '-euc', lines)).trim();
  const section = (heading: string) => blocks('deployment', heading, 'sh');
  const show = (property: string) => run(`systemctl show --property=${property} --value plant-store`);
  /** Waits until an instance answers, and creates a plant through it. */
  const create = (token: string, port: number) =>
    run(`curl --silent --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:${port}/plants \
      -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${PLANT}'`);
  let token: string;

  test('install the service, and print its first token from the journal', async () => {
    const [, install = '', journal = ''] = section('Install');
    await run(install);
    token = await run(`until ${journal.trim()}; do sleep 0.1; done`);
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
    expect(await run('ls /var/cache/plant-store')).toMatch(/^v26\./);
  });

  test('run commands on the store of the service, whether or not the service runs', async () => {
    const [commands = ''] = section('Commands');
    const made = await run(`cd /root; ${commands} cat plants.ndjson`);
    expect(made.split('\n')).toEqual([expect.stringMatching(/^plantstore_/), PLANT]);
    await run('systemctl stop plant-store');
    const [other = ''] = (await run(commands.replace('my-app', 'other'))).split('\n');
    await run('systemctl start plant-store');
    expect(await create(other, 3000)).toBe('{"name":"Ginkgo"}');
  });

  test('keep every line of the log in the journal', async () => {
    await run(`printf '${JOURNALD}' > /etc/systemd/journald.conf; systemctl restart systemd-journald`);
    await run(`curl --silent "http://127.0.0.1:3000/none?[1-${MANY}]"`);
    const count = `journalctl --unit=plant-store --output=cat | grep --count '"path":"/none"'`;
    await until(async () => Number(await run(count)) === MANY);
  });

  test('restart the service, even when it fails many times', async () => {
    expect(await show('RestartUSec')).toBe('2s');
    // By default, systemd no longer restarts a unit that has started more than five times in ten seconds.
    const folder = '/run/systemd/system/plant-store.service.d';
    const failing = '[Service]\\nRestartSec=50ms\\nExecStart=\\nExecStart=false\\n';
    await run(`mkdir ${folder}; printf '${failing}' > ${folder}/failing.conf; systemctl daemon-reload`);
    await run('systemctl restart plant-store || true');
    await until(async () => Number(await show('NRestarts')) > 6, 30_000);
    await run(`rm -r ${folder}; systemctl daemon-reload`);
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
  });

  test('give the service the text of a token file that only root can read', async () => {
    const [drop = ''] = blocks('deployment', 'Install', 'ini');
    const given = `plantstore_${'x'.repeat(32)}`;
    await run(`mkdir --parents /etc/plant-store /etc/systemd/system/plant-store.service.d
      cat > /etc/systemd/system/plant-store.service.d/override.conf <<'END'\n${drop}\nEND
      (umask 077; echo ${given} > /etc/plant-store/token)
      systemctl daemon-reload; systemctl restart plant-store`);
    expect(await create(given, 3000)).toBe('{"name":"Ginkgo"}');
  });

  test('run several instances on one store, and restart them one after the other', async () => {
    const [instances = '', restart = ''] = section('Several instances');
    await run(instances);
    for (const port of [3001, 3002]) expect(await create(token, port)).toBe('{"name":"Ginkgo"}');
    expect(await run(restart)).toBe('{"status":"ok"}');
    expect(await run('systemctl is-active plant-store || true')).toBe('inactive');
  });

  test('upgrade the service, and roll it back', async () => {
    const [upgrade = '', rollback = ''] = section('Upgrade and rollback');
    await run(upgrade);
    expect(await run('readlink -f "$(command -v plant-store)"')).toMatch(/1\.1\.0/);
    await run(rollback);
    for (const port of [3001, 3002]) expect(await create(token, port)).toBe('{"name":"Ginkgo"}');
    expect(await run('plant-store --env-file /etc/plant-store.env export')).toBe(PLANT);
  });

  test('run the service without capabilities, with a data folder that other users cannot open', async () => {
    const status = await run('cat "/proc/$(systemctl show --property=MainPID --value plant-store@one)/status"');
    expect(status).not.toMatch(/^Uid:\t0\t/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(await run('stat --format=%U:%a /var/lib/private/plant-store')).toMatch(/:700$/);
  });
});
