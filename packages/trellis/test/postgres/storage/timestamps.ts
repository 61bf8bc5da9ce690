import { openStore } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import { LAYOUT } from '../../services/items/index.ts';

// Usage: `timestamps.ts URL ROW TIMESTAMP…`, in the time zone of TZ: see kinds.test.ts. Copies a row of `kinds` once for
// each timestamp, and prints what the store answers and returns for each copy; on PostgreSQL, also values without zone.

const [url = '', row = '', ...timestamps] = process.argv.slice(2);
const location = url.startsWith('sqlite:')
  ? ({ engine: 'sqlite', path: url.slice('sqlite:'.length) } as const)
  : readPostgresLocation(url);
const store = await openStore(LAYOUT, location, { create: false });
const original = await store.database
  .selectFrom('kinds')
  .selectAll()
  .where('id', '=', BigInt(row))
  .executeTakeFirstOrThrow();
const answers = [];
for (const [index, text] of timestamps.entries()) {
  const id = BigInt(row) + BigInt(index) + 1n;
  const copy = { ...original, id, timestamp: new Date(text), timestamp_or_null: new Date(text) };
  const creations = [await store.create('kinds', copy), await store.create('kinds', copy)];
  const found = store.database
    .selectFrom('kinds')
    .select(['timestamp', 'timestamp_or_null'])
    .where('timestamp', '=', new Date(text));
  answers.push([...creations, ...(await found.where('id', '=', id).execute())]);
}
if (location.engine === 'postgres') {
  const values =
    "timestamp '2024-06-30 22:00' as timestamp, date '2024-06-30' as date, array[date '0044-03-15 BC'] as dates";
  const { rows } = await store.run({ sql: `select ${values}`, values: [], writes: false });
  answers.push(...rows);
}
process.stdout.write(`${JSON.stringify(answers)}\n`);
await store.close();
