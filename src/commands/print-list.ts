import { print } from './print.ts';

/** A line of a list: by the names of its columns. */
export type Row = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Prints a list as a table, or with `json` as an object a line, in which what is not there is missing. */
export async function printList(rows: readonly Row[], columns: readonly string[], json = false): Promise<void> {
  if (json) {
    await print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return;
  }
  const cells = rows.map((row) => columns.map((column) => [row[column] ?? '-'].flat().join(' ')));
  const table = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  await print(lines.map((line) => `${line.trimEnd()}\n`).join(''));
}
