import { boolean, int32, int64, json, number, optional, table, text, timestamp } from '#framework';
import type { AnyService, Handler } from '../../../../src/framework/service.ts';
import type { ReplyData } from '../../../../src/framework/contract/contract.ts';
import type { Creation } from '../../../../src/framework/storage/store.ts';

const tables = {
  readers: table({ email: text(), card: int64(), since: text() }, 'email'),
  things: table(
    {
      id: text(),
      text: text(),
      exact: int64(),
      small: int32(),
      number: number(),
      flag: boolean(),
      at: timestamp(),
      list: json(),
      any: json(),
      maybe: optional(text()),
      note: optional(text()),
      /** Only the service knows these. */
      made: optional(text()),
      version: int32(),
    },
    'id',
  ),
  loans: table({ thing: text(), reader: text() }, 'thing', 'reader'),
};

const replyTo = (creation: Creation): ReplyData =>
  creation === 'conflict'
    ? { status: 400, body: { error: 40011, message: 'a different row with this key exists' } }
    : { status: 204 };

type Body = Readonly<Record<string, unknown>>;

const createReader: Handler = async ({ body }, { create }) => {
  const { email, card, since } = body as Body;
  if (email === 'nobody') return { status: 400, body: { error: 40012, message: 'a reader must not be called nobody' } };
  if (email === 'broken') throw new Error('the handler is broken');
  return replyTo(await create('readers', { email, card, since }));
};

const createThing: Handler = async ({ body }, { transaction }) => {
  const thing = body as Body;
  const row = { ...thing, at: new Date(String(thing['at'])) };
  return replyTo(await transaction(({ create }) => create('things', row, { made: null, version: 1 })));
};

/** Several tables in files; see openapi.yaml. */
export const library: AnyService = {
  name: 'library',
  marker: 'libr',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  migrations: {
    sqlite: [
      `create table readers (email text primary key not null, card integer not null, since text not null) strict;
       create table things (id text primary key not null, "text" text not null, exact integer not null,
         small integer not null, number real not null, flag integer not null, at integer not null, list text not null,
         "any" text not null, maybe text, note text, made text, version integer not null) strict;
       create table loans (thing text not null, reader text not null, primary key (thing, reader)) strict`,
    ],
    postgres: [
      `create table readers (email text primary key, card bigint not null, since text not null);
       create table things (id text primary key, "text" text not null, exact bigint not null, small integer not null,
         number double precision not null, flag boolean not null, at timestamp with time zone not null,
         list jsonb not null, "any" jsonb not null, maybe text, note text, made text, version integer not null);
       create table loans (thing text not null, reader text not null, primary key (thing, reader))`,
    ],
  },
  operations: { createReader, createThing, lend: () => Promise.resolve({ status: 204 }) },
  records: { readers: 'createReader', things: 'createThing', loans: 'lend' },
};
