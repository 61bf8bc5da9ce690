import { RESERVED } from '../layout.ts';
import { StoreUnusable } from '../store-errors.ts';
import type { Query } from './session.ts';

/** How a table is spread: by the hash of a column. Each shard has a last hash, and a server that keeps it. */
export interface Spread {
  readonly by: string;
  readonly ends: readonly number[];
  readonly servers: readonly number[];
}

const SHARDS = `from pg_dist_shard as shard join pg_dist_placement using (shardid)
  where shard.logicalrelid = spread.logicalrelid order by shardmaxvalue::int`;

/** The spread tables in the schema of the store. A reference table, which each worker has whole, counts as spread. */
const SPREAD = `select relname as name, coalesce(column_to_column_name(spread.logicalrelid, partkey), '') as by,
    array(select shardmaxvalue::int ${SHARDS}) as ends, array(select groupid ${SHARDS}) as servers
  from pg_dist_partition as spread join pg_class on pg_class.oid = spread.logicalrelid
  where (partmethod <> 'n' or repmodel = 't') and to_regclass(quote_ident(relname)) = spread.logicalrelid order by name`;

/** Settings of a session do not reach the workers: each connection of Citus to a worker has the settings of the worker. */
const SETTINGS = { fsync: ['on'], synchronous_commit: ['on', 'remote_apply'] };
const WORKERS = `select nodename || ':' || nodeport as worker, result from pg_dist_node join
  run_command_on_all_nodes($$select ${Object.keys(SETTINGS)
    .map((name) => `current_setting('${name}')`)
    .join(` || ' ' || `)}$$) using (nodeid) where shouldhaveshards and success order by worker`;

/**
 * Asks a server what Citus (https://docs.citusdata.com) spreads, and each worker whether it waits for its disk. A
 * worker that is away can confirm no write, and is asked the next time.
 *
 * @returns how each table is spread, by its name; undefined: the server has no Citus
 * @throws StoreUnusable
 */
export async function findSpread(query: Query, server: string): Promise<ReadonlyMap<string, Spread> | undefined> {
  const { rows: found } = await query(`select from pg_extension where extname = 'citus'`);
  if (found.length === 0) return undefined;
  const { rows } = await query(SPREAD);
  const spread = new Map(
    rows.map(({ name, by, ends, servers }) => [String(name), { by, ends, servers } as Spread] as const),
  );
  // The framework's own transactions use these tables.
  const own = RESERVED.find((name) => spread.has(name));
  if (own !== undefined)
    throw new StoreUnusable(
      `${server} has spread ${own}, which must stay in one place: run select undistribute_table('${own}')`,
    );
  for (const { worker, result } of (await query(WORKERS)).rows) {
    const values = String(result).split(' ');
    for (const [index, [name, allowed]] of Object.entries(SETTINGS).entries()) {
      if (!allowed.includes(values[index] ?? ''))
        throw new StoreUnusable(
          `the worker ${String(worker)} of ${server} has ${name} = ${values[index] ?? ''}: the store needs on`,
        );
    }
  }
  return spread;
}

/** PostgreSQL's hash of a bigint (`hashint8`), by which Citus chooses its shard. */
export function hashOf(value: bigint): number {
  const [low, high] = [Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n))];
  const start = (0x9e3779b9 + 4 + 3923095) | 0;
  let [a, b, c] = [(start + (low ^ (value >= 0n ? high : ~high))) | 0, start, start];
  const mix = (to: number, from: number, bits: number) => ((to ^ from) - ((from << bits) | (from >>> (32 - bits)))) | 0;
  c = mix(c, b, 14);
  a = mix(a, c, 11);
  b = mix(b, a, 25);
  c = mix(c, b, 16);
  a = mix(a, c, 4);
  b = mix(b, a, 14);
  return mix(c, b, 24);
}
