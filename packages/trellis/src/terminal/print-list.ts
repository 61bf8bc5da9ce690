import type { Io } from './io.ts';
import { print } from './print.ts';

export type ListRow = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @param columns the names of the columns, each with the text for a row without a value */
export async function printList(
  io: Io,
  rows: readonly ListRow[],
  columns: Readonly<Record<string, string>>,
  json = false,
): Promise<void> {
  if (json) {
    await print(io, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return;
  }
  const cells = rows.map((row) =>
    Object.entries(columns).map(([name, lacking]) => [row[name] ?? lacking].flat().join(' ')),
  );
  const head = Object.keys(columns).map((name) => name.toUpperCase());
  const table = [head, ...cells];
  const widths = head.map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  await print(io, lines.map((line) => `${line.trimEnd()}\n`).join(''));
}
