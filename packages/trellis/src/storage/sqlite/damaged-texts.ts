import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import type { Layout } from '../layout.ts';
import type { AnyRow } from '../engine.ts';
import { columnsOf } from './migrations.ts';
import { Prepared } from './values.ts';

/** A row with texts that are not UTF-8: a disk has changed them. */
export interface DamagedRow {
  readonly table: string;
  /** As a query reads them. */
  readonly key: AnyRow;
  /** The columns of these texts. */
  readonly columns: readonly string[];
}

/**
 * Finds what SQLite does not: it compares no checksum, and gives any bytes as a text, in which node:sqlite has U+FFFD. One
 * row at a time, as a disk may have changed millions.
 */
export function* damagedTexts({ tables }: Layout, database: DatabaseSync): Generator<DamagedRow> {
  const textsOf = textsIn(database);
  for (const [table, { key }] of Object.entries(tables)) {
    const texts = textsOf(table);
    if (texts.length === 0) continue;
    const select = [...key.map((column) => `"${column}"`), ...texts.map(isDamaged)].join();
    const where = texts.map(isDamaged).join(' or ');
    for (const row of new Prepared(tables, database, `select ${select} from "${table}" where ${where}`).iterate([]))
      yield {
        table,
        key: Object.fromEntries(key.map((column) => [column, row[column]])),
        columns: texts.filter((text) => row[isDamaged(text)] === 1n),
      };
  }
}

/**
 * @returns a function that takes a row which was read, and in whose texts U+FFFD stands: it returns the columns of
 *   damaged texts, or undefined if the row is gone
 */
export function damageOf(
  { tables }: Layout,
  database: DatabaseSync,
  table: string,
): (row: AnyRow) => readonly string[] | undefined {
  const key = tables[table]?.key ?? [];
  const texts = textsIn(database)(table);
  const where = key.map((column) => `"${column}" = ?`).join(' and ');
  const prepared = new Prepared(
    tables,
    database,
    `select ${['1', ...texts.map(isDamaged)].join()} from "${table}" where ${where}`,
  );
  return (row) => {
    const [found] = prepared.iterate(key.map((column) => row[column]));
    if (found !== undefined) return texts.filter((text) => found[isDamaged(text)] === 1n);
    // No text is equal to a key that is damaged.
    const ofKey = key.filter((column) => String(row[column]).includes('\uFFFD'));
    return ofKey.length === 0 ? undefined : ofKey;
  };
}

/** @returns a function that returns the columns of texts of a table: an older store lacks those of later steps */
function textsIn(database: DatabaseSync): (table: string) => readonly string[] {
  database.function('is_utf8', { deterministic: true, directOnly: true }, (value) =>
    value instanceof Uint8Array && !isUtf8(value) ? 0n : 1n,
  );
  const found = columnsOf(database).filter(({ type }) => String(type).toLowerCase() === 'text');
  return (table) => found.filter((each) => each['table'] === table).map(({ column }) => String(column));
}

/** SQLite finds pure ASCII some five times as fast as a function of JavaScript is called. */
const isDamaged = (column: string) =>
  `(("${column}" glob '*[^' || char(1) || '-~]*' or instr("${column}", char(0))) and not is_utf8(cast("${column}" as blob)))`;
