import type { Row } from '../columns.ts';

/** A value that goes into a query. */
export type Parameter = string | number | bigint | Uint8Array | null | readonly (bigint | string | undefined)[];

/** A query, with its parameters as `$1`, `$2`, …; one with a name is prepared once for each connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
  readonly parameters: number;
}

/** Runs a statement, and answers with its rows. */
export type Run = (statement: Statement, ...parameters: Parameter[]) => Promise<readonly Row[]>;

let prepared = 0;

/** A statement that is run often. To be made once for each text: every connection keeps it under its name. */
export function statement(text: string): Statement {
  return { ...once(text), name: `plants_${++prepared}` };
}

/** A statement that is run once. */
export function once(text: string): Statement {
  const numbers = new Set((text.match(/\$\d+/g) ?? []).map((each) => Number(each.slice(1))));
  const parameters = Math.max(0, ...numbers);
  if (parameters !== numbers.size) throw new TypeError(`a parameter of this is missing: ${text}`);
  return { text, parameters };
}
