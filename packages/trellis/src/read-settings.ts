import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isUnalterable } from './auth/issuer.ts';
import { type TokenFile, tokensIn } from './auth/token-file.ts';
import { areScopes, messageOf } from 'trellis-contract/ground';
import type { Proxies } from './http/client-address.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { LOG_LEVELS, type LogLevel } from './observability/log.ts';
import type { Setting } from './service.ts';
import type { StoreLocation } from './storage/open.ts';
import { readPostgresLocation } from './storage/postgres/location.ts';

/** Where a part of the value is a secret, `show` hides that part in the output of the command `config`. */
export type CommonSetting = Setting & { readonly show?: (text: string) => string };

/** The settings that every service has. */
export const SETTINGS = {
  HOST: { read: readHost, default: '127.0.0.1', meaning: 'the address that the service listens on' },
  PORT: {
    read: readPort,
    default: '3000',
    meaning: 'the port that the service listens on; `0` lets the system choose',
  },
  DATABASE_URL: {
    read: readStore,
    show: (text) => nameOfStore(readStore(text)),
    meaning: 'the store: an SQLite file, which the service creates with its folder, or [PostgreSQL](postgresql.md)',
  },
  BASE_URL: {
    read: readBaseUrl,
    meaning:
      'the [public address](#the-public-address), where it differs; its path is the path of all pages and operations',
  },
  LOG_LEVEL: {
    read: readLogLevel,
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
  TOKEN_FILE: {
    read: readTokens,
    meaning:
      'a file with access tokens, one on each line, which are valid [beside those in the store](authentication.md#tokens)',
  },
  JWT_ISSUER: {
    read: readIssuer,
    meaning: 'the [identity provider](authentication.md#json-web-tokens) whose tokens the service accepts',
  },
  JWT_AUDIENCE: { read: readAudience, meaning: 'the `aud` of these tokens; `JWT_ISSUER` needs it' },
  JWT_SCOPE: { read: readScopes, meaning: 'the scopes that each of these tokens must have' },
  JWKS_URL: {
    read: readJwksUrl,
    show: (text) => text.replace(/\?.*/s, '?…'),
    meaning: 'the address of the provider’s keys; without it, the provider’s discovery document names it',
  },
  RATE_LIMIT: {
    read: readRateLimit,
    meaning: 'how many requests each token may send, such as `600/60s`, see [Rate limits](#rate-limits)',
  },
  CORS_ORIGINS: {
    read: readOrigins,
    meaning: 'the origins whose pages may call the service, see [Browsers](#browsers-of-other-origins-cors)',
  },
  CORS_HEADERS: {
    read: readHeaderNames,
    meaning: 'request headers that these pages may send, beside those of the contract; `CORS_ORIGINS` must be set',
  },
  TRUST_PROXY: {
    read: readProxies,
    meaning: 'the number of proxies in front, or their addresses, see [below](#the-address-of-the-client)',
  },
  IDLE_TIMEOUT: {
    read: readIdleTimeout,
    default: '65s',
    meaning: 'how long a connection may wait for its next request: longer than proxies in front keep an idle one',
  },
  ADMIN_PORT: {
    read: readPort,
    meaning: 'the port of the [admin listener](observability.md); without it there is none',
  },
  ADMIN_HOST: { read: readHost, default: '127.0.0.1', meaning: 'the address of the admin listener' },
} satisfies Readonly<Record<string, CommonSetting>>;

// Each function reads the text of a setting. It throws an Error whose message follows the setting's name.

function readHost(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`must be an IP address or a host name, not ${show(text)}`);
  return text;
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new Error(`must be a port from 0 to 65535, not ${show(text)}`);
}

function readStore(text: string): StoreLocation {
  if (/^postgres(ql)?:/.test(text)) return readPostgresLocation(text);
  const [, path = ''] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (/^[~$]/.test(path))
    throw new Error(
      'must be a whole path after sqlite:, as only a shell expands ~ and $; a folder with such a name is sqlite:./~',
    );
  if (path !== '' && path !== ':memory:' && !path.startsWith('//')) return { engine: 'sqlite', path: resolve(path) };
  // The message does not quote the text, which may contain a password.
  throw new Error(
    `must be sqlite: and the path of a file, such as sqlite:data/store.db, or postgres://user:password@host/database`,
  );
}

/** DATABASE_URL with an absolute path, and without the password. */
export function nameOfStore(store: StoreLocation): string {
  return store.engine === 'sqlite' ? `sqlite:${store.path}` : store.url;
}

/** Reads a URL. If it has a query, a fragment or a user, the message does not quote it: it may contain a secret. */
function readUrl(text: string, form: string, isAllowed: (url: URL) => boolean): URL {
  const url = URL.parse(text);
  if (/[?#]|\/\/[^/]*@/.test(text) || url?.username || url?.password)
    throw new Error('must have no query, no fragment and no user');
  if (url === null || !isAllowed(url)) throw new Error(`must be an address such as ${form}, not ${show(text)}`);
  return url;
}

function readBaseUrl(text: string): URL {
  const url = readUrl(text, 'https://store.example/api', ({ protocol }) => /^https?:$/.test(protocol));
  url.pathname = url.pathname.replace(/\/+$/, '');
  // Browsers read the text after two slashes as a host.
  if (url.pathname.includes('//')) throw new Error(`must not have // in its path, as ${show(text)} has`);
  return url;
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}, not ${show(text)}`);
  return level;
}

function readTokens(path: string): TokenFile {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return { path, tokens: tokensIn(text, path) };
}

/** Returns the text unchanged, as the `iss` of a token must equal it. */
function readIssuer(text: string): string {
  readUrl(text, 'https://id.example (http on this machine only)', isUnalterable);
  return text;
}

function readAudience(text: string): string {
  if (/^[\x21-\x7e]{1,1000}$/.test(text)) return text;
  throw new Error(`must be the \`aud\` of tokens for this service, without spaces, not ${show(text)}`);
}

function readScopes(text: string): readonly string[] {
  const scopes = text.split(/ +/);
  if (areScopes(scopes)) return scopes;
  throw new Error(`must be scopes separated by spaces, at most 900 characters in total, not ${show(text)}`);
}

/** Allows a query, as some providers use one. */
function readJwksUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && isUnalterable(url) && url.username === '' && url.password === '') return url.href;
  throw new Error(
    'must be an address such as https://id.example/jwks, without user name and password (http for localhost only)',
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time such as `90d`, `12h`, `30m` or `45s`; returns 0 for any other text. */
export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNIT_MS[unit] ?? 0);
}

function readRateLimit(text: string): RateLimit {
  const [, requests = '', window = ''] = /^([1-9]\d{0,8})\/([1-9]\d{0,4}[smh])$/.exec(text) ?? [];
  const windowMs = durationMs(window);
  if (windowMs > 0 && windowMs <= 24 * 3_600_000) return { requests: Number(requests), windowMs };
  throw new Error(`must be a number of requests per time (at most 24h), such as 600/60s, not ${show(text)}`);
}

function readOrigins(text: string): readonly string[] {
  const origins = text.split(/[\s,]+/);
  if (text === '*') return origins;
  for (const each of origins) {
    const url = URL.parse(each);
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && !url.hostname.includes('*');
    // Apps in a web view have origins such as capacitor://localhost. Browsers send `null` for file:.
    if (isWeb ? url.origin === each : APP_ORIGIN.test(each)) continue;
    const right = isWeb ? url.origin : 'https://app.example';
    throw new Error(`must be *, or origins as browsers spell them, such as ${right}, not ${show(each)}`);
  }
  return origins;
}

const APP_ORIGIN = /^(?!https?:|file:)[a-z][a-z\d+.-]*:\/\/[\w.-]+(?::\d+)?$/;

function readHeaderNames(text: string): readonly string[] {
  const names = text.split(/[\s,]+/);
  if (names.every((each) => /^[\w!#$%&'+.^`|~-]+$/.test(each))) return names;
  throw new Error(`must be names of header fields, such as X-Requested-With, not ${show(text)}`);
}

function readIdleTimeout(text: string): number {
  const ms = durationMs(text);
  if (ms > 0 && ms <= 3_600_000) return ms;
  throw new Error(`must be a time from 1s to 1h, such as 65s or 10m, not ${show(text)}`);
}

function readProxies(text: string): Proxies {
  const form = 'the number of proxies in front (1 to 32), or their addresses, such as 10.0.0.1, 10.0.0.0/8 or loopback';
  if (text === 'true') throw new Error(`must not be true, as any client could choose its address: it must be ${form}`);
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 32) return Number(text);
  const proxies = text.split(/[\s,]+/);
  if (proxies.every((each) => /^(loopback|linklocal|uniquelocal)$/.test(each) || isNetwork(each))) return proxies;
  throw new Error(`must be ${form}, not ${show(text)}`);
}

/** Accepts an address or a network, but not the network of all addresses. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/');
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits;
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
