import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PostgresServer } from '../../../test/support/postgres.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const server = await PostgresServer.create();
afterAll(() => server.remove());

const NOTE = { id: '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10', text: 'Water the Monstera' };
const create = ({ url, token }: Service, note: unknown) =>
  fetch(`${url}/notes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(note),
  });

describe.each(['SQLite', 'PostgreSQL'])('createNote on %s', (engine) => {
  test('stores a note, replays it, and refuses a different one with its id', async () => {
    const database =
      engine === 'SQLite' ? `sqlite:${join(temporaryFolder(), 'notes.db')}` : server.url(await server.createDatabase());
    const service = await startService({ DATABASE_URL: database }, undefined, MAIN);
    const answers = [await create(service, NOTE), await create(service, NOTE)];
    for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([201, NOTE]);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const other = await create(service, { ...NOTE, text: 'Repot the Ficus' });
    expect([other.status, await other.json()]).toMatchObject([409, { error: 40901 }]);
    const refused = await create(service, { ...NOTE, text: '' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: 40010 }]);
    // RFC 9562, section 4: both spellings are one UUID, so that two notes must not have them.
    const inCapitals = await create(service, { ...NOTE, id: NOTE.id.toUpperCase() });
    expect([inCapitals.status, await inCapitals.json()]).toEqual([
      400,
      { error: 40010, message: 'body.id must be a UUID in small letters' },
    ]);
    await service.stop();
  });
});
