import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { IssuerSettings } from './auth/issuer.ts';
import { ExplainedError } from './explained-error.ts';
import type { Proxies } from './http/client-address.ts';
import type { LogLevel } from './observability/log.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { StoreLocation } from './storage/open.ts';
import {
  readAudience,
  readBaseUrl,
  readHost,
  readIssuer,
  readJwksUrl,
  readLogLevel,
  readOrigins,
  readPort,
  readProxies,
  readRateLimit,
  readScopes,
  readStore,
  readToken,
} from './settings.ts';

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
  /** `JWT_ISSUER`, `JWT_AUDIENCE`, `JWT_SCOPE` and `JWKS_URL`; undefined: no JSON Web Tokens. */
  readonly issuer: IssuerSettings | undefined;
  /** `ADMIN_HOST` and `ADMIN_PORT`; undefined: no admin listener. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /** `RATE_LIMIT`; undefined: there is none. */
  readonly rateLimit: RateLimit | undefined;
  /** `CORS_ORIGINS`: the origins whose pages may call, or `*`; undefined: none. */
  readonly corsOrigins: readonly string[] | undefined;
  /** `TRUST_PROXY`; undefined: there is no proxy in front. */
  readonly proxies: Proxies | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, over what a file `.env` in the working folder has. */
export function readEnvironment(): Environment {
  let file: Environment = {};
  try {
    file = parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if (!(Error.isError(error) && 'code' in error && error.code === 'ENOENT')) {
      throw new ExplainedError(`.env cannot be read: ${Error.isError(error) ? error.message : String(error)}`);
    }
  }
  return { ...file, ...process.env };
}

/** @throws ExplainedError which names every setting that is wrong, not only the first */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  function setting<T>(name: string, read: (text: string) => T, fallback: T): T {
    const text = textOf(environment, name);
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
  const issuer = setting<string | undefined>('JWT_ISSUER', readIssuer, undefined);
  const audience = setting<string | undefined>('JWT_AUDIENCE', readAudience, undefined);
  const scopes = setting<readonly string[]>('JWT_SCOPE', readScopes, []);
  const jwksUrl = setting<string | undefined>('JWKS_URL', readJwksUrl, undefined);
  faults.push(...isolatedFaults(environment));
  const config: Config = {
    host,
    port,
    store: setting('DATABASE_URL', readStore, readStore('sqlite:data/plants.db')),
    baseUrl: setting<URL | undefined>('BASE_URL', readBaseUrl, undefined),
    logLevel: setting('LOG_LEVEL', readLogLevel, 'info'),
    provisionedToken: setting<string | undefined>('TOKEN_FILE', readToken, undefined),
    issuer: issuer === undefined || audience === undefined ? undefined : { issuer, audience, scopes, jwksUrl },
    admin: adminPort === undefined ? undefined : { host: adminHost, port: adminPort },
    rateLimit: setting<RateLimit | undefined>('RATE_LIMIT', readRateLimit, undefined),
    corsOrigins: setting<readonly string[] | undefined>('CORS_ORIGINS', readOrigins, undefined),
    proxies: setting<Proxies | undefined>('TRUST_PROXY', readProxies, undefined),
  };
  if (faults.length > 0) throw new ExplainedError(faults.join('; '));
  return config;
}

/** An empty setting counts as none: that is how containers leave one out. */
function textOf(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? '';
}

/** Settings that are nothing without another one. */
function isolatedFaults(environment: Environment): string[] {
  const isSet = (name: string) => textOf(environment, name) !== '';
  if (!isSet('JWT_ISSUER')) {
    const others = ['JWT_AUDIENCE', 'JWT_SCOPE', 'JWKS_URL'].filter(isSet);
    return others.map((name) => `${name} needs JWT_ISSUER beside it: set that, or leave this one out`);
  }
  return isSet('JWT_AUDIENCE')
    ? []
    : ['JWT_AUDIENCE must be set beside JWT_ISSUER: the `aud` of tokens for this service'];
}
