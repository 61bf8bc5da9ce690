import { DatabaseError, Pool, type PoolClient, types } from 'pg';
import { type Note, serve, type Transfer } from './fastify-app.ts';
import { DATABASE_URL } from './peer.ts';

/**
 * The simplest durable service on PostgreSQL: Fastify with its own validation, and one statement or transaction for each
 * request, over the 10 connections that the client opens by default.
 */
const pool = new Pool({ connectionString: DATABASE_URL, options: '-c synchronous_commit=on' });
types.setTypeParser(types.builtins.INT8, Number);

const SERIALIZATION_FAILURE = '40001';
/** The server prepares a statement once for each connection, by its name. */
const STATEMENTS = {
  create: 'insert into items (id, name, tag) values ($1, $2, $3) on conflict do nothing',
  lookUp: 'select id, name, tag, version from notes where id = $1',
  list: 'select id, name, tag, version from notes where id > $1 order by id limit 20',
  insert: 'insert into notes (id, name, tag, version) values ($1, $2, $3, 0)',
  patch: 'update notes set tag = $1, version = version + 1 where id = $2 returning id, name, tag, version',
  insertTransfer: 'insert into transfers (id, from_account, to_account, amount) values ($1, $2, $3, $4)',
  accounts: 'select id, balance, version from accounts where id in ($1, $2) order by id',
  count: 'select count(tag) as count from items',
  update: 'update accounts set balance = $1, version = $2 where id = $3',
} as const;

function run(name: keyof typeof STATEMENTS, values: readonly unknown[], on: Pool | PoolClient = pool) {
  return on.query<object>({ name, text: STATEMENTS[name], values: [...values] });
}

async function move(client: PoolClient, { id, from_account, to_account, amount }: Transfer): Promise<void> {
  await client.query('begin isolation level serializable');
  try {
    await run('insertTransfer', [id, from_account, to_account, amount], client);
    const accounts = [from_account, to_account];
    const { rows } = await run('accounts', accounts, client);
    if (rows.length < 2) throw new Error('an account does not exist');
    for (const { id, balance, version } of rows as { id: number; balance: number; version: number }[])
      await run('update', [balance + (id === from_account ? -amount : amount), version + 1, id], client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if (!(error instanceof DatabaseError && error.code === SERIALIZATION_FAILURE)) throw error;
    await move(client, { id, from_account, to_account, amount });
  }
}

await serve({
  create: async ({ id, name, tag }) => (await run('create', [id, name, tag])).rowCount === 1,
  lookUp: async (id) => (await run('lookUp', [id])).rows[0] as Note | undefined,
  count: async () => (await run('count', [])).rows[0] as { count: number },
  list: async (after) => (await run('list', [after])).rows as Note[],
  insert: ({ id, name, tag }) => run('insert', [id, name, tag]),
  patch: async (id, tag) => (await run('patch', [tag, id])).rows[0] as Note | undefined,
  transfer: async (transfer) => {
    const client = await pool.connect();
    try {
      await move(client, transfer);
    } finally {
      client.release();
    }
  },
});
