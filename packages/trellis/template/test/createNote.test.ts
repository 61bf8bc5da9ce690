import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningService, startService } from 'trellis/testing';

let service: RunningService;
before(async () => (service = await startService(new URL('../main.ts', import.meta.url))));
after(() => service.stop());

const NOTE = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };

async function create(note: object) {
  const response = await fetch(`${service.url}/notes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(note),
  });
  const replayed = response.headers.get('Idempotent-Replayed');
  return { status: response.status, replayed, body: (await response.json()) as { readonly error?: number } };
}

test('createNote stores a note, replays it, and refuses a different one with its id', async () => {
  assert.deepEqual(await create(NOTE), { status: 201, replayed: null, body: NOTE });
  assert.deepEqual(await create(NOTE), { status: 201, replayed: 'true', body: NOTE });
  const other = await create({ ...NOTE, text: 'Repot the Ficus' });
  assert.deepEqual([other.status, other.body.error], [409, 40901]);
});

test('createNote refuses a note that the contract does not allow', async () => {
  const { status, body } = await create({ ...NOTE, text: '' });
  assert.deepEqual([status, body.error], [400, 40010]);
  // RFC 9562, section 4: both spellings are one UUID, so that two notes must not have them.
  const inCapitals = await create({ ...NOTE, id: NOTE.id.toUpperCase() });
  assert.deepEqual([inCapitals.status, inCapitals.body.error], [400, 40010]);
});
