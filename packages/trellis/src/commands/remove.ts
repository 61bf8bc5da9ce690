import { ExplainedError, int64 } from 'trellis-contract/ground';
import { chooseTable } from '../files/records.ts';
import { ConstraintViolated } from '../storage/store-errors.ts';
import type { Kind } from '../storage/tables.ts';
import { recordAct } from '../terminal/acts.ts';
import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { withStore } from '../terminal/with-store.ts';

/** Reads the text of a key by the kind of its column; undefined: it is no such key. */
const KEYS: Readonly<Partial<Record<Kind, { readonly form: string; readonly read: (text: string) => unknown }>>> = {
  text: { form: 'a text', read: (text) => text },
  int64: { form: 'an integer from -9223372036854775808 to 9223372036854775807', read: int64 },
  int32: {
    form: 'an integer from -2147483648 to 2147483647',
    read: (text) => (/^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0) ? Number(text) : undefined),
  },
};

export async function remove(job: Job, text: string, options: { readonly table?: string }): Promise<void> {
  const { tables, records } = job.service;
  const table = chooseTable(options.table, Object.keys(tables), Object.keys(records));
  const { columns = {}, key: [column = '', ...others] = [] } = tables[table] ?? {};
  const kind = columns[column]?.kind;
  const reader = kind && KEYS[kind];
  if (reader === undefined || others.length > 0)
    throw new ExplainedError(`remove cannot name a row of ${table}: its key is not one column of text or integers`);
  const key = reader.read(text);
  if (key === undefined) throw new ExplainedError(`the ${column} must be ${reader.form}, not ${text}`);
  await withStore(job, { create: false }, async (store) => {
    const removed = store.remove(table, key).catch((error: unknown) => {
      if (!(error instanceof ConstraintViolated)) throw error;
      throw new ExplainedError(`other rows refer to the row ${text} of ${table}: remove these first`, { cause: error });
    });
    if (!(await removed)) throw new ExplainedError(`the store has no row ${text} of ${table}`);
    await recordAct(job, 'removed', { table, key: text }, store.run);
    await print(job.io, `removed the row ${text} of ${table}\n`);
  });
}
