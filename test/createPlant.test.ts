import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startPlantApp } from './support.ts';

const app = await startPlantApp();

/** @param plant JSON text, because a JavaScript number would lose digits of a large id */
const createPlant = ({ url, token }: { readonly url: string; readonly token: string }, plant: string) =>
  request(url).post('/plants').auth(token, { type: 'bearer' }).type('json').send(plant);

const lineOf = ({ headers }: Response) => app.lineOf(headers['x-request-id'] ?? '');

describe('createPlant', () => {
  test('answers 200 with the plant, without its id, and stores it', async () => {
    const response = await createPlant(app, '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
    expect(response.text).toBe('{"name":"Monstera deliciosa","tag":"tropical"}');
    expect(await app.stored()).toContainEqual({ id: 1n, name: 'Monstera deliciosa', tag: 'tropical' });
    expect(await lineOf(response)).toMatchObject({ operation: 'createPlant', caller: 'tests', status: 200 });
  });

  test('leaves out what the contract does not declare, if the operation returns the whole request', async () => {
    const whole = await startPlantApp({
      operations: { createPlant: ({ body }) => Promise.resolve({ status: 200, body }) },
    });
    const response = await createPlant(whole, '{"id":1,"name":"Ficus","tag":""}');
    expect([response.status, response.text]).toEqual([200, '{"name":"Ficus","tag":""}']);
  });

  test('answers without a tag if the client sent none', async () => {
    const response = await createPlant(app, '{"name":"Ginkgo biloba","id":2}');
    expect(response.text).toBe('{"name":"Ginkgo biloba"}');
    expect(await app.stored()).toContainEqual({ id: 2n, name: 'Ginkgo biloba' });
  });

  test('answers a repeated plant with 200 and Idempotent-Replayed, and stores nothing', async () => {
    await createPlant(app, '{"id":3,"name":"Ficus","tag":""}');
    const before = await app.stored();
    const response = await createPlant(app, '{ "tag": "", "id": 3.0, "name": "\\u0046icus" }');
    expect(response.status).toBe(200);
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(response.text).toBe('{"name":"Ficus","tag":""}');
    expect(await app.stored()).toEqual(before);
  });

  test('refuses another plant with a stored id, and keeps the stored one', async () => {
    await createPlant(app, '{"id":4,"name":"Aloe"}');
    const response = await createPlant(app, '{"id":4,"name":"Agave"}');
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ error: 40011, message: 'a different plant has this id' });
    expect(await app.stored()).toContainEqual({ id: 4n, name: 'Aloe' });
    expect(await lineOf(response)).toMatchObject({ status: 400, error: 40011 });
  });

  test.each([
    ['spaces', 60, 'Aloe', ' Aloe'],
    ['Unicode form', 61, '\u00c9pine', 'E\u0301pine'],
  ])('keeps a name as it was sent: one that differs in its %s is another', async (_, id, stored, sent) => {
    await createPlant(app, JSON.stringify({ id, name: stored }));
    expect((await createPlant(app, JSON.stringify({ id, name: sent }))).body).toMatchObject({ error: 40011 });
    expect((await createPlant(app, JSON.stringify({ id: -id, name: sent }))).body).toEqual({ name: sent });
    expect(await app.stored()).toContainEqual({ id: BigInt(-id), name: sent });
  });

  test.each([
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['12e3', 12000n],
    ['-0', 0n],
  ])('stores the id %s digit for digit', async (literal, id) => {
    const response = await createPlant(app, `{"id":${literal},"name":"plant ${literal}"}`);
    expect(response.status).toBe(200);
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
    expect(await app.stored()).toContainEqual({ id, name: `plant ${literal}` });
  });

  test('recognises a stored id in another notation', async () => {
    const response = await createPlant(app, '{"id":9.223372036854775807e18,"name":"plant 9223372036854775807"}');
    expect(response.headers['idempotent-replayed']).toBe('true');
  });

  test.each([
    ['identical', () => 'one', 1],
    ['different', (index: number) => `content ${index % 5}`, 5],
  ])('stores one plant of 50 %s requests with one id, and refuses any other', async (kind, name, contents) => {
    const id = contents === 1 ? 500n : 501n;
    const names = Array.from({ length: 50 }, (_, index) => name(index));
    const responses = await Promise.all(
      names.map((each) => createPlant(app, JSON.stringify({ id: Number(id), name: each }))),
    );
    const winner = (await app.stored()).find((plant) => plant['id'] === id)?.['name'];
    const created = responses.filter(
      (each) => each.status === 200 && each.headers['idempotent-replayed'] === undefined,
    );
    expect(created).toHaveLength(1);
    responses.forEach(({ status }, index) => {
      expect({ kind, status }).toEqual({ kind, status: names[index] === winner ? 200 : 400 });
    });
  });

  test('answers 503 with Retry-After while the store cannot write, and stores nothing', async () => {
    const other = new DatabaseSync(app.database);
    other.exec('begin immediate');
    const response = await createPlant(app, '{"id":600,"name":"not now"}');
    other.close();
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    const requestId = response.headers['x-request-id'] ?? '';
    expect(response.body).toEqual({
      error: 50300,
      message: `the store is not available: try again; request id ${requestId}`,
    });
    expect((await app.stored()).some(({ id }) => id === 600n)).toBe(false);
    const line = await lineOf(response);
    expect(line).toMatchObject({ level: 50, status: 503, error: 50300, err: { type: 'StoreUnavailable' } });
    expect(JSON.stringify(line)).toContain('database is locked');
    expect((await createPlant(app, '{"id":600,"name":"not now"}')).status).toBe(200);
  });

  test('logs neither the token nor the plant', async () => {
    // The log has the line after the client has the reply.
    await lineOf(await createPlant(app, '{"id":700,"name":"a secret name","tag":"a secret tag"}'));
    const text = JSON.stringify(app.log);
    expect(text).not.toContain(app.token);
    expect(text).not.toContain('a secret');
  });
});
