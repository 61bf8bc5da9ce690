import { readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import type { AnyService, Handler } from '../../../src/service.ts';
import { service as notes } from '../../../template/service/index.ts';
import { derive, startOn } from '../../../testing/index.ts';
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
    /^the store has \d+ records, where \d+ were accepted; number \d+ is \{"id":"[-\w]+","text":"another"\}, where /,
  );
});
