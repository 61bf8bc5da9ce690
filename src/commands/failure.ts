/** A command cannot do what it was asked to. The message says why, in one line, and the process ends with 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
