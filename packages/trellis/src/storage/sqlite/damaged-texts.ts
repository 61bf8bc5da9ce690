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
 * Finds what SQLite does not: it compares no checksum, and gives any bytes as a text, in which node:sqlite has U+FFFD.
 *
 * @param tables all by default
 */
export function damagedTexts(
  { tables }: Layout,
  database: DatabaseSync,
  names = Object.keys(tables),
): readonly DamagedRow[] {
  database.function('is_utf8', { deterministic: true, directOnly: true }, (value) =>
    value instanceof Uint8Array && !isUtf8(value) ? 0n : 1n,
  );
  // An older store lacks the columns of later steps.
  const found = columnsOf(database).filter(({ type }) => String(type).toLowerCase() === 'text');
  return names.flatMap((table) => {
    const key = tables[table]?.key ?? [];
    const texts = found.filter((each) => each['table'] === table).map(({ column }) => String(column));
    if (texts.length === 0) return [];
    const select = [...key.map((column) => `"${column}"`), ...texts.map(isDamaged)].join();
    const prepared = new Prepared(
      tables,
      database,
      `select ${select} from "${table}" where ${texts.map(isDamaged).join(' or ')}`,
    );
    return Array.from(prepared.iterate([]), (row) => ({
      table,
      key: Object.fromEntries(key.map((column) => [column, row[column]])),
      columns: texts.filter((text) => row[isDamaged(text)] === 1n),
    }));
  });
}

/** SQLite finds pure ASCII some five times as fast as a function of JavaScript is called. */
const isDamaged = (column: string) =>
  `(("${column}" glob '*[^' || char(1) || '-~]*' or instr("${column}", char(0))) and not is_utf8(cast("${column}" as blob)))`;
