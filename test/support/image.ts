import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { contextOf, type Instruction, pairs, parseDockerfile, words } from './dockerfile.ts';
import { inRoot, makeBase, type Surroundings, USERS } from './scratch-root.ts';
import { temporaryFolder } from './temporary.ts';

/** What `docker build` would have made. */
export class Image {
  readonly root: string;
  readonly env: Record<string, string> = {};
  readonly labels: Record<string, string> = {};
  readonly volumes: string[] = [];
  readonly exposed: string[] = [];
  user = 'root';
  workdir = '/';
  entrypoint: string[] = [];
  cmd: string[] = [];
  healthcheck: string[] = [];
  stopSignal = '';

  constructor(root: string) {
    this.root = root;
  }

  /** The command line of `docker run`, with a folder for each volume, and the rest read-only. */
  run(
    volumes: Surroundings['mounts'],
    env: Surroundings['env'],
    command: readonly string[],
    readOnly = true,
  ): string[] {
    const around = { user: this.user, workdir: this.workdir, env: { ...this.env, ...env }, readOnly, mounts: volumes };
    return inRoot(this.root, around, command);
  }

  /** A folder for each volume, with what the image has there, as a new one gets. */
  createVolumes(): Record<string, string> {
    return Object.fromEntries(
      this.volumes.map((at) => {
        const folder = join(temporaryFolder(), 'volume');
        execFileSync('cp', ['-a', join(this.root, at), folder]);
        return [at, folder];
      }),
    );
  }
}

/** What every RUN finds around it. */
export type Building = Pick<Surroundings, 'env' | 'mounts'>;

/** Follows a Dockerfile, instruction by instruction. @throws Error for what it does not know */
export function buildImage(context: string, building: Building): Image {
  const stages = new Map<string, Image>();
  let image = new Image('');
  for (const { name, base, instructions } of parseDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    image = new Image(temporaryFolder());
    stages.set(name, image);
    makeBase(image.root, base);
    for (const instruction of instructions) follow(instruction, image, stages, context, building);
  }
  return image;
}

function follow(
  { name, flags, rest }: Instruction,
  image: Image,
  stages: ReadonlyMap<string, Image>,
  context: string,
  building: Building,
): void {
  switch (name) {
    case 'RUN': {
      const { user, workdir } = image;
      const around = {
        user,
        workdir,
        env: { ...building.env, ...image.env },
        readOnly: false,
        mounts: building.mounts,
      };
      const [command = '', ...args] = inRoot(image.root, around, ['sh', '-c', rest]);
      execFileSync(command, args, { stdio: 'pipe' });
      return;
    }
    case 'COPY':
      copy(rest.split(/\s+/), image, flags['chown'] ?? 'root:root', flags['from'], stages, context);
      return;
    case 'WORKDIR':
      image.workdir = rest;
      mkdirSync(join(image.root, rest), { recursive: true });
      return;
    case 'ENV':
      Object.assign(image.env, pairs(rest));
      return;
    case 'LABEL':
      Object.assign(image.labels, pairs(rest));
      return;
    case 'USER':
      image.user = rest;
      return;
    case 'VOLUME':
      image.volumes.push(rest);
      return;
    case 'EXPOSE':
      image.exposed.push(rest);
      return;
    case 'STOPSIGNAL':
      image.stopSignal = rest;
      return;
    case 'HEALTHCHECK':
      image.healthcheck = words(rest.replace(/^CMD /, ''));
      return;
    case 'ENTRYPOINT':
      image.entrypoint = words(rest);
      return;
    case 'CMD':
      image.cmd = words(rest);
      return;
    default:
      throw new Error(`what ${name} does is not known here`);
  }
}

/** As COPY does: of a folder its content; owned by root, unless it says by whom. */
function copy(
  paths: readonly string[],
  image: Image,
  owner: string,
  from: string | undefined,
  stages: ReadonlyMap<string, Image>,
  context: string,
): void {
  const stage = from === undefined ? undefined : stages.get(from);
  if (from !== undefined && stage === undefined) throw new Error(`there is no stage ${from}`);
  const allowed = contextOf(context);
  const target = paths.at(-1) ?? '';
  const to = target.startsWith('/') ? join(image.root, target) : join(image.root, image.workdir, target);
  const ids = owner
    .split(':')
    .map((name) => String(USERS[name]))
    .join(':');
  for (const path of paths.slice(0, -1)) {
    if (stage === undefined && !allowed(path)) throw new Error(`.dockerignore leaves ${path} out`);
    const source = stage === undefined ? join(context, path) : join(stage.root, path);
    const isFolder = statSync(source).isDirectory();
    const copied = !isFolder && target.endsWith('/') ? join(to, basename(path)) : to;
    mkdirSync(isFolder ? copied : dirname(copied), { recursive: true });
    execFileSync('cp', ['-a', isFolder ? `${source}/.` : source, copied]);
    execFileSync('chown', ['--recursive', ids, copied]);
  }
}
