import { ExplainedError } from 'trellis-contract/ground';
import { writeStdout } from '../observability/stdout.ts';
import type { Io } from './io.ts';

/**
 * Resolves when stdout has accepted all of the text.
 *
 * @throws ExplainedError, or the error EPIPE, which main.ts does not report: a reader such as `head` has closed the pipe
 */
export async function print({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += await writeStdout(stdout, bytes, done, { ref: true });
  } catch (error) {
    if (!Error.isError(error) || ('code' in error && error.code === 'EPIPE')) throw error;
    throw new ExplainedError(`stdout cannot be written: ${error.message}`, { cause: error });
  }
}
