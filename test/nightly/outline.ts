/** A line of YAML or TypeScript, with the lines below it that have more indentation. */
export interface Entry {
  readonly head: string;
  readonly body: readonly string[];
}

/** The entries with the indentation of the first line. */
export function entriesOf(lines: readonly string[]): Entry[] {
  const indent = lines[0]?.search(/\S/);
  const starts = lines.flatMap((line, index) => (line.search(/\S/) === indent ? [index] : []));
  return starts.map((start, index) => ({ head: lines[start] ?? '', body: lines.slice(start + 1, starts[index + 1]) }));
}

export function linesOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ head, body }) => [head, ...body]);
}
