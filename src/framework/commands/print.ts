import { writeStdout } from '../observability/stdout.ts';
import { ExplainedError } from '../explained-error.ts';

/** Resolves when stdout has accepted all of the text. @throws ExplainedError */
export async function print(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += await writeStdout(bytes, done, { ref: true });
  } catch (error) {
    throw unwritable(error);
  }
}

/** Keeps an EPIPE, which report() of main.ts ignores: a reader such as `head` has closed the pipe. */
export function unwritable(error: unknown): Error {
  if (!Error.isError(error)) return new Error(String(error));
  if ('code' in error && error.code === 'EPIPE') return error;
  return new ExplainedError(`stdout cannot be written: ${error.message}`, { cause: error });
}
