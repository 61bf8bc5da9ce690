import { readFileSync } from 'node:fs';
import type { Host } from './location.ts';

/** Five fields, in which what a backslash precedes stands for itself. */
const LINE = new RegExp(`^${Array(5).fill('((?:\\\\.|[^:\\\\])*)').join(':')}`);

/**
 * Looks a password up in a file such as libpq has (PostgreSQL's documentation, section 32.16): lines of
 * `host:port:database:user:password`, where `*` matches anything, and the first line that matches counts.
 *
 * @throws Error whose message continues the name of the setting; it repeats nothing of the file
 */
export function readPassfile(path: string, hosts: readonly Host[], database: string, user: string): string {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`has a passfile that cannot be read: ${Error.isError(error) ? error.message : ''}`, {
      cause: error,
    });
  }
  const lines = text.split(/\r?\n/).filter((line) => !line.startsWith('#'));
  const passwords = hosts.map(({ host, port }) => {
    const wanted = [host, String(port), database, user];
    for (const line of lines) {
      const [, ...fields] = LINE.exec(line) ?? [];
      if (fields.length > 0 && wanted.every((each, index) => fields[index] === '*' || plain(fields[index]) === each)) {
        return plain(fields[wanted.length]);
      }
    }
    return undefined;
  });
  const [password] = passwords;
  if (password === undefined || passwords.some((each) => each !== password)) {
    throw new Error(`must have a passfile with one password for all hosts (${path} has none, or several)`);
  }
  return password;
}

function plain(field = ''): string {
  return field.replaceAll(/\\(.)/g, '$1');
}
