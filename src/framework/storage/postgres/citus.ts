import { OWN_TABLES, STEPS_TABLE } from '../layout.ts';
import { StoreUnusable } from '../store.ts';
import type { Query } from './session.ts';

/** In the schema that the store uses. A reference table, which each worker has whole, counts as spread. */
const SPREAD = `select relname as name, coalesce(column_to_column_name(logicalrelid, partkey), '') as by from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
  where (partmethod <> 'n' or repmodel = 't') and to_regclass(quote_ident(relname)) = logicalrelid order by name`;

/** Settings of a session do not reach the workers: each connection of Citus to a worker has the settings of the worker. */
const SETTINGS = { fsync: ['on'], synchronous_commit: ['on', 'remote_apply'] };
const WORKERS = `select nodename || ':' || nodeport as worker, result from pg_dist_node join
  run_command_on_all_nodes($$select ${Object.keys(SETTINGS)
    .map((name) => `current_setting('${name}')`)
    .join(` || ' ' || `)}$$) using (nodeid) where shouldhaveshards and success order by worker`;

/** The tables of the framework itself, which its transactions use. */
const WHOLE = [...Object.keys(OWN_TABLES), STEPS_TABLE, 'schema_version'];

/**
 * Asks a server what Citus (https://docs.citusdata.com) spreads, and each worker whether it waits for its disk. A worker
 * that is away can acknowledge nothing, and is asked the next time.
 *
 * @returns the column by which each table is spread; undefined: the server has no Citus
 * @throws StoreUnusable
 */
export async function findSpread(query: Query, server: string): Promise<ReadonlyMap<string, string> | undefined> {
  const { rows: found } = await query(`select from pg_extension where extname = 'citus'`);
  if (found.length === 0) return undefined;
  const spread = new Map((await query(SPREAD)).rows.map(({ name, by }) => [String(name), String(by)]));
  const own = WHOLE.find((name) => spread.has(name));
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
