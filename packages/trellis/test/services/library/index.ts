import { boolean, int32, int64, json, number, optional, table, text, timestamp } from 'trellis';
import type { AnyService, Handler } from '../../../src/service.ts';
import type { ReplyData } from '../../../../contract/src/message/operation.ts';
import type { Creation } from '../../../src/storage/queries.ts';

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
      shelf: optional(text()),
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

/** The first create of the reader `busy` gets 503. */
let isBusy = true;

const createReader: Handler = async ({ body }, { create }) => {
  const { email, card, since } = body as Body;
  if (email === 'nobody') return { status: 400, body: { error: 40012, message: 'a reader must not be called nobody' } };
  if (email === 'broken') throw new Error('the handler is broken');
  if (email === 'busy' && isBusy) {
    isBusy = false;
    return { status: 503, body: { error: 50300, message: 'the house is full' } };
  }
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
  steps: {
    library1: ({ schema, type }) => [
      schema
        .createTable('readers')
        .addColumn('email', type.text, (column) => column.notNull().primaryKey())
        .addColumn('card', type.int64, (column) => column.notNull().unique())
        .addColumn('since', type.text, (column) => column.notNull()),
      schema
        .createTable('things')
        .addColumn('id', type.text, (column) => column.notNull().primaryKey())
        .addColumn('text', type.text, (column) => column.notNull())
        .addColumn('exact', type.int64, (column) => column.notNull())
        .addColumn('small', type.int32, (column) => column.notNull())
        .addColumn('number', type.number, (column) => column.notNull())
        .addColumn('flag', type.boolean, (column) => column.notNull())
        .addColumn('at', type.timestamp, (column) => column.notNull())
        .addColumn('list', type.json, (column) => column.notNull())
        .addColumn('any', type.json, (column) => column.notNull())
        .addColumn('maybe', type.text)
        .addColumn('note', type.text)
        .addColumn('shelf', type.text)
        .addColumn('made', type.text)
        .addColumn('version', type.int32, (column) => column.notNull()),
      schema
        .createTable('loans')
        .addColumn('thing', type.text, (column) => column.notNull())
        .addColumn('reader', type.text, (column) => column.notNull())
        .addPrimaryKeyConstraint('loans_key', ['thing', 'reader']),
    ],
  },
  operations: { createReader, createThing, lend: () => Promise.resolve({ status: 204 }) },
  records: { readers: 'createReader', things: 'createThing', loans: 'lend' },
};
