import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocks } from '../../../packages/trellis/test/support/readme.ts';
import { ROOT } from '../../../packages/trellis/test/support/service.ts';
import { describeWith, testWith } from '../../../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../packages/contract/test/support/temporary.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';
import { BUILD_MS, Engine, whyNoEngine } from './engine.ts';

const PLANT = '{"id":9007199254740993,"name":"Ginkgo"}';
const MACHINE = 'machine';
/** More lines than journald accepts in this test, unless the unit sets a higher limit. */
const MANY = 500;
const JOURNALD = '[Journal]\nRateLimitBurst=10\n';

const units = readdirSync(join(ROOT, 'deploy')).filter((name) => /\.(service|timer)$/.test(name));
const unit = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');

test('each unit that opens the store has the user and the confinement of the service', () => {
  const lines = (name: string) => new Set(unit(name).match(/^[A-Z]\w+=.*/gm));
  const confining =
    /^(User|DynamicUser|UMask|NoNewPrivileges|Private|Protect|Restrict\w+=|LockPersonality|Capability|SystemCall)/;
  const wanted = [...lines('plant-store.service')].filter(
    (line) => confining.test(line) && !line.startsWith('Restrict'),
  );
  expect(wanted).toContain('User=plant-store');
  for (const name of ['plant-store-backup.service', 'plant-store-litestream.service'])
    expect([...lines(name)]).toEqual(
      expect.arrayContaining([...wanted, expect.stringMatching(/^StateDirectory=plant-store /)]),
    );
});

const { error } = spawnSync('systemd-analyze', ['--version']);
describeWith(error && 'there is no systemd-analyze: install systemd', 'the units of deploy/', () => {
  test.each(units)('%s passes systemd-analyze verify without a remark', (name) => {
    const folder = temporaryFolder();
    for (const each of units) {
      // The programs of Litestream and of nginx may be missing.
      const text = unit(each).replace(/\/usr\/(bin\/litestream|sbin\/nginx)/, process.execPath);
      writeFileSync(join(folder, each), text.replaceAll('/opt/plant-store', ROOT.replace(/\/$/, '')));
    }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, name)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

const litestream = spawnSync('sh', ['-c', 'command -v litestream'], { encoding: 'utf8' }).stdout.trim();

describeWith(whyNoEngine(), 'the lines of docs/deployment.md, on Debian with systemd,', () => {
  let machine: Engine;
  let pid: number;
  beforeAll(async () => {
    const volumes = ['1.2.0', '1.3.0'].map((version) => `--volume=${ROOT}:/opt/plant-store-${version}:ro`);
    if (litestream !== '') volumes.push(`--volume=${litestream}:/usr/bin/litestream:ro`);
    machine = await Engine.boot(MACHINE, ...volumes);
    ({ Pid: pid } = (await machine.inspect(MACHINE)).State);
  }, BUILD_MS);
  afterAll(() => machine[Symbol.asyncDispose]());

  const environment = ['HOME=/root', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];
  /** As `podman exec` does, which takes ten times as long. */
  const run = async (lines: string) => {
    const enter = [`--target=${pid}`, '--all', 'env', '--ignore-environment', ...environment];
    return (await machine.run('nsenter', [...enter, 'bash', '-euc', lines])).trim();
  };
  const section = (heading: string) => blocks('deployment', heading, 'sh');
  const command = 'plant-store --env-file /etc/plant-store.env';
  const show = (property: string) => run(`systemctl show --property=${property} --value plant-store`);
  /** Waits until an instance answers, and creates a plant through it. */
  const create = (token: string, port: number, plant = PLANT) =>
    run(`until (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do sleep 0.05; done
      curl --silent --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:${port}/plants \
      -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${plant}'`);
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

  /** Runs `work` while the unit has these lines too, and then restores the unit and the service. */
  const withDropIn = async (unit: string, lines: string, work: () => Promise<void>) => {
    const folder = `/run/systemd/system/${unit}.d`;
    await run(`mkdir --parents ${folder}; printf '${lines}' > ${folder}/test.conf; systemctl daemon-reload`);
    await work();
    await run(`rm -r ${folder}; systemctl daemon-reload; systemctl reset-failed; systemctl restart plant-store`);
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
  };
  const state = () => run('systemctl is-failed plant-store || true');
  const mainPid = () => show('MainPID');
  const start = () => run('systemctl restart plant-store 2>&1 && echo started || echo failed');

  test('back the store up by the backup unit, and tell node_exporter only of a backup that succeeds', async () => {
    const [install = ''] = blocks('data', 'Backups under systemd', 'sh');
    const folder = '/var/lib/private/plant-store-backups';
    await run(`mkdir --parents /var/lib/prometheus/node-exporter; install --directory --mode=700 ${folder}
      touch --date='31 days ago' ${folder}/20-old.db`);
    await run(install);
    expect(await run('systemctl is-active plant-store-backup.timer')).toBe('active');
    const told = '/var/lib/prometheus/node-exporter/plant-store.prom';
    expect(await run(`cat ${told}`)).toMatch(/^plant_store_backup_time_seconds \d{10}$/m);
    expect(await run(`cd ${folder}; ls; stat --format=%a *`)).toMatch(/^20\d\d-\S+\.db\n\S+\.db\.sha256\n600\n600$/);
    expect(await run(`stat --format=%u ${folder}/*`)).not.toBe('0');
    await run(`systemctl stop plant-store; ${command} restore ${folder}/*.db --force; systemctl start plant-store`);
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
    await run(`rm ${told}; touch --date='31 days ago' ${folder}/20-old.db`);
    await run('echo DATABASE_URL=sqlite:/var/lib/plant-store/none.db > /root/none.env');
    await withDropIn('plant-store-backup.service', '[Service]\\nEnvironmentFile=/root/none.env\\n', async () => {
      expect(await run('systemctl start plant-store-backup 2>&1 && echo started || echo failed')).toMatch(/failed$/);
      expect(await run(`ls ${folder} /var/lib/prometheus/node-exporter`)).toMatch(/20-old\.db\n[^]*exporter:$/);
    });
  });

  const noLitestream = litestream === '' ? 'there is no litestream on the PATH' : undefined;
  testWith(
    noLitestream,
    'replicate the store by Litestream, and restore it after its loss and to a moment',
    async () => {
      const [install = '', restore = '', before = ''] = ['Litestream', 'After a loss', 'Back to a moment'].flatMap(
        (heading) => blocks('litestream', heading, 'sh'),
      );
      const exported = (store: string) => run(`plant-store --store sqlite:${store} export`);
      const plant = (id: number) => `{"id":${id},"name":"replicated"}`;
      const createReplicated = async (id: number) => {
        expect(await create(token, 3000, plant(id))).toBe('{"name":"replicated"}');
        const copy = 'litestream restore -config /etc/litestream.yml -o /root/copy.db /var/lib/plant-store/plants.db';
        await until(async () => {
          const read = 'plant-store --store sqlite:/root/copy.db export';
          return (await run(`rm --force /root/copy.db*; ${copy} && ${read} || true`)).includes(plant(id));
        });
      };
      await run(install);
      await createReplicated(1);
      // The moment is a whole second: it needs one between the two plants.
      const moment = await run('sleep 1; date --utc +%FT%TZ; sleep 1');
      await createReplicated(2);
      await run(before.replace(/-timestamp \S+/, `-timestamp ${moment}`));
      const then = await exported('/root/before.db');
      expect([then.includes(plant(1)), then.includes(plant(2))]).toEqual([true, false]);
      await run(restore);
      await createReplicated(3);
      const all = await run(`${command} export`);
      for (const id of [1, 2, 3]) expect(all).toContain(plant(id));
      expect(await run('stat --format=%u /var/lib/plant-store-replica/')).not.toBe('0');
      await run(`systemctl disable --now plant-store-litestream; for id in 1 2 3; do ${command} remove $id; done`);
    },
  );

  test('restart the service after a crash, and not at SIGHUP', async () => {
    expect(await show('RestartUSec')).toBe('2s');
    const first = await mainPid();
    await run(`kill -HUP ${first}`);
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
    expect(await mainPid()).toBe(first);
    await run(`kill -KILL ${first}`);
    await until(async () => !['0', first].includes(await mainPid()));
    expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
  });

  test('show a crash loop as a unit that has failed', async () => {
    expect(await show('StartLimitIntervalUSec')).toBe('5min');
    await withDropIn(
      'plant-store.service',
      '[Service]\\nRestartSec=50ms\\nExecStart=\\nExecStart=false\\n',
      async () => {
        expect(await start()).toBe('started');
        await until(async () => (await state()) === 'failed');
        expect(Number(await show('NRestarts'))).toBeGreaterThan(3);
      },
    );
  });

  test('refuse to start the service with wrong settings, and name them all', async () => {
    const wrong = '[Service]\\nRestartSec=50ms\\nEnvironment=PORT=high\\n';
    await run(
      'cp --preserve /etc/plant-store.env /root/; printf "LOGLEVEL=info\\nRATE_LIMIT 600/60s\\n" >> /etc/plant-store.env',
    );
    await withDropIn('plant-store.service', wrong, async () => {
      expect(await start()).toMatch(/failed$/);
      await until(async () => (await state()) === 'failed');
      const faults = [
        'PORT must be a port from 0 to 65535, not "high"',
        'line 7 of /etc/plant-store.env is no setting: write NAME=value, or # before a comment',
        'the name in line 6 of /etc/plant-store.env is not a setting: correct or remove it',
      ];
      expect(await run('journalctl --unit=plant-store --output=cat')).toContain(`plant-store: ${faults.join('; ')}\n`);
      await run('cp --preserve /root/plant-store.env /etc/');
    });
  });

  test('let the unit fail, without a restart, when the service itself refuses its settings', async () => {
    await run('(umask 077; echo x > /root/token)');
    const unreadable = '[Service]\\nExecStartPre=\\nEnvironment=TOKEN_FILE=/root/token\\n';
    await withDropIn('plant-store.service', unreadable, async () => {
      expect(await start()).toBe('started');
      await until(async () => (await state()) === 'failed');
      expect([await show('NRestarts'), await show('ExecMainStatus')]).toEqual(['0', '78']);
    });
  });

  test('keep the service running while its store is away', async () => {
    // A later file replaces the value of /etc/plant-store.env, which Environment= does not.
    await run('echo DATABASE_URL=postgres://plants@127.0.0.1:1/plants > /root/away.env');
    const away = '[Service]\\nEnvironmentFile=/root/away.env\\nRestartSec=50ms\\n';
    await withDropIn('plant-store.service', away, async () => {
      expect(await start()).toBe('started');
      await until(() => run('journalctl --unit=plant-store --output=cat --lines=5 | grep "the store is away" || true'));
      await sleep(1000);
      expect([await state(), await show('NRestarts')]).toEqual(['active', '0']);
    });
  });

  test('restart a service that hangs, but not one that refuses connections', async () => {
    // The time limit of the unit is half a minute.
    const soon = '[Service]\\nExecStart=\\nExecStart=/opt/plant-store/scripts/plant-store health --timeout 5s\\n';
    const folders = '/run/systemd/system/plant-store-health{,@}.service.d';
    await run(`mkdir ${folders}; printf '${soon}' | tee ${folders}/test.conf; systemctl daemon-reload`);
    const often = '[Timer]\\nOnActiveSec=1s\\nOnUnitInactiveSec=1s\\n';
    const hung = await mainPid();
    await run(`kill -STOP ${hung}`);
    await withDropIn('plant-store-health.timer', often, async () => {
      await run('systemctl restart plant-store-health.timer');
      await until(async () => !['0', hung].includes(await mainPid()));
      expect(await create(token, 3000)).toBe('{"name":"Ginkgo"}');
      // The timer asks the service again.
      const count = 'journalctl --unit=plant-store-health --output=cat | grep --count "the service answers at" || true';
      await until(async () => Number(await run(count)) > 1);
    });
    await withDropIn('plant-store.service', '[Service]\\nExecStart=\\nExecStart=sleep 1000\\n', async () => {
      expect(await start()).toBe('started');
      const starting = await mainPid();
      expect(await run('systemctl start plant-store-health || true')).toBe('');
      expect(await mainPid()).toBe(starting);
      await run('systemctl stop plant-store');
      // The health check does not fail for a service that the operator has stopped.
      expect(await run('systemctl start plant-store-health; systemctl is-failed plant-store-health || true')).toBe(
        'inactive',
      );
    });
  });

  test('read each line of a file of settings as `config` says', async () => {
    const unit =
      '[Service]\\nType=oneshot\\nEnvironmentFile=/root/lines/%%i\\nExecStart=sh -c "env > /root/read/%%i"\\n';
    await run(`mkdir /root/lines /root/read
      printf '${unit}' > /run/systemd/system/lines@.service; systemctl daemon-reload`);
    const lines = [
      ...[
        'PORT=3001',
        ' PORT = 3001 ',
        "PORT='3001'",
        'PORT="3001"',
        '#',
        '# PORT=1',
        'PORT=',
        'JWT_SCOPE=a b',
        'PORT==1',
      ],
      ...['HOST=a"b"', "HOST='a\\b'", "HOST='a # b'", 'HOST="a`b$c"', 'HOST=\u00e9', 'PORT=3001\r'],
      ...[
        'PORT=3001 # public',
        'PORT=3001#',
        "PORT='3001' # public",
        'PORT="30\\n1"',
        'PORT=30\\01',
        'PORT=3001\\',
        '# \\',
      ],
      ...[
        'export PORT=3001',
        ';PORT=3001',
        'PORT="3001',
        "PORT='30'01",
        'PORT=`3001`',
        '1PORT=1',
        'A.B=1',
        '\u00a0PORT=1',
      ],
    ];
    const files = lines.map((line) => `${line}\nLAST=1\n`);
    const paths = files.map((_, index) => `/root/lines/${index}`);
    const given = files.map(
      (file, index) => `base64 --decode > ${String(paths[index])} <<< ${Buffer.from(file).toString('base64')}`,
    );
    await run([...given, `systemctl start lines@{0..${lines.length - 1}}`].join('\n'));
    const read = (await run('cd /root/read; for each in $(ls | sort --numeric); do base64 --wrap=0 $each; echo; done'))
      .split('\n')
      .map((each) => Buffer.from(each, 'base64').toString().split('\n'));
    const config = await run(`plant-store ${paths.map((path) => `--env-file ${path}`).join(' ')} config 2>&1 || true`);
    for (const [index, line] of lines.entries()) {
      const isSame = Object.entries(parseEnv(files[index] ?? '')).every(([name, value]) =>
        read[index]?.includes(`${name}=${value ?? ''}`),
      );
      const isDoubted = config.includes(`line 1 of ${String(paths[index])} `);
      // Only Debian 13 reads the line after a comment that ends with a backslash as Node does; Debian 12 skips it.
      if (!line.startsWith('# \\')) expect([line, isDoubted]).toEqual([line, !isSame]);
      else expect(isDoubted).toBe(true);
    }
  });

  test('give the service the text of a token file that only root can read', async () => {
    const [drop = ''] = blocks('deployment', 'Install', 'ini');
    const [, , , make = ''] = section('Install');
    await run(make);
    await run(`mkdir --parents /etc/systemd/system/plant-store.service.d
      cat > /etc/systemd/system/plant-store.service.d/override.conf <<'END'\n${drop}\nEND
      systemctl daemon-reload; systemctl restart plant-store`);
    expect(await run('stat --format=%a /etc/plant-store /etc/plant-store/token')).toBe('700\n600');
    const given = await run('cat /etc/plant-store/token');
    expect(await create(given, 3000)).toBe('{"name":"Ginkgo"}');
  });

  test('run several instances on one store, and restart them one after the other', async () => {
    const [instances = '', asked = '', restart = ''] = section('Several instances');
    await run(instances);
    for (const port of [3001, 3002]) expect(await create(token, port)).toBe('{"name":"Ginkgo"}');
    expect(await run('stat --format=%a /etc/plant-store*.env')).toBe('600\n600\n600');
    expect(await run(asked)).toMatch(
      /^PORT +3001 +\/etc\/plant-store-one.env$[^]*\nthe service answers at http:.*9001/m,
    );
    const hung = await run('systemctl show --property=MainPID --value plant-store@two');
    await run(`kill -STOP ${hung}; systemctl start plant-store-health@two || true`);
    expect(await create(token, 3002)).toBe('{"name":"Ginkgo"}');
    expect(await run(restart)).toBe('{"status":"ok"}');
    expect(await run('systemctl is-active plant-store || true')).toBe('inactive');
  });

  test('upgrade the service, and roll it back', async () => {
    const [upgrade = '', rollback = '', since = ''] = section('Upgrade and rollback');
    await run(upgrade);
    expect(await run('readlink -f "$(command -v plant-store)"')).toMatch(/1\.3\.0/);
    const later = '{"id":7,"name":"Ficus"}';
    expect(await create(token, 3001, later)).toBe('{"name":"Ficus"}');
    await run(rollback);
    for (const port of [3001, 3002]) expect(await create(token, port)).toBe('{"name":"Ginkgo"}');
    expect(await run(`${command} export`)).toBe(PLANT);
    await run(`cd /root; ${since}`);
    expect(await run(`${command} export`)).toBe(`${later}\n${PLANT}`);
    await run(`${command} remove 7`);
  });

  test('bring a removed plant back by the lines of the other pages, in a folder that stands for the project', async () => {
    const [folder = ''] = blocks('recovery', 'Under systemd', 'sh');
    const [lines = ''] = blocks('recovery', 'One wrong DELETE', 'sh');
    await run('systemctl start plant-store-backup');
    await run(`${command} remove 9007199254740993; ${folder} ${lines}`);
    expect(await run(`${command} export`)).toBe(PLANT);
    for (const port of [3001, 3002]) expect(await create(token, port)).toBe('{"name":"Ginkgo"}');
  });

  test('run nginx in front of the instances, and take over a change of its files', async () => {
    const [install = ''] = blocks('nginx', 'Under systemd', 'sh');
    await run(install);
    expect(await create(token, 8080)).toBe('{"name":"Ginkgo"}');
    expect(await run('systemctl is-enabled plant-store-nginx')).toBe('enabled');
    await run(`sed -i s/8080/8081/ /etc/plant-store-nginx/listen.conf; systemctl reload plant-store-nginx`);
    expect(await create(token, 8081)).toBe('{"name":"Ginkgo"}');
    const master = '$(systemctl show --property=MainPID --value plant-store-nginx)';
    expect(await run(`ps -o user= --ppid ${master} | sort --unique`)).toBe('nobody');
    await run('systemctl stop plant-store-nginx');
  });

  test('run the service without capabilities, with a data folder that other users cannot open', async () => {
    const status = await run('cat "/proc/$(systemctl show --property=MainPID --value plant-store@one)/status"');
    expect(status).not.toMatch(/^Uid:\t0\t/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(await run('stat --format=%U:%a /var/lib/private/plant-store')).toMatch(/:700$/);
  });
});
