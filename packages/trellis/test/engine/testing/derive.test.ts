import { readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { AnyService, Handler } from '../../../src/service.ts';
import { service as notes } from '../../../template/service/index.ts';
import { errors } from '../../services/papers/generated/openapi.ts';
import { service as events } from '../../services/events/index.ts';
import { service as papers } from '../../services/papers/index.ts';
import { Client, derive, startOn } from '../../../testing/index.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

/** The service of the template, which makes the id of a note that comes without one. */
function withOptionalKey(create: Handler): AnyService {
  const file = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(file, readFileSync(notes.contract, 'utf8').replace('required: [id, text]', 'required: [text]'));
  const { getNote } = notes.operations as unknown as Record<string, Handler>;
  return { ...notes, contract: pathToFileURL(file), operations: { createNote: create, getNote } } as AnyService;
}
const createNote = notes.operations.createNote as unknown as Handler;
const made: Handler = async (request, tools) =>
  await createNote({ ...request, body: { id: randomUUID(), ...(request.body as object) } }, tools);

async function derived(service: AnyService) {
  await using instance = await startOn('SQLite', service, { LOG_LEVEL: 'silent' });
  return await derive(instance, { conflict: 40901, requests: 1, samples: 2 });
}

test('derive compares the store of a service that makes the keys of some records', async () => {
  const { counts } = await derived(withOptionalKey(made));
  expect(counts.get('created')).toBeGreaterThan(0);
  expect(counts.get('valid: createNote')).toBeGreaterThan(0);
});

test('derive names the first record that was not accepted', async () => {
  const doubling: Handler = async (request, tools) => {
    await createNote({ ...request, body: { id: randomUUID(), text: 'another' } }, tools);
    return await createNote(request, tools);
  };
  await expect(derived({ ...notes, operations: { ...notes.operations, createNote: doubling } })).rejects.toThrow(
    /^seed 1: the store has \d+ records, where \d+ were accepted; number \d+ is \{"id":"[-\w]+","text":"another"\}, where /,
  );
});

test('derive sends texts and bytes, and such as are too many, of another media type, or not UTF-8', async () => {
  // It breaks its contract where the query asks it to.
  const getZeros = () => Promise.resolve({ status: 429, body: errors[42900] });
  const { counts } = await derived({ ...papers, operations: { ...papers.operations, getZeros } });
  for (const kind of ['valid: putPaper', 'valid: putNote', 'too large', 'another media type', 'not UTF-8', 'no body'])
    expect([kind, counts.get(kind)]).toEqual([kind, expect.any(Number)]);
});

describe('open objects', () => {
  const { changeEvent, addGuest } = events.operations as unknown as Record<'changeEvent' | 'addGuest', Handler>;
  /** The request without a member, as an operation has it that does not name the member. */
  const without = (name: string, request: Parameters<Handler>[0]) => {
    const { [name]: _, ...body } = request.body as Readonly<Record<string, unknown>>;
    return { ...request, body };
  };

  test('of a service with open objects, derive finds each member again', async () => {
    const { counts, never } = await derived(events);
    expect(never).toEqual([]);
    for (const kind of ['created', 'replayed', 'valid: changeEvent', 'valid: addGuest', 'read: getEvent'])
      expect([kind, counts.get(kind)]).toEqual([kind, expect.any(Number)]);
  });

  test('of a service with open objects, derive names a member that a change of a row forgets, and one that only a later read lacks', async () => {
    const forgetful: Readonly<Record<string, Handler>> = {
      changeEvent: (request, tools) => changeEvent(without('capacity', request), tools),
      addGuest: async (request, tools) => {
        const { status, body } = await addGuest(without('email', request), tools);
        return { status, body: { ...(body as object), ...(request.body as object) } };
      },
    };
    const { never } = await derived({ ...events, operations: { ...events.operations, ...forgetful } });
    expect(never.toSorted()).toEqual([
      'changeEvent: capacity as it was sent',
      'getEvent: capacity as changeEvent got it',
      'getGuest: email as addGuest got it',
    ]);
  });

  test('a service with open objects sends no column that the contract does not declare', async () => {
    await using instance = await startOn('SQLite', events, { LOG_LEVEL: 'silent' });
    const client = new Client({ url: instance.url, service: events, token: await instance.token() });
    const event = { eventId: randomUUID(), title: 'x', capacity: 1n };
    expect(await client.send('POST', '/events', { ...event, owner: 'me', toJSON: 1 })).toMatchObject({ body: event });
    expect(await client.send('GET', `/events/${event.eventId}`)).toMatchObject({ status: 200, body: event });
    const patched = await client.send('PATCH', `/events/${event.eventId}`, { owner: 'me' });
    expect(patched).toMatchObject({ status: 200, body: event });
    expect(patched.body).not.toHaveProperty('owner');
  });
});
