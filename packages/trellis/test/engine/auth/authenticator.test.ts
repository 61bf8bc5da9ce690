import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Authenticator } from '../../../src/auth/authenticator.ts';
import { hashToken, makeToken } from '../../../src/auth/token.ts';
import { startApp } from '../../support/app.ts';
import { createItem } from '../../support/service.ts';
import { sendRaw } from '../../support/raw.ts';
import { itemsIn } from '../../services/items/index.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const app = await startApp();
const broken = await startApp();
const { host } = new URL(app.url);
const BODY = '{"id":1,"name":"x"}';

async function answerTo(...authorization: readonly string[]) {
  const fields = [`Host: ${host}`, 'Content-Type: application/json', 'Content-Length: 19', 'Connection: close'];
  const head = [...fields, ...authorization.map((value) => `Authorization: ${value}`)].join('\r\n');
  const { status, headers, body } = await sendRaw(app.url, `POST /items HTTP/1.1\r\n${head}\r\n\r\n${BODY}`);
  return { status, challenge: headers['www-authenticate'], body };
}

const newToken = async (name: string, expiry: { expiresAt?: number } = {}) => {
  const token = makeToken('item-store');
  expect(await app.store.tokens.add({ name, hash: hashToken(token), scopes: [], ...expiry })).toBe(true);
  return token;
};

/** Makes an authenticator on the real store, and counts its look-ups. */
function countingAuthenticator(): { readonly authenticator: Authenticator; readonly asked: () => number } {
  let count = 0;
  const find = (hash: Uint8Array) => {
    count++;
    return app.store.tokens.find(hash);
  };
  return { authenticator: new Authenticator({ ...app.store.tokens, find }), asked: () => count };
}

describe('missing tokens', () => {
  test.each([
    ['no Authorization field', []],
    ['an empty Authorization field', ['']],
    ['the scheme alone', ['Bearer']],
    ['another scheme', [`Basic ${app.token}`]],
    ['the scheme xBearer', [`xBearer ${app.token}`]],
    ['a tab instead of a space', [`Bearer\t${app.token}`]],
  ])('the service answers 401, and says how to authenticate, to a request with %s', async (_name, authorization) => {
    expect(await answerTo(...authorization)).toEqual({
      status: 401,
      challenge: 'Bearer realm="api"',
      body: '{"error":40100,"message":"send an access token: Authorization: Bearer <ACCESS_TOKEN>"}',
    });
  });
});

describe('invalid tokens', () => {
  test.each([
    ['an unknown token', [`Bearer ${makeToken('item-store')}`]],
    ['a token that lacks its last character', [`Bearer ${app.token.slice(0, -1)}`]],
    ['a token with one more character', [`Bearer ${app.token}x`]],
    ['a token in upper case', [`Bearer ${app.token.toUpperCase()}`]],
    ['two tokens in one field', [`Bearer ${app.token} ${app.token}`]],
    ['two Authorization fields', [`Bearer ${app.token}`, `Bearer ${app.token}`]],
    ['a comma after the token', [`Bearer ${app.token},`]],
    ['a token in quotes', [`Bearer "${app.token}"`]],
    ['the hash of a token', [`Bearer ${hashToken(app.token).toString('hex')}`]],
    ['a flood of spaces', [`Bearer ${' '.repeat(15_000)}x y`]],
  ])('the service answers 401 with error="invalid_token" to a request with %s', async (_name, authorization) => {
    expect(await answerTo(...authorization)).toEqual({
      status: 401,
      challenge: 'Bearer realm="api", error="invalid_token"',
      body: '{"error":40101,"message":"the access token is unknown, revoked or expired"}',
    });
  });
});

test('the service does not store the item of a request that it answers with 401', async () => {
  expect(await itemsIn(app.store)).toEqual([]);
});

describe('tokens', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('a token is valid after the scheme %j', async (scheme) => {
    expect((await answerTo(`${scheme} ${app.token}`)).status).toBe(200);
  });

  test('a token is refused within a second after its revocation, even in constant use', async () => {
    const token = await newToken('revoked');
    const client = { url: app.url, token };
    expect((await createItem(client, BODY)).status).toBe(200);
    await app.store.tokens.revoke('revoked');
    const revokedAt = performance.now();
    let lastAccepted = 0;
    while (performance.now() - revokedAt < 1500) {
      const sentAt = performance.now() - revokedAt;
      if ((await createItem(client, BODY)).status === 200) lastAccepted = sentAt;
    }
    expect(lastAccepted).toBeLessThan(1000);
  });

  test('a token is refused from the moment of its expiry', async () => {
    const expiresAt = Date.now() + 3_600_000;
    const client = { url: app.url, token: await newToken('expiring', { expiresAt }) };
    expect((await createItem(client, BODY)).status).toBe(200);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(expiresAt - 1);
    expect((await createItem(client, BODY)).status).toBe(200);
    clock.mockReturnValue(expiresAt);
    for (const _time of [1, 2]) expect((await createItem(client, BODY)).status).toBe(401);
  });

  test('a token is refused when it has expired before its first use', async () => {
    const token = await newToken('expired', { expiresAt: Date.now() - 1 });
    expect((await createItem({ url: app.url, token }, BODY)).status).toBe(401);
  });

  test('a token stays valid when more tokens are in use than the cache holds', async () => {
    const authenticator = new Authenticator(app.store.tokens);
    const tokens = Array.from({ length: 4050 }, () => makeToken('item-store'));
    const rows = tokens.map((token, index) => ({
      hash: hashToken(token),
      name: `many-${index}`,
      scopes: '',
      created_at: 0n,
    }));
    await app.store.database.insertInto('tokens').values(rows).execute();
    for (const round of [1, 2]) {
      const callers = await Promise.all(tokens.map(async (token) => authenticator.authenticate(`Bearer ${token}`)));
      const names = callers.map(({ name }) => name);
      expect({ round, names }).toEqual({ round, names: tokens.map((_, index) => `many-${index}`) });
    }
  });

  test('a token is looked up once for many requests, and again after 450 ms', async () => {
    const { authenticator, asked } = countingAuthenticator();
    const tokens = [`Bearer ${app.token}`, `Bearer ${await newToken('neighbour')}`];
    const authenticateAll = () => Promise.all(tokens.map(async (each) => authenticator.authenticate(each)));
    const begun = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(begun);
    for (let round = 0; round < 100; round++) await authenticateAll();
    expect(asked()).toBe(2);
    clock.mockReturnValue(begun + 450);
    await Promise.all(Array.from({ length: 100 }, authenticateAll));
    expect(asked()).toBe(4);
  });

  test('a token has one entry in the cache for all spellings of the scheme', async () => {
    const { authenticator, asked } = countingAuthenticator();
    for (const scheme of ['Bearer', 'bearer', 'BEARER ', 'Bearer  ', 'bEARER']) {
      expect((await authenticator.authenticate(`${scheme} ${app.token}`)).name).toBe('tests');
    }
    expect(asked()).toBe(1);
  });

  test('a token is valid if TOKEN_FILE contains it, although it is not in the store', async () => {
    const provisioned = 'provisioned-token-of-a-container-0001';
    const authenticator = new Authenticator(app.store.tokens, { tokens: [provisioned], scopes: ['items:write'] });
    const nameOf = async (token: string) => (await authenticator.authenticate(`Bearer ${token}`)).name;
    expect(await nameOf(provisioned)).toBe('TOKEN_FILE');
    expect(await nameOf(provisioned)).toBe('TOKEN_FILE');
    expect(await nameOf(app.token)).toBe('tests');
    await expect(authenticator.authenticate('Bearer provisioned-token-of-a-container-0002')).rejects.toThrow('unknown');
    const another = `another-${provisioned}`;
    authenticator.provision([provisioned, another]);
    const namesake = await newToken('TOKEN_FILE');
    const callers = [provisioned, another, namesake].map(async (token) =>
      authenticator.authenticate(`Bearer ${token}`),
    );
    expect(new Set((await Promise.all(callers)).map(({ key }) => key)).size).toBe(3);
  });

  test('a token is valid only while TOKEN_FILE contains it', async () => {
    const [old = '', current = '', other = ''] = ['old', 'new', 'other'].map((each) => `${each}-`.repeat(9));
    const authenticator = new Authenticator(app.store.tokens, { tokens: [old], scopes: [] });
    const isValid = async (token: string) =>
      (await Promise.try(() => authenticator.authenticate(`Bearer ${token}`)).catch(() => undefined)) !== undefined;
    const validity = () => Promise.all([old, current, other].map(isValid));
    for (const [provisioned, expected] of [
      [[old], [true, false, false]],
      [
        [old, current],
        [true, true, false],
      ],
      [[current], [false, true, false]],
    ] as const) {
      authenticator.provision(provisioned);
      for (const _time of [1, 2]) expect(await validity()).toEqual(expected);
    }
  });

  test('a token is stored only as its hash, and has 256 random bits', async () => {
    expect(makeToken('item-store')).toMatch(/^itemstore_[\w-]{43}$/);
    expect(new Set(Array.from({ length: 100 }, () => makeToken('item-store'))).size).toBe(100);
    expect(JSON.stringify(await app.store.tokens.list())).not.toContain(app.token.slice('itemstore_'.length));
  });
});

test('the service answers 500, and not 401, when the store cannot look up the token', async () => {
  const database = new DatabaseSync(broken.database);
  database.exec('alter table tokens rename to lost');
  const response = await createItem(broken, BODY);
  expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ error: 50000 })]);
  database.exec('alter table lost rename to tokens');
  database.close();
  expect((await createItem(broken, BODY)).status).toBe(200);
});
