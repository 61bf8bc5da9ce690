import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { refusal } from './refusal.ts';
import { ENGINES, startBank } from './bank.ts';
import { Client, newTransfer } from './client.ts';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';

/** The parts of the contract that show a refusal for lack of a scope, and the cursor of a page. */
interface Contract {
  readonly paths: Record<string, Record<string, { readonly responses?: Record<string, { readonly $ref?: string }> }>>;
  readonly components: {
    readonly responses: Record<
      string,
      { readonly content: { readonly 'application/json': { readonly example: { readonly message: string } } } }
    >;
    readonly schemas: Record<
      string,
      { readonly examples?: readonly string[]; readonly properties?: { readonly next: { readonly $ref: string } } }
    >;
  };
}

describe.each(ENGINES)('the bank on %s', (engine) => {
  let url = '';
  let tokenFor: Awaited<ReturnType<typeof startBank>>['tokenFor'];
  let client: Client;
  beforeAll(async () => {
    const started = await startBank(engine);
    ({ url, tokenFor } = started);
    client = new Client(started);
  });

  test('opens an account, names its URL in Location, and returns it there', async () => {
    const id = randomUUID();
    const account = { id, owner: 'Ada', currency: 'EUR', opening_balance: 9007199254740993n };
    const before = Date.now();
    const { status, headers, body } = await client.send('POST', '/accounts', account);
    const after = Date.now();
    const opened_at = String(body['opened_at']);
    expect(body).toEqual({ ...account, balance: 9007199254740993n, opened_at });
    expect(Date.parse(opened_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(opened_at)).toBeLessThanOrEqual(after);
    expect(status).toBe(201);
    expect(headers.has('idempotent-replayed')).toBe(false);
    const place = new URL(headers.get('location') ?? '', `${url}/accounts`);
    expect(place.href).toBe(`${url}/accounts/${id}`);
    const found = await client.get(place.pathname);
    expect([found.status, found.body]).toEqual([200, body]);
    expect(found.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('answers a repeated opening like the first one, also after money has moved', async () => {
    const account = { id: randomUUID(), owner: 'Ada', currency: 'EUR', opening_balance: 10n };
    const first = await client.send('POST', '/accounts', account);
    await client.transfer(newTransfer(account.id, await client.open(0n), 3n));
    const { status, headers, body } = await client.send('POST', '/accounts', account);
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(headers.get('location')).toBe(first.headers.get('location'));
    expect(body).toEqual({ ...first.body, balance: 7n });
  });

  test.each([{ owner: 'Eve' }, { currency: 'USD' }, { opening_balance: 11n }])(
    'refuses another account with the id of one: %p',
    async (change) => {
      const account = { id: randomUUID(), owner: 'Ada', currency: 'EUR', opening_balance: 10n };
      await client.send('POST', '/accounts', account);
      expect(await client.send('POST', '/accounts', { ...account, ...change })).toEqual(refusal(40911));
      expect((await client.get(`/accounts/${account.id}`)).body).toMatchObject(account);
    },
  );

  test.each([
    ['a balance below zero', { opening_balance: -1n }],
    ['a balance beyond int64', { opening_balance: 2n ** 63n }],
    ['an unknown currency', { currency: 'XXX' }],
    ['an id in capitals', { id: '00000000-0000-4000-8000-00000000000A' }],
  ])('refuses to open an account with %s', async (_what, change) => {
    const account = { id: randomUUID(), owner: 'Ada', currency: 'EUR', opening_balance: 10n };
    expect(await client.send('POST', '/accounts', { ...account, ...change })).toEqual(refusal(40010));
  });

  test('refuses each request for an account that does not exist, with the error number 40411', async () => {
    expect(await client.get(`/accounts/${UNKNOWN}`)).toEqual(refusal(40411));
    expect(await client.get(`/accounts/${UNKNOWN}/transfers`)).toEqual(refusal(40411));
    expect(await client.send('DELETE', `/accounts/${UNKNOWN}`)).toEqual(refusal(40411));
    const patch = client.send('PATCH', `/accounts/${UNKNOWN}`, { owner: 'Eve' }, { 'If-Match': '*' });
    expect(await patch).toEqual(refusal(40411));
  });

  test('lists the accounts of an owner, a page at a time, and those that a filter lets through', async () => {
    const owner = `Grace & ${randomUUID()}`;
    const ids = await Promise.all(Array.from({ length: 16 }, (_, at) => client.open(BigInt(at), 'EUR', owner)));
    const dollars = await client.open(100n, 'USD', owner);
    const closed = await client.open(0n, 'JPY', owner);
    await client.send('DELETE', `/accounts/${closed}`);
    const path = `/accounts?owner=${encodeURIComponent(owner)}`;
    const list = async (filter: string) => (await client.all(path + filter, 'accounts')).map(({ id }) => id);
    expect(await list('')).toEqual([...ids, dollars, closed].toSorted());
    expect(await list('&filter[currency]=USD')).toEqual([dollars]);
    expect(await list('&filter[min_balance]=10')).toEqual([...ids.slice(10), dollars].toSorted());
    expect(await list('&filter[min_balance]=10&filter[currency]=EUR')).toEqual(ids.slice(10).toSorted());
    expect(await list('&filter[closed]=true')).toEqual([closed]);
    expect(await list('&filter[closed]=false')).toEqual([...ids, dollars].toSorted());
  });

  test.each(['x', 'WyJhIiwiYiJd'])('refuses a cursor that no list has given: %s', async (cursor) => {
    expect(await client.get(`/accounts?cursor=${cursor}`)).toEqual(refusal(40011));
    expect(await client.get(`/accounts/${UNKNOWN}/transfers?cursor=${cursor}`)).toEqual(refusal(40011));
  });

  test.each([
    ['/accounts', 'AccountPage'],
    ['/accounts/{id}/transfers', 'TransferPage'],
  ])('accepts on %s the cursor that the contract shows as an example of its next page', async (path, page) => {
    const { components } = (await (await fetch(`${url}/openapi.json`)).json()) as Contract;
    const name = components.schemas[page]?.properties?.next.$ref.replace('#/components/schemas/', '') ?? '';
    const [cursor = ''] = components.schemas[name]?.examples ?? [];
    const list = path.replace('{id}', await client.open(0n));
    expect(await client.get(`${list}?cursor=${cursor}`)).toMatchObject({ status: 200 });
  });

  test('changes the owner if the client sends the current entity tag, and refuses another tag', async () => {
    const id = await client.open(5n);
    const seen = await client.get(`/accounts/${id}`);
    const tag = seen.headers.get('etag') ?? '';
    const change = (owner: string, headers = {}) => client.send('PATCH', `/accounts/${id}`, { owner }, headers);
    expect(await change('Eve')).toEqual(refusal(42811));
    expect(await change('Eve', { 'If-Match': `W/${tag}` })).toEqual(refusal(41211));
    const { status, headers, body } = await change('Grace', { 'If-Match': `"0", ${tag}` });
    expect([status, body]).toEqual([200, { ...seen.body, owner: 'Grace' }]);
    expect(headers.get('etag')).not.toBe(tag);
    expect(await change('Eve', { 'If-Match': tag })).toEqual(refusal(41211));
    expect((await client.get(`/accounts/${id}`)).body).toEqual(body);
    expect((await change('Ada', { 'If-Match': '*' })).body).toEqual(seen.body);
  });

  test('changes one member of the contact, and keeps the other', async () => {
    const id = randomUUID();
    const account = { id, owner: 'Ada', currency: 'EUR', opening_balance: 0n };
    const opened = await client.send('POST', '/accounts', { ...account, contact: { email: 'ada@bank.example' } });
    const patch = async (change: object) => {
      const { status } = await client.send('PATCH', `/accounts/${id}`, change, { 'If-Match': '*' });
      const { body } = await client.get(`/accounts/${id}`);
      return [status, body['owner'], body['contact']];
    };
    expect(opened.body['contact']).toEqual({ email: 'ada@bank.example' });
    const both = { email: 'ada@bank.example', phone: '+441234' };
    expect(await patch({ contact: { phone: '+441234' } })).toEqual([200, 'Ada', both]);
    expect(await patch({ owner: 'Grace' })).toEqual([200, 'Grace', both]);
    expect(await patch({ contact: { email: null } })).toEqual([200, 'Grace', { phone: '+441234' }]);
    expect(await patch({ contact: null })).toEqual([200, 'Grace', undefined]);
    expect(await patch({ contact: { email: 'grace@bank.example', phone: null } })).toEqual([
      200,
      'Grace',
      { email: 'grace@bank.example' },
    ]);
  });

  test('lets one of four clients with the same entity tag change an account, and changes the tag at a transfer', async () => {
    const id = await client.open(5n);
    const tag = (await client.get(`/accounts/${id}`)).headers.get('etag') ?? '';
    const changes = ['Eve', 'Grace', 'Joan', 'Mary'].map((owner) =>
      client.send('PATCH', `/accounts/${id}`, { owner }, { 'If-Match': tag }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    const now = (await client.get(`/accounts/${id}`)).headers.get('etag') ?? '';
    await client.transfer(newTransfer(id, await client.open(0n), 1n));
    expect(await client.send('PATCH', `/accounts/${id}`, { owner: 'Ada' }, { 'If-Match': now })).toEqual(
      refusal(41211),
    );
  });

  test('closes an account whose money is gone, for good, and still shows it with its transfers', async () => {
    const account = { id: randomUUID(), owner: 'Ada', currency: 'EUR', opening_balance: 4n };
    await client.send('POST', '/accounts', account);
    const other = await client.open(0n);
    const close = () => client.send('DELETE', `/accounts/${account.id}`);
    expect(await close()).toEqual(refusal(40913));
    const last = await client.transfer(newTransfer(account.id, other, 4n));
    expect((await close()).status).toBe(204);
    const { body } = await client.get(`/accounts/${account.id}`);
    expect(body).toMatchObject({ ...account, balance: 0n, closed_at: expect.any(String) });
    expect((await close()).status).toBe(204);
    expect((await client.get(`/accounts/${account.id}`)).body).toEqual(body);
    expect((await client.get(`/accounts/${account.id}/transfers`)).body).toEqual({ transfers: [last.body] });
    expect(await client.send('POST', '/accounts', account)).toEqual(refusal(40912));
    expect(await client.send('POST', '/accounts', { ...account, owner: 'Eve' })).toEqual(refusal(40912));
    const patch = client.send('PATCH', `/accounts/${account.id}`, { owner: 'Eve' }, { 'If-Match': '*' });
    expect(await patch).toEqual(refusal(40912));
    expect(await client.transfer(newTransfer(other, account.id, 1n))).toEqual(refusal(40917));
    expect(await client.balanceOf(other)).toBe(4n);
  });

  test('lists the currencies without a token, and nothing more', async () => {
    const anyone = new Client({ url });
    const { status, body } = await anyone.get('/currencies');
    expect(status).toBe(200);
    expect(body).toContainEqual({ code: 'KWD', digits: 3n });
    expect((await anyone.get('/accounts')).status).toBe(401);
  });

  test.each([
    ['bank:read', 200, 403, 403, 403],
    ['bank:write', 403, 412, 409, 403],
    ['bank:admin', 403, 403, 403, 404],
  ])('lets a token with %s do what the contract says, and no more', async (scope, ...statuses) => {
    const id = await client.open(0n);
    const limited = new Client({ url, token: await tokenFor([scope]) });
    const answers = await Promise.all([
      limited.get('/accounts'),
      limited.send('PATCH', `/accounts/${id}`, { owner: 'Eve' }, { 'If-Match': '"0"' }),
      limited.transfer(newTransfer(id, id, 1n)),
      limited.send('DELETE', `/accounts/${UNKNOWN}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  test('refuses a token without the scope as the example of the operation says', async () => {
    const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as Contract;
    const limited = new Client({ url, token: await tokenFor([]) });
    const [said, examples] = [[], []] as [unknown[], unknown[]];
    for (const [path, item] of Object.entries(paths))
      for (const [method, { responses }] of Object.entries(item)) {
        const reference = responses?.['403']?.$ref;
        if (reference === undefined) continue;
        const declared = components.responses[reference.replace('#/components/responses/', '')];
        examples.push(declared?.content['application/json'].example.message);
        said.push((await limited.send(method.toUpperCase(), path.replace('{id}', UNKNOWN))).body['message']);
      }
    expect(said).toHaveLength(8);
    expect(examples).toEqual(said);
  });
});
