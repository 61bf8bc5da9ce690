import { writeStdout } from '../observability/stdout.ts';
import { ExplainedError } from '../explained-error.ts';

/** Resolves when all of a text is on stdout. @throws ExplainedError */
export async function print(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += await writeStdout(bytes, done, { ref: true });
  } catch (error) {
    throw unwritable(error);
  }
}

/** What is said of stdout that fails: nothing of a reader, such as `head`, that has seen enough. */
export function unwritable(error: unknown): Error {
  if (!Error.isError(error)) return new Error(String(error));
  if ('code' in error && error.code === 'EPIPE') return error;
  return new ExplainedError(`stdout cannot be written: ${error.message}`, { cause: error });
}
