import { DatabaseSync } from 'node:sqlite';
import { type Note, serve } from './fastify-app.ts';
import { DATABASE } from './peer.ts';

/** The simplest durable service: Fastify with its own validation, and one SQLite commit for each request. */
const database = new DatabaseSync(DATABASE);
database.exec('pragma journal_mode = wal; pragma synchronous = full');

const prepared = (sql: string) => database.prepare(sql);
const [begin, commit, rollback] = [prepared('begin immediate'), prepared('commit'), prepared('rollback')];
const create = prepared('insert into items (id, name, tag) values (?, ?, ?) on conflict do nothing');
const lookUp = prepared('select id, name, tag, version from notes where id = ?');
const list = prepared('select id, name, tag, version from notes where id > ? order by id limit 20');
const insert = prepared('insert into notes (id, name, tag, version) values (?, ?, ?, 0)');
const patch = prepared('update notes set tag = ?, version = version + 1 where id = ? returning id, name, tag, version');
const insertTransfer = prepared('insert into transfers (id, from_account, to_account, amount) values (?, ?, ?, ?)');
const accounts = prepared('select id, balance, version from accounts where id in (?, ?) order by id');
const count = prepared('select count(tag) as count from items');
const update = prepared('update accounts set balance = ?, version = ? where id = ?');

await serve({
  create: ({ id, name, tag = null }) => create.run(id, name, tag).changes > 0,
  lookUp: (id) => lookUp.get(id) as Note | undefined,
  count: () => count.get() as { count: number },
  list: (after) => list.all(after) as unknown as Note[],
  insert: ({ id, name, tag = null }) => insert.run(id, name, tag),
  patch: (id, tag) => patch.get(tag, id) as Note | undefined,
  transfer: ({ id, from_account, to_account, amount }) => {
    begin.run();
    try {
      insertTransfer.run(id, from_account, to_account, amount);
      const read = accounts.all(from_account, to_account) as { id: number; balance: number; version: number }[];
      if (read.length < 2) throw new Error('an account does not exist');
      for (const { id, balance, version } of read)
        update.run(balance + (id === from_account ? -amount : amount), version + 1, id);
      commit.run();
    } catch (error) {
      rollback.run();
      throw error;
    }
  },
});
