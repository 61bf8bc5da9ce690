import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isToken } from './auth/token.ts';
import type { LogLevel } from './log.ts';
import { LOG_LEVELS } from './log.ts';
import type { StoreLocation } from './storage/open.ts';
import { readPostgresLocation } from './storage/postgres/location.ts';

/** The settings of the service, read from the environment and nowhere else. */
export interface Config {
  /** `HOST`, the address to listen on. */
  readonly host: string;
  /** `PORT`; 0 lets the system choose one. */
  readonly port: number;
  /** `DATABASE_URL`. */
  readonly store: StoreLocation;
  /** `BASE_URL`, the public address, without a slash at the end; undefined: wherever the service listens. */
  readonly baseUrl: URL | undefined;
  /** `LOG_LEVEL`. */
  readonly logLevel: LogLevel;
  /** What `TOKEN_FILE` holds: an access token that is valid without being in the store. */
  readonly provisionedToken: string | undefined;
  /** `ADMIN_HOST` and `ADMIN_PORT`; undefined: no admin listener. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
}

/** Settings are wrong: one sentence for each that is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, over what a file `.env` in the working folder has. */
export function readEnvironment(): Environment {
  let file: Environment = {};
  try {
    file = parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if (!(Error.isError(error) && 'code' in error && error.code === 'ENOENT')) {
      throw new ConfigError(`.env cannot be read: ${Error.isError(error) ? error.message : String(error)}`);
    }
  }
  return { ...file, ...process.env };
}

/** @throws ConfigError which names every setting that is wrong, not only the first */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  /** An empty setting counts as none: that is how containers leave one out. */
  function setting<T>(name: string, read: (text: string) => T, fallback: T): T {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return fallback;
    try {
      return read(text);
    } catch (error) {
      faults.push(`${name} ${Error.isError(error) ? error.message : String(error)}`);
      return fallback;
    }
  }
  const host = setting('HOST', readHost, '127.0.0.1');
  const adminHost = setting('ADMIN_HOST', readHost, '127.0.0.1');
  const adminPort = setting<number | undefined>('ADMIN_PORT', readPort, undefined);
  const port = setting('PORT', readPort, 3000);
  if (port !== 0 && port === adminPort && host === adminHost) faults.push('ADMIN_PORT must be another one than PORT');
  const config: Config = {
    host,
    port,
    store: setting('DATABASE_URL', readStore, readStore('sqlite:data/plants.db')),
    baseUrl: setting<URL | undefined>('BASE_URL', readBaseUrl, undefined),
    logLevel: setting('LOG_LEVEL', readLogLevel, 'info'),
    provisionedToken: setting<string | undefined>('TOKEN_FILE', readToken, undefined),
    admin: adminPort === undefined ? undefined : { host: adminHost, port: adminPort },
  };
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return config;
}

function readHost(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`must be an address or a name to listen on, not ${show(text)}`);
  return text;
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new Error(`must be a port from 0 to 65535, not ${show(text)}`);
  return Number(text);
}

function readStore(text: string): StoreLocation {
  if (/^postgres(ql)?:/.test(text)) return readPostgresLocation(text);
  const [, path = ''] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (path === '' || path === ':memory:' || path.startsWith('//')) {
    // The text may hold a password: it is not repeated.
    throw new Error(
      'must be sqlite: and the path of a file, such as sqlite:data/plants.db, or postgres://user:password@host/database',
    );
  }
  return { engine: 'sqlite', path: resolve(path) };
}

function readBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`must be an address such as https://plants.example/api, not ${show(text)}`);
  }
  if (/[?#]/.test(text) || url.username !== '' || url.password !== '') {
    throw new Error('must have neither a query nor a fragment nor a user');
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  // A browser would read what follows two slashes as a host.
  if (url.pathname.includes('//')) throw new Error(`must not have two slashes in its path, as ${show(text)} has`);
  return url;
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}, not ${show(text)}`);
  return level;
}

function readToken(path: string): string {
  let text;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`cannot be read: ${Error.isError(error) ? error.message : String(error)}`, { cause: error });
  }
  if (!isToken(text) || text.length < 32) {
    throw new Error(
      `must name a file that holds one token, of 32 or more letters, digits and -._~+/ (${path} does not)`,
    );
  }
  return text;
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
