import { inspect } from 'node:util';

/** An error whose message tells the operator everything in one line: the command line prints no stack. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
  /** The exit code of a command that ends with this error. */
  readonly exitCode: number = 1;
}

/** The messages of an error and of its causes, each once: many messages end with the message of their cause. */
export function messageWithCauses(error: Error): string {
  return causesOf(error).reduce(
    (text, { message }) => (text.includes(message) ? text : `${text}: ${message}`),
    error.message,
  );
}

/** The stack of an error and of its causes, below all messages. */
export function stackWithCauses(error: Error): string {
  const frames = ({ stack = '' }: Error) => /(?:\n {4}at .*)+$/.exec(stack)?.[0] ?? '';
  const causes = causesOf(error).map((cause) => `\ncaused by: ${cause.name}${frames(cause)}`);
  return `${error.name}: ${messageWithCauses(error)}${frames(error)}${causes.join('')}`;
}

function causesOf(error: Error): readonly Error[] {
  const causes = new Set<Error>();
  // Causes may lead back to one of them.
  for (let { cause } = error; Error.isError(cause) && !causes.has(cause); cause = cause.cause) causes.add(cause);
  return [...causes];
}

/** In the log, in place of an error that throws when it is read. */
export const UNREADABLE = 'an error that cannot be read';

/** Makes an Error of anything that was thrown: an error that Node brings from a worker is one only by its prototype. */
export function asError(thrown: unknown): Error {
  if (Error.isError(thrown)) return thrown;
  try {
    if (!(thrown instanceof Error)) return new Error(typeof thrown === 'string' ? thrown : inspect(thrown));
    const { name, message, stack = '' } = thrown;
    return Object.assign(new Error(message), { name, stack });
  } catch {
    // An operation may throw a Proxy, whose traps throw again.
    return new Error(UNREADABLE);
  }
}

export function messageOf(error: unknown): string {
  try {
    return asError(error).message;
  } catch {
    return UNREADABLE;
  }
}
