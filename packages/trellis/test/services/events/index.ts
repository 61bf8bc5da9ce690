import { randomUUID } from 'node:crypto';
import {
  int64,
  mergePatch,
  optional,
  type Reply,
  type Request,
  type Service,
  type Steps,
  table,
  text,
  type Tools,
} from 'trellis';
import type { ErrorNumber, operations } from './generated/openapi.ts';

const tables = {
  events: table({ eventId: text(), title: text(), capacity: optional(int64()), owner: text() }, 'eventId'),
  guests: table({ id: text(), name: text(), email: optional(text()), addedBy: text() }, 'id'),
};
const steps: Steps = {
  events1: ({ schema, type }) => [
    schema
      .createTable('events')
      .addColumn('eventId', type.text, (column) => column.notNull().primaryKey())
      .addColumn('title', type.text, (column) => column.notNull())
      .addColumn('capacity', type.int64)
      .addColumn('owner', type.text, (column) => column.notNull()),
    schema
      .createTable('guests')
      .addColumn('id', type.text, (column) => column.notNull().primaryKey())
      .addColumn('name', type.text, (column) => column.notNull())
      .addColumn('email', type.text)
      .addColumn('addedBy', type.text, (column) => column.notNull()),
  ],
};
type Own = Tools<typeof tables>;
type Answer<Id extends keyof operations> = Promise<Reply<operations, Id>>;

async function createEvent({ body }: Request<operations, 'createEvent'>, { create }: Own): Answer<'createEvent'> {
  const creation = await create('events', body, { owner: 'someone' });
  if (creation === 'conflict') return { status: 409, body: { error: 40901, message: 'another event has this id' } };
  return { status: 201, body: { ...body, capacity: body.capacity } };
}

async function getEvent({ path }: Request<operations, 'getEvent'>, { get }: Own): Answer<'getEvent'> {
  // A row has columns that the contract does not declare: they are not sent.
  const event = await get('events', path);
  return event === undefined ? none : { status: 200, body: event };
}

async function changeEvent(
  { path, body }: Request<operations, 'changeEvent'>,
  { transaction }: Own,
): Answer<'changeEvent'> {
  return await transaction(async ({ get, database }) => {
    const event = await get('events', path);
    if (event === undefined) return none;
    const changed = mergePatch(event, body);
    await database.updateTable('events').set(changed).where('eventId', '=', path.eventId).execute();
    return { status: 200, body: changed };
  });
}

async function addGuest({ body }: Request<operations, 'addGuest'>, { create }: Own): Answer<'addGuest'> {
  const guest = { ...body, id: randomUUID() };
  await create('guests', guest, { addedBy: 'someone' });
  return { status: 201, body: { ...guest, email: guest.email } };
}

async function getGuest({ path }: Request<operations, 'getGuest'>, { get }: Own): Answer<'getGuest'> {
  const guest = await get('guests', path);
  return guest === undefined ? none : { status: 200, body: guest };
}

const none = { status: 404, body: { error: 40401, message: 'there is none' } } as const;

/** A service as `adopt` makes one: its objects are open, and one key is the service's. */
export const service = {
  name: 'events',
  marker: 'evnt',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: { createEvent, getEvent, changeEvent, addGuest, getGuest },
  records: { events: 'createEvent', guests: 'addGuest' },
} satisfies Service<operations, typeof tables, ErrorNumber>;
