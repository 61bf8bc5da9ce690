import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client, ENGINES, startOn, type TestInstance, unavailable } from 'trellis/testing';
import { service } from '../service/index.ts';

const NOTE = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };

for (const engine of ENGINES) {
  const skip = unavailable(engine) ?? false;
  describe(`createNote on ${engine}`, { skip }, () => {
    let instance: TestInstance | undefined;
    let client: Client;
    before(async () => {
      instance = await startOn(engine, service);
      client = new Client({ url: instance.url, service, token: await instance.token() });
    });
    // Without one, `before` has said why.
    after(() => instance?.stop());

    async function create(note: object) {
      const { status, headers, body } = await client.send<{ readonly error?: number }>('POST', '/notes', note);
      return { status, replayed: headers.get('Idempotent-Replayed'), body };
    }

    test('stores a note, replays it, and refuses a different one with its id', async () => {
      assert.deepEqual(await create(NOTE), { status: 201, replayed: null, body: { ...NOTE } });
      assert.deepEqual(await create(NOTE), { status: 201, replayed: 'true', body: { ...NOTE } });
      const other = await create({ ...NOTE, text: 'Repot the Ficus' });
      assert.deepEqual([other.status, other.body.error], [409, 40901]);
    });

    test('refuses a note that the contract does not allow', async () => {
      const { status, body } = await create({ ...NOTE, text: '' });
      assert.deepEqual([status, body.error], [400, 40010]);
      // RFC 9562, section 4: both spellings are one UUID, so that two notes must not have them.
      const inCapitals = await create({ ...NOTE, id: NOTE.id.toUpperCase() });
      assert.deepEqual([inCapitals.status, inCapitals.body.error], [400, 40010]);
    });
  });
}
