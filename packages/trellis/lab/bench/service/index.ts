import { setTimeout as sleep } from 'node:timers/promises';
import type * as framework from 'trellis';
import { type Service, withoutNulls } from 'trellis';
import { type ErrorNumber, errors, type operations } from './generated/openapi.ts';
import { steps, tables } from './tables.ts';

type Operation<Id extends keyof operations> = framework.Operation<operations, Id, framework.Tools<typeof tables>>;

/** How long `dawdle` waits. SQLite undoes a transaction after 50 ms. */
const DAWDLE_MS = 40;

const createItem: Operation<'createItem'> = async ({ body }, { create }) => {
  const creation = await create('items', body);
  if (creation === 'conflict') return { status: 400, body: errors[40011] };
  const { name, tag } = body;
  return { status: 200, headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {}, body: { name, tag } };
};

const countItems: Operation<'countItems'> = async (_request, { database }) => {
  // No index has the tags.
  const counted = database.selectFrom('items').select(({ fn }) => fn.count<bigint>('tag').as('count'));
  return { status: 200, body: await counted.executeTakeFirstOrThrow() };
};

const getNote: Operation<'getNote'> = async ({ path }, { get }) => {
  const note = await get('notes', path);
  return note === undefined ? { status: 404, body: errors[40411] } : { status: 200, body: note };
};

const getConstant: Operation<'getConstant'> = ({ path: { id } }) =>
  Promise.resolve({ status: 200, body: { id, name: 'Monstera deliciosa', tag: 'tropical', version: 0n } });

const listNotes: Operation<'listNotes'> = async ({ query: { after } }, { database }) => {
  const page = database.selectFrom('notes').selectAll().where('id', '>', after).orderBy('id').limit(20);
  return { status: 200, body: (await page.execute()).map(withoutNulls) };
};

const addNote: Operation<'addNote'> = async ({ body }, { database }) => {
  const note = { ...body, tag: body.tag, version: 0n };
  await database.insertInto('notes').values(note).execute();
  return { status: 201, body: note };
};

const changeNote: Operation<'changeNote'> = async ({ path: { id }, body: { tag } }, { database }) => {
  const change = database
    .updateTable('notes')
    .set(({ eb }) => ({ tag, version: eb('version', '+', 1n) }))
    .where('id', '=', id)
    .returningAll();
  const note = await change.executeTakeFirst();
  return note === undefined ? { status: 404, body: errors[40411] } : { status: 200, body: withoutNulls(note) };
};

const transfer: Operation<'transfer'> = async ({ body }, { transaction }) => {
  const { from_account, to_account, amount } = body;
  return await transaction(async ({ database }) => {
    await database.insertInto('transfers').values(body).execute();
    const read = database.selectFrom('accounts').selectAll().where('id', 'in', [from_account, to_account]);
    const accounts = await read.orderBy('id').execute();
    if (accounts.length < 2) throw new Error('an account does not exist');
    for (const { id, balance, version } of accounts) {
      const changed = { balance: balance + (id === from_account ? -amount : amount), version: version + 1n };
      await database.updateTable('accounts').set(changed).where('id', '=', id).execute();
    }
    return { status: 201, body };
  });
};

const dawdle: Operation<'dawdle'> = async ({ body }, { transaction }) =>
  await transaction(async ({ database }) => {
    await database
      .insertInto('notes')
      .values({ ...body, version: 0n })
      .execute();
    await sleep(DAWDLE_MS);
    await database.updateTable('notes').set({ version: 1n }).where('id', '=', body.id).execute();
    return { status: 201, body: { ...body, tag: body.tag, version: 1n } };
  });

/** The service that is measured: each operation is one kind of request. */
export const bench = {
  name: 'bench',
  marker: 'bnch',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: { createItem, countItems, getNote, getConstant, listNotes, addNote, changeNote, transfer, dawdle },
  records: { items: 'createItem' },
} satisfies Service<operations, typeof tables, ErrorNumber>;
