import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { Authenticator } from '../../../src/auth/authenticator.ts';
import { JwtVerifier } from '../../../src/auth/jwt.ts';
import { hashToken } from '../../../src/auth/token.ts';
import { startApp } from '../../support/app.ts';
import { AUDIENCE, makeKey, sign, TestProvider } from '../../support/provider.ts';
import { createItem } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const key = await makeKey('one');
const provider = await TestProvider.start([key]);
const settings = { issuer: provider.issuer, audience: AUDIENCE, scopes: [], jwksUrl: undefined };
const app = await startApp({ issuer: settings });

/** A real verifier that counts its calls. */
class CountingVerifier extends JwtVerifier {
  count = 0;
  override verify(token: string) {
    this.count++;
    return super.verify(token);
  }
}
const verifier = new CountingVerifier(settings, pino({ level: 'silent' }));
afterAll(async () => {
  verifier.keys.close();
  await provider[Symbol.asyncDispose]();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const now = () => Math.floor(Date.now() / 1000);
const signed = (sub: string, exp = now() + 300, more = {}) =>
  sign(key, { iss: provider.issuer, aud: AUDIENCE, sub, exp, ...more });
const statusOf = async (token: string) => (await createItem({ url: app.url, token }, '{"id":1,"name":"x"}')).status;

describe('a JWT', () => {
  test('is verified once for 50 concurrent requests, and not again for later requests', async () => {
    const authenticator = new Authenticator(app.store.tokens, undefined, verifier);
    const [alice, bob] = [`Bearer ${await signed('alice')}`, `bearer  ${await signed('bob')}`];
    const before = verifier.count;
    const callers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => authenticator.authenticate(index % 2 === 0 ? alice : bob)),
    );
    expect(verifier.count - before).toBe(2);
    expect(new Set(callers.map((caller) => caller.key))).toEqual(new Set(['subject alice', 'subject bob']));
    expect(authenticator.authenticate(alice)).toEqual({
      key: 'subject alice',
      name: undefined,
      subject: 'alice',
      scopes: new Set(),
    });
    expect(verifier.count - before).toBe(2);
  });

  test.each<[object, string[]]>([
    [{}, []],
    [{ scope: '' }, []],
    [{ scope: 'items:read items:write' }, ['items:read', 'items:write']],
    [{ scp: 'items:read items:write' }, ['items:read', 'items:write']],
    [{ scp: ['items:read', 'items:write'] }, ['items:read', 'items:write']],
    [{ scope: 'openid', scp: ['items:read', 7] }, ['openid', 'items:read']],
    [{ scope: 7, scp: { items: true } }, []],
  ])('gives its caller the scopes in its claims: %j', async (claims, scopes) => {
    const authenticator = new Authenticator(app.store.tokens, undefined, verifier);
    const caller = await authenticator.authenticate(`Bearer ${await signed('alice', undefined, claims)}`);
    expect([...caller.scopes]).toEqual(scopes);
  });

  test('is refused from 60 seconds after its expiry, even if it is cached', async () => {
    // Later than a busy machine needs for the first requests.
    const exp = now() + 600;
    const token = await signed('alice', exp);
    expect([await statusOf(token), await statusOf(token)]).toEqual([200, 200]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue((exp + 60) * 1000 - 1);
    expect(await statusOf(token)).toBe(200);
    clock.mockReturnValue((exp + 60) * 1000);
    expect(await statusOf(token)).toBe(401);
    const refused = await until(() => app.log.find(({ status }) => status === 401));
    expect(refused).toMatchObject({ error: 40101, reason: 'it has expired' });
  });

  test('stays valid when more long tokens are in use than the cache holds', async () => {
    const authenticator = new Authenticator(app.store.tokens, undefined, verifier);
    // Each token has about 11,000 characters.
    const more = { groups: 'x'.repeat(8000) };
    const subjects = Array.from({ length: 900 }, (_, index) => String(index));
    const tokens = await Promise.all(subjects.map((subject) => signed(subject, undefined, more)));
    for (const round of [1, 2]) {
      const before = verifier.count;
      const found: unknown[] = [];
      for (const token of tokens) found.push((await authenticator.authenticate(`Bearer ${token}`)).subject);
      // The cache had removed each token before the next use of that token.
      expect({ round, found, verified: verifier.count - before }).toEqual({ round, found: subjects, verified: 900 });
    }
  });
});

describe('a service with an issuer', () => {
  test('accepts tokens of the store, and gives each caller a key of its own', async () => {
    expect(await statusOf(app.token)).toBe(200);
    const authenticator = new Authenticator(app.store.tokens, undefined, verifier);
    const keys = [app.token, await signed('tests'), await signed('token tests')].map(
      async (token) => (await authenticator.authenticate(`Bearer ${token}`)).key,
    );
    expect(await Promise.all(keys)).toEqual(['token tests', 'subject tests', 'subject token tests']);
  });

  test('does not look up in its store a token that has the form of a JWT', async () => {
    await app.store.tokens.add({ name: 'dotted', hash: hashToken('ab.cd.ef'), scopes: [] });
    expect(await statusOf('ab.cd.ef')).toBe(401);
    const without = new Authenticator(app.store.tokens);
    expect((await without.authenticate('Bearer ab.cd.ef')).name).toBe('dotted');
    const provisioned = new Authenticator(app.store.tokens, { tokens: ['ab.cd.ef'], scopes: [] }, verifier);
    expect((await provisioned.authenticate('Bearer ab.cd.ef')).name).toBe('TOKEN_FILE');
  });

  test('accepts a JWT while the store cannot look up tokens', async () => {
    using database = new DatabaseSync(app.database);
    database.exec('alter table tokens rename to lost');
    await expect(app.store.tokens.find(hashToken('x'))).rejects.toThrow();
    expect(await statusOf(await signed('alice'))).toBe(200);
    database.exec('alter table lost rename to tokens');
  });

  test('logs no part of a JWT', async () => {
    const token = await signed('alice');
    // The log has the line after the client has the reply.
    for (const each of [token, `${token}x`])
      await app.lineOf(await createItem({ url: app.url, token: each }, '{"id":1,"name":"x"}'));
    for (const part of token.split('.')) expect(JSON.stringify(app.log)).not.toContain(part);
  });
});
