export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = NaN, high = low] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

/** A table in Markdown: its first column to the left, the numbers to the right. */
export function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |\n`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return `**${title}**\n\n${line(head)}${line(rule)}${rows.map(line).join('')}`;
}
