/** An error whose message says all that an operator must know, in one line: the command line prints that line alone. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}

/** What a caught error says. */
export function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}
