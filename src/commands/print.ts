import { writeStdout } from '../observability/stdout.ts';
import { ExplainedError } from '../explained-error.ts';

/** Writes a text to stdout, and resolves when all of it is there. @throws ExplainedError */
export async function print(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += await writeStdout(bytes, done, { ref: true });
  } catch (error) {
    throw unwritable(error);
  }
}

/** The error to report when stdout fails: an EPIPE stays as it is, as a reader such as `head` has seen enough. */
export function unwritable(error: unknown): Error {
  if (!Error.isError(error)) return new Error(String(error));
  if ('code' in error && error.code === 'EPIPE') return error;
  return new ExplainedError(`stdout cannot be written: ${error.message}`, { cause: error });
}
