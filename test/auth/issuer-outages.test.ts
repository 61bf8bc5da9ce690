import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { eventually, first, OK, REFUSED, sleep, startFor, startProvider, UNCHECKABLE } from '../support/issuer.ts';

/** Answers to all requests alike, be they for the discovery document or for the keys. */
const send =
  (status: number, headers: Record<string, string>, body: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
const { d, ...published } = first.jwk;
/** A document of both kinds, by which tokens would be valid. */
const document = (issuer: string, more: object = {}) => ({
  ...{ issuer, jwks_uri: `${issuer}/jwks`, keys: [published] },
  ...more,
});
const PADDING = { padding: ' '.repeat(300_000) };

describe('while the keys cannot be fetched, tokens get 503, which is logged once, and are taken afterwards:', () => {
  test.each<[string, (issuer: string) => RequestListener]>([
    ['500', (issuer) => send(500, {}, document(issuer))],
    ['no JSON', () => send(200, {}, Buffer.from('<html>'))],
    ['JSON, but no object', () => send(200, {}, 'keys')],
    ['nothing', () => send(200, {}, Buffer.of())],
    [
      'a redirection',
      (issuer) => (request, response) => {
        const isThere = request.url === '/elsewhere';
        send(isThere ? 200 : 302, { Location: `${issuer}/elsewhere` }, document(issuer))(request, response);
      },
    ],
    ['a flood', (issuer) => send(200, {}, document(issuer, PADDING))],
    [
      'a bomb',
      (issuer) => send(200, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify(document(issuer, PADDING)))),
    ],
    ['a connection that is cut', () => (request) => request.socket.destroy()],
    ['silence', () => () => undefined],
    ['silence in the middle', () => (_request, response) => response.writeHead(200).write('{')],
    ['another issuer', (issuer) => send(200, {}, document(issuer, { issuer: `${issuer}/` }))],
    ['no address of keys', (issuer) => send(200, {}, document(issuer, { jwks_uri: 7 }))],
    [
      'keys where anybody could change them',
      (issuer) => send(200, {}, document(issuer, { jwks_uri: `${issuer.replace('127.0.0.1', '0.0.0.0')}/jwks` })),
    ],
    ['no array of keys', (issuer) => send(200, {}, document(issuer, { keys: published }))],
  ])('%s', async (_name, disturbanceOf) => {
    const provider = await startProvider();
    provider.disturbance = disturbanceOf(provider.issuer);
    const { sign, call, logged, app } = await startFor(provider.issuer, { timeout: 1000, cooldown: 50 });
    for (const _round of [1, 2, 3]) {
      expect(await call(await sign(first))).toEqual(UNCHECKABLE);
      await sleep(60);
    }
    expect(logged()).toHaveLength(1);
    expect(await call(app.token)).toEqual(OK);
    provider.disturbance = undefined;
    await eventually(async () => call(await sign(first)), OK);
  });
});

test('the service passes over keys that prove nothing, and keys that it cannot use', async () => {
  const provider = await startProvider();
  const url = `${provider.issuer}/some/keys`;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const others = [
    { ...published, kid: 7 },
    { kty: 'oct', kid: 'secret', k: 'c2VjcmV0' },
    { ...published, kid: 'broken', x: 'AA' },
    { ...weak, kid: 'weak' },
    { ...published, kid: 'enc', use: 'enc' },
    { ...published, kid: 'sign', key_ops: ['sign'] },
    { ...published, kid: 'private', d },
  ];
  provider.disturbance = send(200, {}, { keys: [{}, ...others, published] });
  const { sign, call } = await startFor('https://id.example', { cooldown: 20 }, url);
  expect(await call(await sign(first))).toEqual(OK);
  for (const { kid } of others) expect([kid, ...(await call(await sign(first, { kid })))]).toEqual([kid, ...REFUSED]);
  const header = Buffer.from('{"alg":"RS256","kid":"weak"}').toString('base64url');
  expect(await call((await sign(first)).replace(/^[^.]+/, header))).toEqual(REFUSED);
  expect(new Set(provider.asked)).toEqual(new Set(['/some/keys']));
});
