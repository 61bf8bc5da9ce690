import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openStore } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import type { Queries } from '../../../src/storage/queries.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { Row as RowOf } from '../../../src/storage/tables.ts';
import { random } from '../../support/ledger.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { seedOr } from '../../support/seed.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../../services/items/index.ts';
import type { tables } from '../../services/items/tables.ts';

type Own = Queries<typeof tables>;
type Kinds = RowOf<(typeof tables)['kinds']>;

const SEED = seedOr(20_260_500);
const ROWS = 6;
const EDGES = [2n ** 53n - 2n, -(2n ** 53n), 2n ** 62n, 0n];

const rowAt = (id: number): Kinds => ({
  id: BigInt(id),
  text: '0',
  int64: EDGES[id % EDGES.length] ?? 0n,
  int32: 0,
  number: 0,
  boolean: false,
  timestamp: new Date('2026-02-01T00:00:00Z'),
  bytes: new Uint8Array([0]),
  json: { count: EDGES[id % EDGES.length] ?? 0n, list: [] },
});

/** What a transaction does: adds to rows, in ways that give the same result in any order. */
interface Plan {
  readonly additions: readonly { readonly id: bigint; readonly amount: bigint; readonly together: boolean }[];
  readonly created: number | undefined;
  /** When the transaction throws: before its first query, or after its last. */
  readonly fails: 'early' | 'late' | undefined;
}

function planOf(next: () => number, index: number): Plan {
  const ids = Array.from({ length: ROWS }, (_, id) => BigInt(id)).filter(() => next() < 0.4);
  const kind = next();
  return {
    additions: ids.map((id) => ({ id, amount: BigInt(Math.floor(next() * 9) - 4), together: next() < 0.5 })),
    created: next() < 0.4 ? 1000 + index : undefined,
    fails: kind < 0.1 ? 'early' : kind < 0.25 ? 'late' : undefined,
  };
}

class Refused extends Error {}

/** Changes the arguments and the rows of a query as soon as it has called the query. */
function run(store: Store, { additions, created, fails }: Plan): Promise<string> {
  const work = ({ create, database }: Own) => {
    if (fails === 'early') throw new Refused('early');
    const add = async ({ id, amount }: Plan['additions'][number]) => {
      const row = await database.selectFrom('kinds').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const json = row.json as { count: number | bigint; list: unknown[] };
      json.count = BigInt(json.count) + amount;
      row.timestamp.setUTCDate(row.timestamp.getUTCDate() + 1);
      row.bytes[0] = ((row.bytes[0] ?? 0) + 1) % 256;
      const { timestamp, bytes } = row;
      const set = { json: json as object, timestamp, bytes, int64: row.int64 + amount };
      const update = database.updateTable('kinds').set(set).where('id', '=', id).execute();
      json.count = -1;
      json.list.push('after the call');
      timestamp.setTime(0);
      bytes.fill(255);
      await update;
    };
    return (async () => {
      if (created !== undefined) {
        const row = rowAt(created);
        const creation = create('kinds', row);
        row.timestamp.setTime(0);
        row.bytes.fill(255);
        (row.json as { list: unknown[] }).list.push('after the call');
        await creation;
      }
      const together = additions.filter((each) => each.together).map(add);
      for (const each of additions) if (!each.together) await add(each);
      await Promise.all(together);
      if (fails === 'late') throw new Refused('late');
    })();
  };
  return store.transaction(work as never).then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refused) return error.message;
      throw error;
    },
  );
}

async function allRows(store: Store): Promise<unknown[]> {
  const { database } = store as unknown as Own;
  return await database.selectFrom('kinds').selectAll().orderBy('id').execute();
}

async function newStore(engine: string): Promise<Store> {
  const server = engine === 'PostgreSQL' ? await sharedPostgres() : undefined;
  const location =
    server === undefined
      ? ({ engine: 'sqlite', path: join(temporaryFolder(), 'store.db') } as const)
      : readPostgresLocation(server.url(await server.createDatabase()));
  const store = await openStore(LAYOUT, location, { create: true });
  for (let id = 0; id < ROWS; id++) await store.create('kinds', { ...rowAt(id) });
  return store;
}

test.each(['SQLite', 'PostgreSQL'])(
  'transactions on %s end as if they ran in turn, although they change their arguments, overlap queries or throw',
  async (engine) => {
    const next = random(SEED);
    const plans = Array.from({ length: 120 }, (_, index) => planOf(next, index));
    const [together, inTurn] = [await newStore(engine), await newStore(engine)];
    const ended = [];
    // Few at a time on PostgreSQL, which runs a transaction again whenever it meets another one, for 5 s at most.
    const width = engine === 'PostgreSQL' ? 3 : 10;
    for (let at = 0; at < plans.length; at += width)
      ended.push(...(await Promise.all(plans.slice(at, at + width).map((plan) => run(together, plan)))));
    const expected = [];
    for (const plan of plans) expected.push(await run(inTurn, plan));
    const message = `TESTS_SEED=${SEED}`;
    expect([message, ended]).toEqual([message, expected]);
    expect([message, await allRows(together)]).toEqual([message, await allRows(inTurn)]);
    for (const store of [together, inTurn]) await store.close();
  },
);
