import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../packages/trellis/test/support/port.ts';
import { Project } from '../../../packages/trellis/test/support/project.ts';
import { blocks, page, run } from '../../../packages/trellis/test/support/readme.ts';
import { ROOT } from '../../../packages/trellis/test/support/service.ts';
import { describeWith } from '../../../packages/contract/test/support/skipping.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';
import { BUILD_MS, Engine, whyNoEngine } from './engine.ts';
import { createPlant } from '../../support.ts';

const PLANT = '{"id":9007199254740993,"name":"Ginkgo"}';
const [imageLines = ''] = blocks('containers', 'Image', 'console');
const [execLine = ''] = blocks('containers', 'Compose', 'console');
const [buildLine = '', runLine = ''] = imageLines.split('\n');
const [, TAG = ''] = /--tag (\S+)/.exec(buildLine) ?? [];
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const [, NGINX = ''] = /image: (nginx:\S+)/.exec(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8')) ?? [];
const argumentsOf = (line: string, command: string) => {
  expect(line.startsWith(command)).toBe(true);
  return line.slice(command.length).trim().split(' ');
};

describeWith(whyNoEngine(), 'the lines of docs/containers.md for containers', () => {
  let engine: Engine;
  let project: Project;
  beforeAll(async () => {
    engine = await Engine.create(NGINX);
    project = new Project();
    // The image must contain neither the settings nor the plants of its builder.
    project.write('.env', 'TOKEN_FILE=token');
    mkdirSync(join(project.folder, 'data'));
    await engine.build(['--build-arg', `COMMIT=${COMMIT}`, ...argumentsOf(buildLine, 'docker build')], project.folder);
  }, BUILD_MS);
  afterAll(() => engine[Symbol.asyncDispose]());

  const logged = (container: string, text: string) => until(async () => (await engine.logs(container)).includes(text));
  /** The kernel's status of the first process of a container. */
  const statusOf = async (container: string) => {
    const { State } = await engine.inspect(container);
    return readFileSync(`/proc/${State.Pid}/status`, 'utf8');
  };

  describe('make an image that', () => {
    const serve = async (name: string, ...options: readonly string[]) => {
      const port = await freePort();
      const given = runLine.replace('127.0.0.1:3000:', `127.0.0.1:${port}:`);
      await engine.podman('run', '--detach', '--name', name, ...options, ...argumentsOf(given, 'docker run'));
      await logged(name, '"msg":"ready"');
      return `http://127.0.0.1:${port}`;
    };
    const stop = async (name: string) => {
      await engine.podman('stop', name);
      return (await engine.inspect(name)).State.ExitCode;
    };

    test('serves as user node on a read-only file system, stops on its signal, and keeps its plants', async () => {
      const url = await serve('first');
      const status = await statusOf('first');
      expect(status).toMatch(/^NSpid:.*\t1$/m);
      expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      expect(status).toMatch(/^CapBnd:\t0+$/m);
      await expect(engine.podman('exec', 'first', 'touch', '/etc/x')).rejects.toThrow('Read-only file system');
      const [token = ''] = /plantstore_[\w-]{43}/.exec(await engine.logs('first')) ?? [];
      expect((await createPlant({ url, token }, PLANT)).status).toBe(200);
      expect(await stop('first')).toBe(0);

      const again = await serve('again');
      const answer = await createPlant({ url: again, token }, PLANT);
      expect(answer.headers.get('idempotent-replayed')).toBe('true');
      expect(await stop('again')).toBe(0);
      expect(await engine.podman('run', '--volume', 'plants:/data', TAG, 'export')).toBe(`${PLANT}\n`);
    });

    test('lets a user of group 0 that it does not know write its store, as OpenShift demands', async () => {
      // Podman would give a new volume to this user. Docker does not.
      const user = ['--image-volume=ignore', '--user=12345:0', '--cap-drop=ALL'];
      const token = await engine.podman('run', '--name=foreign', ...user, TAG, 'token', 'create', 'app');
      expect(token).toMatch(/^plantstore_/);
      expect(await engine.podman('run', ...user, '--entrypoint=stat', TAG, '--format=%U:%G:%a', '/data')).toBe(
        'node:root:770\n',
      );
    });

    test('answers probes and scrapes at the published port of the admin listener', async () => {
      const port = await freePort();
      await serve('observed', '--publish', `127.0.0.1:${port}:9464`);
      const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      expect(await ask('/readyz')).toBe('{"status":"ok"}');
      expect(await ask('/metrics')).toContain('plant_store_build_info{');
      expect(await stop('observed')).toBe(0);
    });

    test('is healthy while the service runs, and unhealthy without it', async () => {
      await serve('living');
      await engine.podman('healthcheck', 'run', 'living');
      const [, program = '', ...args] = (await engine.inspect('living')).Config.Healthcheck.Test;
      expect(await stop('living')).toBe(0);
      await expect(engine.podman('run', '--entrypoint', program, TAG, ...args)).rejects.toThrow(': 1 ');
    });

    test('has a compile cache that Node accepts for each file', async () => {
      await serve('compiled', '--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE');
      expect(await stop('compiled')).toBe(0);
      const log = await engine.logs('compiled');
      expect(log).toContain(
        'retrieving transpile cache for StrippedTypeScript file:///app/packages/trellis/src/commands/serve.ts',
      );
      expect(log).not.toContain('no transpile cache for');
      expect(log).not.toContain('was rejected');
    });

    test('contains only the files that it needs to run, and none that its user may write', async () => {
      const app = join((await engine.podman('image', 'mount', TAG)).trim(), 'app');
      const files = ['.npmrc', 'LICENSE', 'commit.txt', 'openapi.yaml', 'package-lock.json', 'package.json'];
      const folders = ['generated', 'node_modules', 'packages', 'scripts', 'src'];
      expect(new Set(readdirSync(app))).toEqual(new Set([...files, ...folders]));
      expect(readdirSync(join(app, 'scripts')).toSorted()).toEqual(['node', 'plant-store', 'require-node.cjs']);
      const packages = readdirSync(join(app, 'node_modules'));
      expect(packages.filter((name) => /^(express|jest|node-.*)$/.test(name))).toEqual(['express']);
      const writable = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((path) => {
        const { uid, mode } = statSync(join(app, path));
        return uid !== 0 || (mode & 0o022) !== 0;
      });
      expect(writable).toEqual([]);
    });

    test('lists each of its packages when it runs the SBOM command of the CI workflow', async () => {
      const [, script = ''] =
        /docker run .* \\\n +'(.*)' > sbom\.json/.exec(project.read('.github/workflows/ci.yml')) ?? [];
      const list = await engine.podman('run', '--rm', '--user=root', '--entrypoint=sh', TAG, '-c', script);
      const { bomFormat, components } = JSON.parse(list) as { bomFormat: string; components: { purl: string }[] };
      expect(bomFormat).toBe('CycloneDX');
      const { packages } = JSON.parse(project.read('package-lock.json')) as {
        packages: Readonly<
          Record<string, { version: string; link?: true; dev?: true; optional?: true; devOptional?: true }>
        >;
      };
      const shipped = Object.entries(packages).filter(([path, { link, dev, optional, devOptional }]) => {
        return path.includes('node_modules/') && !link && !dev && !optional && !devOptional;
      });
      // npm links the workspaces; the image has two of them.
      for (const [name, folder] of Object.entries({ trellis: 'trellis', 'trellis-contract': 'contract' }))
        shipped.push([name, packages[`packages/${folder}`] ?? { version: '' }]);
      const purls = shipped.map(([path, { version }]) => {
        return `pkg:npm/${path.replace(/^.*node_modules\//, '').replace('@', '%40')}@${version}`;
      });
      expect(new Set(components.map(({ purl }) => purl))).toEqual(new Set(purls));
    });

    test('has labels with its name, version and license, and the size in docs/containers.md', async () => {
      expect(await engine.podman('run', TAG, '--version')).toContain(COMMIT);
      const ask = (format: string, image: string) => engine.podman('image', 'inspect', `--format=${format}`, image);
      const { version, license } = JSON.parse(project.read('package.json')) as Record<string, string>;
      const labels = JSON.parse(await ask('{{json .Labels}}', TAG)) as Record<string, string>;
      expect(labels).toMatchObject({
        'org.opencontainers.image.title': 'plant-store',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
      });
      expect(TAG).toBe(`plant-store:${String(version)}`);
      const [, added = '', base = ''] = /adds some (\d+) MB to its base,\s`(\S+)`/.exec(page('containers')) ?? [];
      const bytes = Number(await ask('{{.Size}}', TAG)) - Number(await ask('{{.Size}}', base));
      expect(Math.abs(bytes / 1e6 - Number(added))).toBeLessThan(5);
    });
  });

  describe('make services with compose.yaml that', () => {
    const BASE_URL = 'https://plants.example/api';
    const nameOf = (service: string) => `plant-store_${service}_1`;
    const [one, two, database, proxy] = [nameOf('one'), nameOf('two'), nameOf('database'), nameOf('proxy')];
    let file: readonly string[];
    let api: { readonly url: string; readonly token: string };
    const compose = (args: readonly string[]) =>
      engine.run('docker-compose', args, { BASE_URL, LOG_LEVEL: 'debug' }, project.folder);

    beforeAll(async () => {
      const [lines = ''] = blocks('containers', 'Compose', 'sh');
      const [, secrets = '', upLine = ''] = /^(.*\n)(.*) up --build\n$/s.exec(lines) ?? [];
      file = argumentsOf(upLine, 'docker compose');
      expect(await run(project, secrets)).toMatchObject({ code: 0, stderr: '' });
      const modeOf = (path: string) => statSync(join(project.folder, 'deploy/secrets', path)).mode & 0o777;
      expect(['', 'database-password', 'passfile', 'token'].map(modeOf)).toEqual([0o700, 0o644, 0o644, 0o644]);
      const port = await freePort();
      project.edit('deploy/compose.yaml', '127.0.0.1:8080:', `127.0.0.1:${port}:`);
      await engine.checkHealthDuring(compose([...file, 'up', '--detach']));
      api = { url: `http://127.0.0.1:${port}/api`, token: project.read('deploy/secrets/token').trim() };
    }, BUILD_MS);

    test('are healthy, and those that clients reach have no privileges', async () => {
      for (const [container, uid] of [
        [one, 1000],
        [two, 1000],
        [proxy, 101],
      ] as const) {
        const status = await statusOf(container);
        expect(status).toMatch(new RegExp(`^Uid:\t${uid}\t${uid}\t${uid}\t${uid}$`, 'm'));
        expect(status).toMatch(/^CapBnd:\t0+$/m);
        expect(status).toMatch(/^NoNewPrivs:\t1$/m);
        await expect(engine.podman('exec', container, 'touch', '/etc/x')).rejects.toThrow('Read-only file system');
      }
      for (const container of [one, two, database]) {
        expect((await engine.inspect(container)).State.Health?.Status).toBe('healthy');
      }
    });

    test('store a plant once through both instances, under the path of BASE_URL', async () => {
      const answers = [];
      for (const _ of [1, 2, 3, 4]) {
        const answer = await createPlant(api, PLANT);
        answers.push([answer.status, answer.headers.get('idempotent-replayed'), await answer.json()]);
      }
      const replayed = [200, 'true', { name: 'Ginkgo' }];
      expect(answers).toEqual([[200, null, { name: 'Ginkgo' }], replayed, replayed, replayed]);
      for (const instance of [one, two]) await logged(instance, '"status":200');
      expect(await engine.podman('exec', one, 'plant-store', 'export')).toBe(`${PLANT}\n`);
    });

    test('get the settings of the environment, and no others', async () => {
      const names = ['LOG_LEVEL', 'RATE_LIMIT', 'JWKS_URL'];
      const { Env } = (await engine.inspect(one)).Config;
      expect(Env.filter((each) => names.includes(each.split('=')[0] ?? ''))).toEqual(['LOG_LEVEL=debug']);
    });

    test('have limits for memory and log, and answer scrapes inside their network', async () => {
      for (const container of [one, two]) {
        const { Memory, LogConfig } = (await engine.inspect(container)).HostConfig;
        expect([Memory, LogConfig.Size]).toEqual([2 ** 30, '100MB']);
      }
      expect((await engine.inspect(proxy)).HostConfig.LogConfig.Size).toBe('100MB');
      expect(await (await fetch('http://172.30.61.11:9464/metrics')).text()).toContain('plant_store_build_info{');
    });

    test('refuse a wrong password for the database', async () => {
      const DATABASE_URL = 'postgres://plants:wrong@database/plants';
      const exported = engine.podman('exec', '--env', `DATABASE_URL=${DATABASE_URL}`, one, 'plant-store', 'export');
      await expect(exported).rejects.toThrow('password');
    });

    test('run the commands of the service in an instance', async () => {
      const stdout = await compose(argumentsOf(execLine.replace('exec one', 'exec -T one'), 'docker compose'));
      expect((await createPlant({ ...api, token: stdout.trim() }, PLANT)).status).toBe(200);
    });

    test('lose no request when an instance is killed, and restart it', async () => {
      const { Pid } = (await engine.inspect(one)).State;
      process.kill(Pid, 'SIGKILL');
      for (const _ of [1, 2, 3, 4]) expect((await createPlant(api, PLANT)).status).toBe(200);
      await until(async () => ![0, Pid].includes((await engine.inspect(one)).State.Pid));
      await until(() =>
        engine.podman('healthcheck', 'run', one).then(
          () => true,
          () => false,
        ),
      );
    });

    // This test comes last, because it ends the services.
    test('exit with 0 when Compose stops them', async () => {
      await compose([...file, 'stop']);
      for (const container of [one, two, database, proxy]) {
        expect((await engine.inspect(container)).State.ExitCode).toBe(0);
      }
    });
  });
});
