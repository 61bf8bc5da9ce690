import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isUnalterable } from './auth/issuer.ts';
import { isToken } from './auth/token.ts';
import type { Proxies } from './http/client-address.ts';
import { LOG_LEVELS, type LogLevel } from './observability/log.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { StoreLocation } from './storage/open.ts';
import { readPostgresLocation } from './storage/postgres/location.ts';

// How the text of each setting is read. What they throw goes behind the setting's name: `must be …, not …`.

export function readHost(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`must be an address or a name to listen on, not ${show(text)}`);
  return text;
}

export function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new Error(`must be a port from 0 to 65535, not ${show(text)}`);
  return Number(text);
}

export function readStore(text: string): StoreLocation {
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

export function readBaseUrl(text: string): URL {
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

export function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}, not ${show(text)}`);
  return level;
}

/** The origins whose pages may call, as browsers name them; `*` alone stands for all. */
export function readOrigins(text: string): readonly string[] {
  const origins = text.split(/[\s,]+/);
  if (text === '*') return origins;
  for (const each of origins) {
    const url = URL.parse(each);
    const web = url !== null && /^https?:$/.test(url.protocol) && !url.hostname.includes('*');
    if (web && url.origin === each) continue;
    const right = web ? url.origin : 'https://app.example';
    throw new Error(`must be *, or origins as browsers spell them, such as ${right}, not ${show(each)}`);
  }
  return origins;
}

/** The units of time that people write, in milliseconds. */
export const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The longest that requests are counted for. */
const MOST_WINDOW_MS = 24 * 3_600_000;

export function readRateLimit(text: string): RateLimit {
  const [, requests = '', count = '', unit = ''] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const windowMs = Number(count) * (UNITS[unit] ?? 0);
  if (windowMs === 0 || windowMs > MOST_WINDOW_MS)
    throw new Error(`must be a number of requests and a time of up to 24h, such as 600/60s, not ${show(text)}`);
  return { requests: Number(requests), windowMs };
}

/** How many proxies a request may have come by. */
const MAX_HOPS = 32;
/** Names for networks, as Express has them. */
const NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** How many proxies there are in front, or where they are. */
export function readProxies(text: string): Proxies {
  const forms =
    'the number of proxies in front, from 1 to 32, or their addresses, such as 10.0.0.1, 10.0.0.0/8, loopback';
  if (text === 'true') throw new Error(`must not be true: any client could choose an address. It must be ${forms}`);
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_HOPS) return Number(text);
  const proxies = text.split(/[\s,]+/);
  if (proxies.every((each) => NETWORKS.includes(each) || isNetwork(each))) return proxies;
  throw new Error(`must be ${forms}, not ${show(text)}`);
}

/** Whether it is an address, or a network that is not all of them. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '1', ...more] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most;
}

export function readToken(path: string): string {
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

export function readIssuer(text: string): string {
  const url = URL.parse(text);
  if (url === null || !isUnalterable(url)) {
    throw new Error(`must be an address such as https://id.example (http on this machine only), not ${show(text)}`);
  }
  if (/[?#]/.test(text) || url.username !== '' || url.password !== '') {
    throw new Error('must have neither a query nor a fragment nor a user');
  }
  // Tokens are compared with it to the letter.
  return text;
}

export function readAudience(text: string): string {
  if (!/^[\x21-\x7e]{1,1000}$/.test(text)) {
    throw new Error(`must be what tokens for this service have as \`aud\`, without spaces, not ${show(text)}`);
  }
  return text;
}

/** What the challenge of a 403 has room for. */
const MOST_SCOPES = 900;

export function readScopes(text: string): readonly string[] {
  // RFC 6749, section 3.3.
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) || text.length > MOST_SCOPES) {
    throw new Error(`must be scopes, with spaces between them, of 900 characters at most, not ${show(text)}`);
  }
  return text.split(/ +/);
}

export function readJwksUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !isUnalterable(url) || url.username !== '' || url.password !== '') {
    throw new Error('must be an address such as https://id.example/jwks (http on this machine only), without a user');
  }
  return url.href;
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
