import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { DEADLINE } from '../../src/http/bounds.ts';
import { runCommand } from '../support/service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { items } from '../services/items/index.ts';

const folder = temporaryFolder();
const TOKEN = 'a-token-that-was-provisioned-000001';
writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
writeFileSync(join(folder, 'short'), 'short');
writeFileSync(join(folder, 'two'), `${TOKEN}\n${TOKEN}-2 \r\n\n`);
writeFileSync(join(folder, 'two in a line'), `${TOKEN} ${TOKEN}`);

const PORT = 'must be a port from 0 to 65535, not "';
const SHELL = 'must be a whole path after sqlite:, as only a shell expands ~ and $';
const STORE = 'must be sqlite: and the path of a file, such as sqlite:data/store.db';
const BASE = 'must be an address such as https://store.example/api, not "';
const BARE = 'must have no query, no fragment and no user';
const LIMIT = 'must be a number of requests per time (at most 24h), such as 600/60s, not "';
const ORIGINS = 'must be *, or origins as browsers spell them, such as';
const PROXIES =
  'must be the number of proxies in front (1 to 32), or their addresses, such as 10.0.0.1, 10.0.0.0/8 or loopback, not "';
const ISSUER = 'must be an address such as https://id.example (http on this machine only)';
const SCOPES = 'must be scopes separated by spaces, at most 900 characters in total';
const KEYS =
  'must be an address such as https://id.example/jwks, without user name and password (http for localhost only)';

describe('the settings', () => {
  test('take their defaults when they are unset or empty', () => {
    const defaults = {
      HOST: '127.0.0.1',
      PORT: 3000,
      DATABASE_URL: { engine: 'sqlite', path: resolve('data/items.db') },
      LOG_LEVEL: 'info',
      IDLE_TIMEOUT: DEADLINE.idle,
      ADMIN_HOST: '127.0.0.1',
    };
    expect(readConfig(items, {})).toEqual(defaults);
    expect(readConfig(items, { HOST: '', PORT: ' ', BASE_URL: '', ADMIN_PORT: '', RATE_LIMIT: '' })).toEqual(defaults);
  });

  test.each([
    ['HOST', '::1', '::1'],
    ['PORT', '0', 0],
    ['DATABASE_URL', 'sqlite:/var/lib/items.db', { engine: 'sqlite', path: '/var/lib/items.db' }],
    ['DATABASE_URL', 'sqlite:./~/x.db', { engine: 'sqlite', path: resolve('~/x.db') }],
    ['BASE_URL', 'https://items.example/api/', new URL('https://items.example/api')],
    ['LOG_LEVEL', 'warn', 'warn'],
    ['TOKEN_FILE', join(folder, 'token'), { path: join(folder, 'token'), tokens: [TOKEN] }],
    ['TOKEN_FILE', join(folder, 'two'), { path: join(folder, 'two'), tokens: [TOKEN, `${TOKEN}-2`] }],
    ['JWT_ISSUER', 'https://id.example/realms/garden/', 'https://id.example/realms/garden/'],
    ['JWT_ISSUER', 'http://localhost:4000', 'http://localhost:4000'],
    ['JWT_ISSUER', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['JWT_ISSUER', 'http://[::1]:4000', 'http://[::1]:4000'],
    ['JWT_AUDIENCE', 'https://items.example', 'https://items.example'],
    ['JWT_SCOPE', 'items:write  openid', ['items:write', 'openid']],
    ['JWKS_URL', 'http://localhost:4000/jwks?of=items', 'http://localhost:4000/jwks?of=items'],
    ['RATE_LIMIT', '600/60s', { requests: 600, windowMs: 60_000 }],
    ['RATE_LIMIT', '1/24h', { requests: 1, windowMs: 86_400_000 }],
    ['RATE_LIMIT', '999999999/5m', { requests: 999_999_999, windowMs: 300_000 }],
    ['CORS_ORIGINS', 'https://a.example, https://[::1]:8443', ['https://a.example', 'https://[::1]:8443']],
    ['CORS_ORIGINS', '*', ['*']],
    ['CORS_ORIGINS', 'capacitor://localhost tauri://localhost:1', ['capacitor://localhost', 'tauri://localhost:1']],
    ['CORS_ORIGINS', 'chrome-extension://abcdef', ['chrome-extension://abcdef']],
    ['CORS_HEADERS', 'X-Requested-With, x-trace', ['X-Requested-With', 'x-trace']],
    ['IDLE_TIMEOUT', '10m', 600_000],
    ['TRUST_PROXY', '2', 2],
    ['TRUST_PROXY', '10.0.0.1, 2001:db8::/32,loopback', ['10.0.0.1', '2001:db8::/32', 'loopback']],
    ['ADMIN_PORT', '9000', 9000],
    ['ADMIN_HOST', '0.0.0.0', '0.0.0.0'],
  ])('accept %s=%s', (name, text, value) => {
    const others = { JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'items', CORS_ORIGINS: '*' };
    const settings = { ...others, [name]: text };
    expect(readConfig(items, settings)).toMatchObject({ [name]: value });
  });

  test.each([
    ['HOST', 'not a host', 'must be an IP address or a host name, not "not a host"'],
    ['PORT', '65536', `${PORT}65536"`],
    ['PORT', '0x50', `${PORT}0x50"`],
    ['PORT', '-1', `${PORT}-1"`],
    ['ADMIN_PORT', 'http', `${PORT}http"`],
    ['DATABASE_URL', 'sqlite:', STORE],
    ['DATABASE_URL', 'sqlite::memory:', STORE],
    ['DATABASE_URL', 'sqlite:~/x.db', SHELL],
    ['DATABASE_URL', 'sqlite:$HOME/x.db', SHELL],
    ['DATABASE_URL', 'mysql://root:secret@db/items', STORE],
    ['BASE_URL', '/api', `${BASE}/api"`],
    ['BASE_URL', 'ftp://items.example', `${BASE}ftp://items.example"`],
    ['BASE_URL', 'http://x//api', 'must not have // in its path, as "http://x//api" has'],
    ['BASE_URL', 'https://items.example/?a=b', BARE],
    ['BASE_URL', 'https://items.example/?', BARE],
    ['BASE_URL', 'https://items.example/#', BARE],
    ['BASE_URL', 'https://user:secret@items.example', BARE],
    ['BASE_URL', 'https:user:secret@items.example', BARE],
    ['BASE_URL', 'https:/user:secret@items.example', BARE],
    ['BASE_URL', String.raw`https:\\user:secret@items.example`, BARE],
    ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent, not "loud"'],
    ['RATE_LIMIT', '600', LIMIT],
    ['RATE_LIMIT', '0/60s', LIMIT],
    ['RATE_LIMIT', '600/0s', LIMIT],
    ['RATE_LIMIT', '600/60', LIMIT],
    ['RATE_LIMIT', '600/1d', LIMIT],
    ['RATE_LIMIT', '600/25h', LIMIT],
    ['CORS_ORIGINS', 'https://app.example/', `${ORIGINS} https://app.example, not "https://app.example/"`],
    ['CORS_ORIGINS', 'https://App.example:443/a', `${ORIGINS} https://app.example, not "https://App.example:443/a"`],
    ['CORS_ORIGINS', 'app.example:3000', `${ORIGINS} https://app.example, not "app.example:3000"`],
    ['CORS_ORIGINS', 'https://a.example, *', `${ORIGINS} https://app.example, not "*"`],
    ['CORS_ORIGINS', 'https://*.example', `${ORIGINS} https://app.example, not "https://*.example"`],
    ['CORS_ORIGINS', 'file://', `${ORIGINS} https://app.example, not "file://"`],
    ['CORS_ORIGINS', 'capacitor://localhost/', `${ORIGINS} https://app.example, not "capacitor://localhost/"`],
    ['CORS_HEADERS', 'X Y: 1', 'must be names of header fields, such as X-Requested-With, not "X Y: 1"'],
    ['CORS_HEADERS', '*', 'must be names of header fields'],
    ['IDLE_TIMEOUT', '2h', 'must be a time from 1s to 1h, such as 65s or 10m, not "2h"'],
    ['IDLE_TIMEOUT', '65', 'must be a time from 1s to 1h'],
    ['CORS_ORIGINS', 'null', `${ORIGINS} https://app.example, not "null"`],
    ['CORS_ORIGINS', ',', `${ORIGINS} https://app.example, not ""`],
    ['TRUST_PROXY', 'true', 'must not be true, as any client could choose its address: '],
    ['TRUST_PROXY', '0', PROXIES],
    ['TRUST_PROXY', '33', PROXIES],
    ['TRUST_PROXY', 'nginx', PROXIES],
    ['TRUST_PROXY', '10.0.0.0/33', PROXIES],
    ['TRUST_PROXY', '0.0.0.0/0', PROXIES],
    ['TRUST_PROXY', '10.0.0.1 10.0.0', PROXIES],
    ['TOKEN_FILE', join(folder, 'none'), 'cannot be read: ENOENT'],
    ['TOKEN_FILE', join(folder, 'short'), 'must name a file with one token per line'],
    ['TOKEN_FILE', join(folder, 'two in a line'), 'must name a file with one token per line'],
    ['JWT_ISSUER', 'id.example', ISSUER],
    ['JWT_ISSUER', 'http://id.example', ISSUER],
    ['JWT_ISSUER', 'http://127.0.0.1.id.example', ISSUER],
    ['JWT_ISSUER', 'https://id.example/?x', BARE],
    ['JWT_ISSUER', 'http://user:secret@id.example', BARE],
    ['JWT_ISSUER', 'https:user:secret@id.example', BARE],
    ['JWT_AUDIENCE', 'two words', 'must be the `aud` of tokens for this service, without spaces, not "two words'],
    ['JWT_SCOPE', 'a "b"', SCOPES],
    ['JWT_SCOPE', 'x'.repeat(901), SCOPES],
    ['JWKS_URL', 'http://id.example/jwks', KEYS],
    ['JWKS_URL', 'https://user:secret@id.example', KEYS],
  ])('refuse %s=%s, and say what to set instead', (name, value, message) => {
    const attempt = () => readConfig(items, { JWT_ISSUER: 'https://id.example', [name]: value });
    expect(attempt).toThrow(expect.objectContaining({ name: 'WrongSettings' }));
    expect(attempt).toThrow(`${name} ${message}`);
    expect(attempt).not.toThrow('secret');
  });

  test('refuse the same port for PORT and ADMIN_PORT, unless it is 0', () => {
    expect(() => readConfig(items, { PORT: '4000', ADMIN_PORT: '4000' })).toThrow('ADMIN_PORT must differ from PORT');
    expect(readConfig(items, { PORT: '0', ADMIN_PORT: '0' }).ADMIN_PORT).toBe(0);
  });

  test('refuse CORS_HEADERS without CORS_ORIGINS', () => {
    expect(() => readConfig(items, { CORS_HEADERS: 'X-Trace' })).toThrow('CORS_HEADERS needs CORS_ORIGINS');
  });

  test('refuse JWT_AUDIENCE, JWT_SCOPE or JWKS_URL without JWT_ISSUER, and JWT_ISSUER without JWT_AUDIENCE', () => {
    const alone = (name: string) => `${name} needs JWT_ISSUER: set JWT_ISSUER, or remove ${name}`;
    const settings = { JWT_AUDIENCE: 'a', JWT_SCOPE: 'b', JWKS_URL: 'https://id.example/jwks' };
    expect(() => readConfig(items, settings)).toThrow(Object.keys(settings).map(alone).join('; '));
    expect(() => readConfig(items, { JWT_ISSUER: 'https://id.example' })).toThrow('JWT_ISSUER needs JWT_AUDIENCE');
    // A wrong JWT_ISSUER is not reported as missing.
    expect(() => readConfig(items, { JWT_ISSUER: 'x', JWT_AUDIENCE: 'a' })).not.toThrow('needs');
  });

  test('come from .env where the environment lacks them, and one message names all wrong ones', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=from-file\nLOG_LEVEL="loud" # too loud\n');
    const { code, stdout, stderr } = await runCommand(['serve'], { PORT: 'x', BASE_URL: 'z' }, folder);
    const levels = 'must be one of fatal, error, warn, info, debug, trace, silent, not "loud"';
    const line = `item-store: PORT ${PORT}x"; BASE_URL ${BASE}z"; LOG_LEVEL ${levels}\n`;
    expect([code, stdout, stderr]).toEqual([78, '', line]);
  });

  test('are refused at the start when .env cannot be read', async () => {
    const here = temporaryFolder();
    mkdirSync(join(here, '.env'));
    const { code, stderr } = await runCommand(['serve'], {}, here);
    expect([code, stderr]).toEqual([78, expect.stringMatching(/^item-store: \.env cannot be read: EISDIR.*\n$/)]);
  });
});
