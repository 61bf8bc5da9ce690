import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { pairs, parseDockerfile, words } from './dockerfile.ts';
import { type Proxy, startNginx } from './nginx.ts';
import { lastingPort } from './port.ts';
import { PostgresServer } from './postgres.ts';
import { type Environment, listening, ROOT, start, type Started } from './service.ts';

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Environment;
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks?: { readonly default?: { readonly ipv4_address?: string } };
  readonly [setting: string]: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<'database' | 'one' | 'two' | 'proxy', ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const COMPOSE = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as Compose;

const [image] = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).slice(-1);
const instruction = (name: string) => image?.instructions.find((each) => each.name === name)?.rest ?? '';

/** An instance of the service, which can be stopped and started again. */
export class Instance {
  readonly env: Environment;
  private started: Started | undefined;

  constructor(env: Environment) {
    this.env = env;
  }

  /** Runs what the image runs. */
  async start(): Promise<void> {
    const [, ...args] = [...words(instruction('ENTRYPOINT')), ...words(instruction('CMD'))];
    this.started = start(process.execPath, args, this.env, ROOT);
    await listening(this.started);
  }

  /** The exit code of the image's health check. */
  async health(): Promise<unknown> {
    const [, ...args] = words(instruction('HEALTHCHECK').replace(/^CMD /, ''));
    return start(process.execPath, args, this.env, ROOT).ended;
  }

  async end(signal: NodeJS.Signals): Promise<unknown> {
    this.started?.child.kill(signal);
    return this.started?.ended;
  }

  get log(): Record<string, unknown>[] {
    return this.started?.log() ?? [];
  }
}

/** The services of `deploy/compose.yaml` as processes of this machine, which have other addresses and ports. */
export class Composed implements AsyncDisposable {
  readonly database: PostgresServer;
  readonly instances: readonly Instance[];
  readonly proxy: Proxy;
  readonly token: string;

  private constructor(database: PostgresServer, instances: readonly Instance[], proxy: Proxy, token: string) {
    this.database = database;
    this.instances = instances;
    this.proxy = proxy;
    this.token = token;
  }

  /** @param secrets the folder with the files that the secrets are */
  static async up(secrets: string, variables: Environment = {}): Promise<Composed> {
    const { database: db, one, two, proxy } = COMPOSE.services;
    const fileOf = (name: string) => join(secrets, basename(COMPOSE.secrets[name]?.file ?? ''));
    const given = (service: ComposeService, addresses: Environment): Environment =>
      Object.fromEntries(
        Object.entries({ ...service.environment }).map(([name, text]) => {
          const value = text.replaceAll(
            /\$\{(\w+):-(.*?)\}/g,
            (_, variable: string, or: string) => variables[variable] ?? or,
          );
          const local = Object.entries(addresses).reduce((result, [from, to]) => result.replaceAll(from, to), value);
          return [name, local.replaceAll(/\/run\/secrets\/(\w+)/g, (_, secret: string) => fileFor(service, secret))];
        }),
      );
    const fileFor = (service: ComposeService, secret: string) => {
      if (service.secrets?.includes(secret) !== true) throw new Error(`a service is not given its secret ${secret}`);
      return fileOf(secret);
    };

    const server = await createDatabase(given(db, {}));
    const addresses: Record<string, string> = {};
    const instances: Instance[] = [];
    for (const service of [one, two]) {
      const PORT = String(await lastingPort());
      const own = { PORT, ADMIN_PORT: String(await lastingPort()), HOST: '127.0.0.1' };
      addresses[`${service.networks?.default?.ipv4_address ?? ''}:3000`] = `127.0.0.1:${PORT}`;
      const env = given(service, { '@database/': `@127.0.0.1:${server.port}/` });
      instances.push(new Instance({ ...pairs(instruction('ENV')), ...env, ...own }));
    }
    await Promise.all(instances.map((instance) => instance.start()));
    const front = await startNginx({
      upstreams: 'compose-upstreams.conf',
      addresses,
      ...(proxy.command && { command: proxy.command }),
    });
    const token = readFileSync(given(one, {})['TOKEN_FILE'] ?? '', 'utf8').trim();
    return new Composed(server, instances, front, token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy.stop();
    await Promise.all(this.instances.map((instance) => instance.end('SIGTERM')));
    await this.database.remove();
  }
}

/** What the image `postgres` does with its environment: a user with this password, and a database of theirs. */
async function createDatabase(environment: Environment): Promise<PostgresServer> {
  const { POSTGRES_USER: user = '', POSTGRES_DB: database = '', POSTGRES_PASSWORD_FILE: file = '' } = environment;
  const server = await PostgresServer.create();
  const password = readFileSync(file, 'utf8').trim();
  await server.query(`create role ${user} superuser login password '${password}'`);
  await server.query(`create database ${database} owner ${user}`);
  const rules = join(server.data, 'pg_hba.conf');
  writeFileSync(rules, `host all ${user} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  await server.query('select pg_reload_conf()');
  return server;
}

/** Runs the database's health check on a server. @throws Error if it is not healthy */
export function checkDatabase({ port }: PostgresServer): void {
  const [kind, program = '', ...args] = COMPOSE.services.database.healthcheck?.test ?? [];
  if (kind !== 'CMD') throw new Error('the health check of the database goes through a shell');
  execFileSync(program, args, { env: { ...process.env, PGPORT: String(port) }, stdio: 'pipe' });
}
