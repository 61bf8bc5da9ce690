import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../src/config.ts';
import { plantStore } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

const folder = temporaryFolder();
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'a-token-that-was-provisioned-000001\n');

const LIMIT = 'must be a number of requests and a time of up to 24h, such as 600/60s, not "';
const ORIGINS = 'must be *, or origins as browsers spell them, such as';
const PROXIES =
  'must be the number of proxies in front, from 1 to 32, or their addresses, such as 10.0.0.1, 10.0.0.0/8, loopback, not "';

describe('the settings', () => {
  test('have defaults, also where they are empty', () => {
    const defaults = {
      HOST: '127.0.0.1',
      PORT: 3000,
      DATABASE_URL: { engine: 'sqlite', path: resolve('data/plants.db') },
      LOG_LEVEL: 'info',
      ADMIN_HOST: '127.0.0.1',
    };
    expect(readConfig({})).toEqual(defaults);
    expect(readConfig({ HOST: '', PORT: ' ', DATABASE_URL: '', BASE_URL: '', ADMIN_PORT: '', RATE_LIMIT: '' })).toEqual(
      defaults,
    );
  });

  test('are read', () => {
    const config = readConfig({
      HOST: '::1',
      PORT: '0',
      DATABASE_URL: 'sqlite:/var/lib/plants.db',
      BASE_URL: 'https://plants.example/api/',
      LOG_LEVEL: 'warn',
      TOKEN_FILE: tokenFile,
      ADMIN_PORT: '9000',
      ADMIN_HOST: '0.0.0.0',
      RATE_LIMIT: '600/60s',
      CORS_ORIGINS: 'https://app.example, http://localhost:8080',
      TRUST_PROXY: '2',
      JWT_ISSUER: 'https://id.example/realms/garden/',
      JWT_AUDIENCE: 'https://plants.example',
      JWT_SCOPE: 'plants:write  openid',
      JWKS_URL: 'http://localhost:4000/jwks',
    });
    expect(config).toEqual({
      HOST: '::1',
      PORT: 0,
      DATABASE_URL: { engine: 'sqlite', path: '/var/lib/plants.db' },
      BASE_URL: new URL('https://plants.example/api'),
      LOG_LEVEL: 'warn',
      TOKEN_FILE: 'a-token-that-was-provisioned-000001',
      JWT_ISSUER: 'https://id.example/realms/garden/',
      JWT_AUDIENCE: 'https://plants.example',
      JWT_SCOPE: ['plants:write', 'openid'],
      JWKS_URL: 'http://localhost:4000/jwks',
      RATE_LIMIT: { requests: 600, windowMs: 60_000 },
      CORS_ORIGINS: ['https://app.example', 'http://localhost:8080'],
      TRUST_PROXY: 2,
      ADMIN_PORT: 9000,
      ADMIN_HOST: '0.0.0.0',
    });
  });

  test('are read in all their forms', () => {
    expect(readConfig({ RATE_LIMIT: '1/24h' }).RATE_LIMIT).toEqual({ requests: 1, windowMs: 86_400_000 });
    expect(readConfig({ RATE_LIMIT: '999999999/5m' }).RATE_LIMIT).toEqual({ requests: 999_999_999, windowMs: 300_000 });
    expect(readConfig({ CORS_ORIGINS: '*' }).CORS_ORIGINS).toEqual(['*']);
    expect(readConfig({ CORS_ORIGINS: 'https://a.example https://[::1]:8443' }).CORS_ORIGINS).toEqual([
      'https://a.example',
      'https://[::1]:8443',
    ]);
    expect(readConfig({ TRUST_PROXY: '10.0.0.1, 192.0.2.0/24 2001:db8::/32,loopback' }).TRUST_PROXY).toEqual([
      '10.0.0.1',
      '192.0.2.0/24',
      '2001:db8::/32',
      'loopback',
    ]);
  });

  test.each([
    ['HOST', 'not a host', 'must be an address or a name to listen on, not "not a host"'],
    ['PORT', '65536', 'must be a port from 0 to 65535, not "65536"'],
    ['PORT', '0x50', 'must be a port from 0 to 65535, not "0x50"'],
    ['PORT', '-1', 'must be a port from 0 to 65535, not "-1"'],
    ['ADMIN_PORT', 'http', 'must be a port from 0 to 65535, not "http"'],
    ['DATABASE_URL', 'sqlite:', 'must be sqlite: and the path of a file, such as sqlite:data/plants.db'],
    ['DATABASE_URL', 'sqlite::memory:', 'must be sqlite: and the path of a file, such as sqlite:data/plants.db'],
    [
      'DATABASE_URL',
      'mysql://root:secret@db/plants',
      'must be sqlite: and the path of a file, such as sqlite:data/plants.db',
    ],
    ['BASE_URL', '/api', 'must be an address such as https://plants.example/api, not "/api"'],
    [
      'BASE_URL',
      'ftp://plants.example',
      'must be an address such as https://plants.example/api, not "ftp://plants.example"',
    ],
    ['BASE_URL', 'https://plants.example/?a=b', 'must have neither a query nor a fragment nor a user'],
    ['BASE_URL', 'http://x//api', 'must not have two slashes in its path, as "http://x//api" has'],
    ['BASE_URL', 'https://plants.example/?', 'must have neither a query nor a fragment nor a user'],
    ['BASE_URL', 'https://plants.example/#', 'must have neither a query nor a fragment nor a user'],
    ['BASE_URL', 'https://user:secret@plants.example', 'must have neither a query nor a fragment nor a user'],
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
    ['CORS_ORIGINS', 'null', `${ORIGINS} https://app.example, not "null"`],
    ['CORS_ORIGINS', ',', `${ORIGINS} https://app.example, not ""`],
    ['TRUST_PROXY', 'true', 'must not be true: '],
    ['TRUST_PROXY', '0', PROXIES],
    ['TRUST_PROXY', '33', PROXIES],
    ['TRUST_PROXY', 'nginx', PROXIES],
    ['TRUST_PROXY', '10.0.0.0/33', PROXIES],
    ['TRUST_PROXY', '0.0.0.0/0', PROXIES],
    ['TRUST_PROXY', '10.0.0.1 10.0.0', PROXIES],
    ['TOKEN_FILE', join(folder, 'none'), 'cannot be read: ENOENT'],
    ['TOKEN_FILE', join(folder, 'short'), 'must name a file that holds one token'],
    ['TOKEN_FILE', join(folder, 'two'), 'must name a file that holds one token'],
  ])('%s=%s is refused with what to do', (name, value, message) => {
    writeFileSync(join(folder, 'short'), 'short');
    writeFileSync(join(folder, 'two'), 'a-token-that-was-provisioned-000001\na-token-that-was-provisioned-000002');
    const attempt = () => readConfig({ [name]: value });
    expect(attempt).toThrow(expect.objectContaining({ name: 'ExplainedError' }));
    expect(attempt).toThrow(`${name} ${message}`);
    expect(attempt).not.toThrow('secret');
  });

  test('must not give one port to two listeners', () => {
    expect(() => readConfig({ PORT: '4000', ADMIN_PORT: '4000' })).toThrow('ADMIN_PORT must be another one than PORT');
    expect(readConfig({ PORT: '0', ADMIN_PORT: '0' }).ADMIN_PORT).toBe(0);
  });

  test('that are wrong are all named before anything is done', async () => {
    const { code, stdout, stderr } = await plantStore(['serve'], { PORT: 'x', LOG_LEVEL: 'y', BASE_URL: 'z' }, folder);
    expect([code, stdout, stderr.split('\n')]).toEqual([
      1,
      '',
      [
        'plant-store: PORT must be a port from 0 to 65535, not "x"; ' +
          'BASE_URL must be an address such as https://plants.example/api, not "z"; ' +
          'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "y"',
        '',
      ],
    ]);
  });

  test('come from .env too, where the environment does not say otherwise', async () => {
    const here = temporaryFolder();
    writeFileSync(join(here, '.env'), 'PORT=from-file\nLOG_LEVEL="loud" # too loud\n');
    const { stderr } = await plantStore(['serve'], { PORT: 'from-environment' }, here);
    expect(stderr).toContain('"from-environment"');
    expect(stderr).toContain('"loud"');
    expect(stderr).not.toContain('from-file');
  });

  test('in an .env that cannot be read are not ignored', async () => {
    const { code, stderr } = await plantStore(['serve'], {}, unreadable());
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^plant-store: \.env cannot be read: EISDIR.*\n$/)]);
  });
});

function unreadable(): string {
  const here = temporaryFolder();
  mkdirSync(join(here, '.env'));
  return here;
}
