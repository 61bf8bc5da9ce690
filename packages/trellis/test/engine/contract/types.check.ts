/**
 * Lines that must not compile. If one does, `tsc` in `npm run check` fails: a `@ts-expect-error` without an error is an
 * error.
 */
import { sql } from 'kysely';
import type { Operations, Others, Reply, Request } from '../../../../contract/src/types.ts';
import { int64, json, optional, type Stored, table } from '../../../src/storage/tables.ts';
import type { ErrorNumber } from '../../../../contract/src/refusal.ts';
import { mergePatch } from '../../../../contract/src/merge-patch.ts';
import type { Queries } from '../../../src/storage/queries.ts';
import type { Service, Settings, Setup, Tools } from '../../../src/service.ts';
import { stub } from '../../../src/stub.ts';
import type { tables } from '../../services/items/tables.ts';
import type { operations as eventOperations } from '../../services/events/generated/openapi.ts';
import type { service as events } from '../../services/events/index.ts';
import type { operations as papers } from '../../services/papers/generated/openapi.ts';
import type { service as ofPapers } from '../../services/papers/index.ts';
import type { operations as items } from '../../services/items/generated/openapi.ts';
import type { operations, webhooks } from './generated.ts';

type R = Reply<items, 'createItem'>;
const createItem = (): Promise<R> => Promise.resolve({ status: 200, body: { name: 'x', tag: undefined } });

// These compile:
export const replies: R[] = [
  { status: 200, body: { name: 'x', tag: undefined } },
  { status: 200, headers: { 'Idempotent-Replayed': true }, body: { name: 'x', tag: 'y' } },
  { status: 400, body: { error: 40010, message: 'm' } },
  { status: 401, headers: { 'WWW-Authenticate': 'Bearer realm="api"' }, body: { error: 40010, message: 'm' } },
];

export const sketches: Operations<items, Tools>[] = [
  { createItem: stub<R>({ status: 200, body: { name: 'x' } }) },
  { createItem: stub<R>({ status: 400, body: { error: 40010, message: 'm' } }) },
];
// @ts-expect-error -- the reply of a stub lacks a member that the contract requires
export const lacking = stub<R>({ status: 200, body: { tag: 'y' } });
// @ts-expect-error -- the contract does not declare a member
export const undeclared = stub<R>({ status: 200, body: { name: 'x', colour: 'red' } });

type Accept = Reply<operations, 'accept the share'>;
export const accepted: Accept[] = [{ status: 204 }, { status: 303, body: 'gone' }, { status: 307, body: 'moved' }];
// @ts-expect-error -- the status has a response of its own, which the range does not replace
export const ofRange: Accept = { status: 303, body: 'moved' };
// @ts-expect-error -- the status is of another range
export const ofOther: Accept = { status: 500, body: 'taken' };

// @ts-expect-error -- a handler is missing
export const missing = {} satisfies Operations<items, Tools>;
// @ts-expect-error -- a handler is too many
export const surplus = { createItem, mowLawn: createItem } satisfies Operations<items, Tools>;
// @ts-expect-error -- a handler is misnamed
export const misnamed = { createItems: createItem } satisfies Operations<items, Tools>;

type RecordsOf = Service<items, typeof tables, ErrorNumber>['records'];
// @ts-expect-error -- the service has no such table
export const noTable = { books: 'createItem' } satisfies RecordsOf;
// @ts-expect-error -- the contract has no such operation
export const noOperation = { items: 'createBook' } satisfies RecordsOf;

// Settings and resources of the service itself.
const settings = {
  DAYS: { read: Number, default: '3', meaning: 'days' },
  KEY: { read: String, secret: true, meaning: 'the key' },
} satisfies Settings;
const resources = (setup: Setup<typeof tables, typeof settings>) => Promise.resolve({ days: setup.settings.DAYS });
type Own = Service<items, typeof tables, ErrorNumber, typeof settings, typeof resources>;
type OwnTools = Tools<typeof tables, typeof settings, typeof resources>;
export const days = ({ settings: { DAYS }, resources }: OwnTools): number => DAYS + resources.days;
export const simple: Pick<Own, 'operations' | 'settings' | 'resources'> = {
  operations: { createItem: (_, _tools: Tools<typeof tables>) => createItem() },
  settings,
  resources,
};
// @ts-expect-error -- a setting without a default may be undefined
export const noKey = ({ settings: { KEY } }: OwnTools): string => KEY;
// @ts-expect-error -- the service has no such setting
export const noSetting = ({ settings }: OwnTools): unknown => settings.DAY;
// @ts-expect-error -- the service does not say its settings
export const unsaid: Pick<Own, 'settings'> = {};
// @ts-expect-error -- the service does not say what it opens
export const unopened: Pick<Own, 'resources'> = {};
// @ts-expect-error -- its type does not say that it has settings, so that operations would not see them
export const untyped: Pick<Service<items, typeof tables, ErrorNumber>, 'settings'> = { settings };

// @ts-expect-error -- x-error-numbers does not list the error number
export const unlisted: R = { status: 400, body: { error: 40098, message: 'm' } };
// @ts-expect-error -- the status is not declared
export const undeclaredStatus: R = { status: 418, body: { error: 40010, message: 'm' } };
// @ts-expect-error -- the status falls under `default`, which is not for operations
export const defaultStatus: R = { status: 503, body: { error: 40010, message: 'm' } };
// @ts-expect-error -- the body is that of another status
export const errorUnder200: R = { status: 200, body: { error: 40010, message: 'm' } };
// @ts-expect-error -- a field is not declared
export const undeclaredField: R = { status: 200, body: { name: 'x', tag: 'y', id: 1n } };
// @ts-expect-error -- a field is missing
export const missingField: R = { status: 200, body: { tag: 'x' } };
// @ts-expect-error -- an optional field is missing: it would be lost unseen
export const missingOptional: R = { status: 200, body: { name: 'x' } };
// @ts-expect-error -- a field has another type
export const wrongField: R = { status: 200, body: { name: 1, tag: undefined } };
// @ts-expect-error -- the body is missing
export const missingBody: R = { status: 200 };
// @ts-expect-error -- the header is misspelt
export const misspelt: R = { status: 200, headers: { 'Idempotent-Replay': true }, body: { name: 'x', tag: 'y' } };
// @ts-expect-error -- the header has another type
export const wrongHeader: R = { status: 200, headers: { 'Idempotent-Replayed': 1 }, body: { name: 'x', tag: 'y' } };
// @ts-expect-error -- the service sends the header
export const ownHeader: R = { status: 200, headers: { 'X-Request-Id': 'x' }, body: { name: 'x', tag: 'y' } };
// @ts-expect-error -- the header is required
export const missingHeader: R = { status: 401, body: { error: 40010, message: 'm' } };

export async function inAsyncFunction(_request: Request<items, 'createItem'>): Promise<R> {
  await Promise.resolve();
  // @ts-expect-error -- a field is not declared
  return { status: 200, body: { name: 'x', tag: 'y', colour: 'red' } };
}

export function readsRequest({ body, path, query }: Request<items, 'createItem'>, { caller }: Tools): unknown[] {
  // @ts-expect-error -- the request has no such field
  const colour: unknown = body.colour;
  // @ts-expect-error -- a tag may be missing
  const tag: string = body.tag;
  // @ts-expect-error -- the operation has no such parameter
  const id: string = path.id;
  // @ts-expect-error -- the operation has no such parameter
  const limit: bigint = query.limit;
  // @ts-expect-error -- an int64 is no number
  const rounded: number = body.id;
  // @ts-expect-error -- an operation may need no token, and so have no caller
  const scopes: unknown = caller.scopes;
  return [colour, tag, id, limit, rounded, scopes];
}

// The compiler compares the members of a service with its contract and its tables:

type Named<Numbers> = Service<items, typeof tables, Numbers>;
// @ts-expect-error -- x-error-numbers lacks a number of the framework
export const unlistedNumbers: Named<40001 | 40100>['contract'] = new URL('file:///openapi.yaml');
export const listedNumbers: Named<ErrorNumber>['contract'] = new URL('file:///openapi.yaml');
export const records: Named<ErrorNumber>['records'] = { items: 'createItem' };
// @ts-expect-error -- the body of the operation requires a name, and the table has no such column
export const otherRecords: Named<ErrorNumber>['records'] = { kinds: 'createItem' };
// The compiler names the column.
export const lacks: Extract<RecordsOf['kinds'], object>['the table lacks what createItem requires'] = 'name';
// @ts-expect-error -- the service has no such operation
export const noRecords: Named<ErrorNumber>['records'] = { items: 'mowLawn' };
type RecordsOfBeds = Service<operations, typeof tables, ErrorNumber>['records'];
// @ts-expect-error -- the body of the operation keeps members without a name
export const openBody: RecordsOfBeds = { items: 'clearBed' };
// The compiler names the operation and the cure.
type OfOpen = Readonly<Record<'the body of clearBed may have members that no column keeps', string>>;
export const cure: Extract<RecordsOfBeds['items'], OfOpen>[keyof OfOpen] = 'leave out additionalProperties';
export const leavesOthersOut: RecordsOfBeds = { items: 'addSeed' };
// @ts-expect-error -- the operation has no body
export const bodiless: RecordsOfBeds = { items: 'accept the share' };
export const unnamed: RecordsOfBeds = {
  // @ts-expect-error -- the compiler names no operation without a body: it creates nothing
  items: { 'the table lacks what accept the share requires': 'no body' },
};
type RecordsOfPapers = Service<papers, (typeof ofPapers)['tables'], ErrorNumber>['records'];
// @ts-expect-error -- the body of the operation is bytes
export const recordsOfBytes: RecordsOfPapers = { papers: 'putScan' };
export const recordsOfSeveral: RecordsOfPapers = { notes: 'putNote' };
export const types: Request<papers, 'putPaper'>['contentType'][] = ['application/pdf', 'image/png'];
// @ts-expect-error -- a request of one media type has no contentType
export type NoType = Request<papers, 'putScan'>['contentType'];
export const bytes: Reply<papers, 'getScan'> = { status: 200, body: new Uint8Array() };
// @ts-expect-error -- bytes are no text
export const noBytes: Reply<papers, 'getScan'> = { status: 200, body: 'bytes' };
// @ts-expect-error -- an operation is missing
export const noOperations: Named<ErrorNumber>['operations'] = {};

export const documents = {
  documents: table({ id: int64(), document: json<{ readonly name: string }>() }, 'id'),
  remarks: table({ id: int64(), any: optional(json()) }, 'id'),
};

export async function stores(
  { create, database }: Tools<typeof tables & typeof documents>,
  body: Request<items, 'createItem'>['body'],
  seed: Request<operations, 'addSeed'>['body'],
  { first, others, last, packed, then = { first, others, last, packed } }: Request<operations, 'sowSeeds'>['body'],
  { seed: open, list, none, joined, branch }: Request<operations, 'keepSeeds'>['body'],
) {
  await create('items', body);
  // @ts-expect-error -- there is no such table
  await create('itemz', body);
  // @ts-expect-error -- the table has no such column
  await create('items', { ...body, colour: 'red' });
  // @ts-expect-error -- the table has no column of one of the types
  await create('items', body.tag === undefined ? body : { ...body, colour: 'red' });
  await create('items', seed);
  await create('items', { ...seed, id: 1n });
  await create('items', first);
  await create('items', then.first);
  for (const each of others) await create('items', each);
  if (last !== null) await create('items', last);
  // @ts-expect-error -- an object that keeps members without a name may have some for which the table has no column
  await create('items', open);
  // @ts-expect-error -- the same, with a member of the service
  await create('items', { ...open, id: 1n });
  // @ts-expect-error -- the same, without a member of the client
  await create('items', withoutTag(open));
  // @ts-expect-error -- the same, in a list
  for (const each of list) await create('items', each);
  // @ts-expect-error -- the same, or null
  if (none !== null) await create('items', none);
  // @ts-expect-error -- unevaluatedProperties keeps them
  await create('items', joined);
  // @ts-expect-error -- a branch keeps them
  await create('items', branch);
  // @ts-expect-error -- an optional column is not written: a member that the contract gains would be lost unseen
  await create('items', packed);
  await create('items', { ...packed, tag: undefined });
  await create('items', packed, { tag: null });
  const insert = database.insertInto('items');
  const update = database.updateTable('items');
  // @ts-expect-error -- a query takes no such object either: its other members could be any column
  await insert.values(open).execute();
  // @ts-expect-error -- the same, in an update
  await update.set(open).execute();
  // @ts-expect-error -- the same, with a member of the service
  await update.set({ ...open, tag: 'none' }).execute();
  await insert.values(packed).execute();
  const item = await database.selectFrom('items').selectAll().executeTakeFirstOrThrow();
  const isAll: Same<typeof item, { id: bigint; name: string; tag: string | null }> = true;
  await insert.values(seed).execute();
  await update.set({ ...seed, tag: 'none' }).execute();
  // @ts-expect-error -- a misspelt member of an object that leaves others out
  const misspelt: unknown = seed.nmae;
  const { id, name } = open;
  // @ts-expect-error -- an optional column is not written, and a member of the body is lost
  await create('items', { id, name });
  await create('items', { id, name, tag: seed.tag });
  await create('documents', { id, document: open });
  // @ts-expect-error -- JSON's null, which the column would not tell from the null of SQL
  await create('remarks', { id, any: null });
  // @ts-expect-error -- the same, if the contract allows it there
  await create('remarks', { id, any: last });
  await create('remarks', { id, any: last ?? undefined });
  // @ts-expect-error -- a column is missing
  await create('items', { id: 1n });
  // @ts-expect-error -- a column has another type
  await create('items', { id: 1, name: 'x' });
  // @ts-expect-error -- a key must be a column
  return [table({ id: int64() }, 'idd'), item, isAll, misspelt];
}

/** A handler of an open contract that forgets a member. */
export async function forgets(
  { body: { eventId, title } }: Request<eventOperations, 'createEvent'>,
  { create }: Tools<typeof events.tables>,
) {
  // @ts-expect-error -- Property 'capacity' is missing in type … ColumnNotNamed
  await create('events', { eventId, title }, { owner: 'x' });
}

function withoutTag({ tag: _, ...others }: Request<operations, 'keepSeeds'>['body']['seed']) {
  return { ...others, tag: 'none' };
}

// @ts-expect-error -- a transaction has no transaction
export type Inner = Queries['transaction'];
// @ts-expect-error -- an operation does not change the schema
export type Schema = Tools['database']['schema'];

const MEMBER = { id: 'a', email: 'b', level: 'guest', tags: ['c'] } as const;
const ADDED = { version: 1n, joined_at: new Date(0), left_at: null } as const;

export async function queries({ create, get, database, transaction }: Tools<typeof tables>, isGuest: boolean) {
  await create('members', MEMBER, ADDED);
  await create('members', { ...MEMBER, ...ADDED, left_at: new Date(0) });
  // A text of the column, written where it is used.
  await create('members', { id: 'a', email: 'b', tags: ['c'] }, { ...ADDED, level: 'guest' });
  await create('members', { id: 'a', email: 'b', tags: ['c'] }, { ...ADDED, level: isGuest ? 'guest' : 'regular' });
  // @ts-expect-error -- a text that the column does not have
  await create('members', { id: 'a', email: 'b', tags: ['c'] }, { ...ADDED, level: 'nope' });
  // @ts-expect-error -- a column that the service adds is missing
  await create('members', MEMBER, { version: 1n });
  // @ts-expect-error -- the columns that the service adds are missing
  await create('members', MEMBER);
  // @ts-expect-error -- the table has no such column
  await create('members', MEMBER, { ...ADDED, colour: 'red' });
  // @ts-expect-error -- a column that may not be null
  await create('members', MEMBER, { ...ADDED, version: null });
  // @ts-expect-error -- a column is sent and added
  await create('members', { ...MEMBER, version: 1n }, ADDED);
  // @ts-expect-error -- a text that the column does not have
  await create('members', { ...MEMBER, level: 'nope' }, ADDED);
  // @ts-expect-error -- a list of other values than the column has
  await create('members', { ...MEMBER, tags: [1] }, ADDED);

  const change = database.updateTable('members');
  await change.set({ level: 'regular', tags: ['d'], left_at: null }).execute();
  // @ts-expect-error -- a text that the column does not have
  await change.set({ level: 'nope' }).execute();
  // @ts-expect-error -- a list of other values than the column has
  await change.set({ tags: [1] }).execute();
  // @ts-expect-error -- a column that may not be null
  await change.set({ version: null }).execute();
  const insert = database.insertInto('members');
  const given = { ...ADDED, id: 'a', email: 'b', level: 'guest' } as const;
  await insert.values({ ...given, tags: [] }).execute();
  // @ts-expect-error -- JSON that may not be null is missing
  await insert.values(given).execute();
  const { level, tags, left_at } = await database.selectFrom('members').selectAll().executeTakeFirstOrThrow();

  await transaction(async (own) => {
    await own.create('members', MEMBER, ADDED);
    await own.get('members', { id: 'a' });
  });
  const found = await get('members', { id: 'a' });
  const isWhole: Same<typeof found, Stored<(typeof tables)['members']> | undefined> = true;
  // @ts-expect-error -- the row may not be there
  if (isGuest) return found.level;
  // @ts-expect-error -- a column of the key has another type
  await get('members', { id: 1n });
  // @ts-expect-error -- a column that is not of the key
  await get('members', { id: 'a', email: 'b' });
  // @ts-expect-error -- the same, in a value that has more
  await get('members', MEMBER);
  // @ts-expect-error -- a column of the key is missing
  await get('notes', { item: 1n });
  // @ts-expect-error -- the service has no such table
  await get('nothing', { id: 'a' });
  // @ts-expect-error -- SQL that is no query
  await sql`commit`.execute(database);
  return [isWhole, level, tags, left_at] satisfies [true, 'guest' | 'regular', readonly string[], Date | null];
}

// These use types.yaml, which has features of OpenAPI that the contract of the items lacks:

type Put = Request<operations, 'putBed'>;
type Put200 = Extract<Reply<operations, 'putBed'>, { status: 200 }>;
type Put204 = Extract<Reply<operations, 'putBed'>, { status: 204 }>;
type Added = Extract<Reply<operations, 'addPet'>, { status: 200 }>;
type Cleared = Extract<Reply<operations, 'clearBed'>, { status: 200 }>;
/** True if two types are the same, also in which members are optional or readonly. */
type Same<A, B> = (<T>(_: T) => T extends A ? 1 : 2) extends <T>(_: T) => T extends B ? 1 : 2 ? true : false;

/** A bed in a request: without readOnly members, and with each default filled in. */
interface ReceivedBed {
  secret: string;
  name: string;
  rows: bigint;
  size: bigint;
  order: 'up' | 'down';
  note: string | null;
  within?: ReceivedBed[];
}
/** A bed in a reply: without writeOnly members. A member that may be missing is undefined. A list may be readonly. */
interface SentBed {
  id: bigint;
  name: string;
  rows: bigint;
  size: bigint | undefined;
  order: 'up' | 'down' | undefined;
  note: string | null | undefined;
  within: readonly SentBed[] | undefined;
}
interface Numbers {
  nullable: bigint | null | undefined;
  either: bigint | string | undefined;
  one: 9007199254740993n | undefined;
  some: 1n | -9223372036854775808n | null | undefined;
  words: 'a' | 'b' | undefined;
  nothing: null | undefined;
  nothingOr: { kind: 'dog' | 'hound'; tricks: string | undefined } | null | undefined;
  notNull: 'a' | undefined;
  noObject: 'a' | { a: 1 } | undefined;
  impossible: undefined;
  bounded: bigint | undefined;
  list: readonly (1n | 2n)[] | undefined;
  pair: readonly [bigint, string] | undefined;
  open: readonly [bigint, string?, ...unknown[]] | undefined;
  map: Record<string, bigint | undefined> | undefined;
  titled: { title: string | undefined; [name: string]: bigint | string | undefined } | undefined;
  counted: { total: number | undefined; [name: string]: bigint | number | undefined } | undefined;
  small: 1 | 2 | undefined;
  real: number | undefined;
  defined: string | undefined;
  patterned: { a: string | undefined; [name: string]: unknown } | undefined;
  closed: { a: string | undefined; [name: string]: number | string | undefined } | undefined;
  any: Record<string, unknown> | undefined;
  empty: Record<string, unknown> | undefined;
  mixed: bigint | number | undefined;
  none: Record<string, undefined> | undefined;
  objects: { a: 1 } | { type: 'string' } | undefined;
  barred: undefined;
  beside: { kind: 'cat'; lives: number; name: string } | undefined;
  both: { a: string | undefined; b: string } | { a: string | undefined; c: bigint } | undefined;
  described:
    | {
        in: string | undefined;
        schema: { propertyName: string | undefined } | undefined;
        discriminator: { propertyName: string | undefined } | undefined;
        operationId: string | undefined;
        parameters: readonly string[] | undefined;
        anyOf: readonly string[] | undefined;
        properties: Record<string, string | undefined> | undefined;
        format: 'int64' | undefined;
      }
    | undefined;
}
export const body: Same<Put['body'], ReceivedBed> = true;
export const query: Same<Put['query'], { page: number; limit: bigint; order: 'up' | 'down'; after?: bigint }> = true;
export const header: Same<Put['header'], { 'X-Trace'?: string }> = true;
export const path: Same<Put['path'], { 'bed-id': bigint }> = true;
export const bodyOfReply: Same<Put200['body'], SentBed> = true;
interface Why {
  why?: string;
  [others: string]: unknown;
}
/** A type without the marker that the types of trellis give an open object. */
type Unmarked<T> = { [Name in keyof T as Name extends keyof Others ? never : Name]: T[Name] };
export const optionalBody: Same<Unmarked<Request<operations, 'clearBed'>['body']>, Why | undefined> = true;
export const anyBody: Same<Added['body'], unknown> = true;
export const int64s: Same<Cleared['body'], Numbers> = true;
export const headers: Same<Cleared['headers'], Readonly<{ 'X-Count': bigint }>> = true;
type StatusOf<All, Id extends keyof All> = Reply<All, Id>['status'];
type Some = 200 | 201 | 204 | 404 | 500;
/** A 4xx of `default`, which does not list the numbers of failures. */
export const statuses: Same<Extract<StatusOf<operations, 'putBed'>, Some>, 200 | 201 | 204 | 404> = true;
export const listed: Same<Extract<StatusOf<items, 'createItem'>, Some>, 200> = true;
export const webhook: Same<webhooks, Record<string, never>> = true;

// @ts-expect-error -- no body is valid
export const noBody: Reply<operations, 'addPet'> = { status: 409, body: null };
// In a reply, an open object may have only the members that its schema declares.
// @ts-expect-error -- a field is misspelt
export const misspeltField: Reply<operations, 'addSeed'> = { status: 200, body: { id: 1n, name: 'x', tga: 'y' } };
export const handled: Same<
  keyof Operations<operations, Tools>,
  'accept the share' | 'putBed' | 'clearBed' | 'addPet' | 'addSeed' | 'sowSeeds' | 'keepSeeds'
> = true;

// @ts-expect-error -- the reply declares no headers
export const undeclaredHeader: Put204 = { status: 204, headers: { ETag: 'x' } };
// @ts-expect-error -- the reply declares no body
export const undeclaredBody: Put204 = { status: 204, body: {} };
const BED = { id: 1n, name: 'x', rows: 1n, size: 1n, order: 'up', note: null, within: undefined } as const;
// @ts-expect-error -- the member is writeOnly
export const writeOnly: Put200 = { status: 200, body: { ...BED, secret: 'x' } };
// @ts-expect-error -- the member is writeOnly, further down too
export const writeOnlyWithin: Put200['body'] = { ...BED, within: [{ ...BED, secret: 'x' }] };
// @ts-expect-error -- an optional member is missing
export const missingWithin: Put200['body'] = { id: 1n, name: 'x', rows: 1n, size: 1n, order: 'up', note: null };
// @ts-expect-error -- an optional member is missing in an item of a list
export const missingBelow: Put200['body'] = { ...BED, within: [{ id: 1n, name: 'x', rows: 1n }] };
// @ts-expect-error -- an optional member is missing in an object of anyOf
export const missingInUnion: Cleared['body']['both'] = { b: 'x' };
// @ts-expect-error -- an optional member is missing beside others that the contract does not name
export const missingBeside: Cleared['body']['titled'] = { other: 1n };
export const undefinedMembers: Put200['body'] = { ...BED, size: undefined, order: undefined, note: undefined };
export const undefinedBeside: Cleared['body']['titled'] = { title: undefined, other: 1n };

export async function inCodeOfItems({ body }: Request<items, 'createItem'>): Promise<R> {
  await Promise.resolve();
  const { name, tag } = body;
  if (tag === undefined) return { status: 200, body: { name, tag } };
  const { id: _, ...item } = body;
  // @ts-expect-error -- a member that may be missing in the request is not written
  return { status: 200, body: item };
}

interface Contact {
  readonly email?: string;
  readonly post: { readonly street: string; readonly door?: bigint };
}
interface Client {
  readonly id: bigint;
  readonly name: string;
  readonly at: Date;
  readonly note: string | undefined;
  readonly contact: Contact | undefined;
}
interface Patch {
  readonly name?: string;
  readonly note?: string | null;
  readonly contact?: {
    readonly email?: string | null;
    readonly post?: { readonly street?: string; readonly door?: bigint | null };
  };
}

export function patched(client: Client, contact: Contact, patch: Patch, open: Patch & Others) {
  const { id, name, at, note } = mergePatch(client, patch) satisfies Pick<Client, 'id' | 'name' | 'at' | 'note'>;
  const whole: Contact = mergePatch(contact, patch.contact ?? {});
  const emailed = mergePatch(client, { contact: { post: { street: 'x', door: 1n } } }).contact satisfies
    Contact | undefined;
  // @ts-expect-error -- a client without a contact has no street, unless the patch must have one
  const partial: Contact | undefined = mergePatch(client, patch).contact;
  // @ts-expect-error -- a null removes a member that the row must have
  const nameless: string = mergePatch(client, { name: null }).name;
  // @ts-expect-error -- a member that is not stored
  mergePatch(client, { colour: 'red' });
  // @ts-expect-error -- an open object: its client would choose the columns
  mergePatch(client, open);
  // @ts-expect-error -- another type than the column has
  const other: string = mergePatch(client, { name: 1 }).name;
  return [id, name, at, note, whole, emailed, partial, nameless, other];
}
