import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { diff, parseEnv } from 'node:util';
import { ExplainedError, messageOf } from './explained-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Chosen {
  readonly store?: string;
  readonly envFile?: string;
}

export interface Found {
  readonly texts: Environment;
  /** The source of each text: `--store`, `the environment`, or the name of the file. */
  readonly origins: Environment;
  /** A sentence for each unknown name in the file, and for each misspelt setting in the environment. */
  readonly strangers: () => readonly string[];
}

/**
 * Merges the settings of the command line, the environment and a file, in this order of precedence. As with Node's own
 * `--env-file`, an empty text in the environment hides the text in the file.
 *
 * @param known the names of the settings
 * @throws ExplainedError if the file cannot be read
 */
export function findSettings({ store, envFile }: Chosen, known: readonly string[]): Found {
  // An empty text would mean the default store, which the operator does not expect.
  if (store?.trim() === '') throw new ExplainedError('--store is empty: give it a value as for DATABASE_URL');
  const file = envFile ?? '.env';
  const ofFile = readFile(file, envFile === undefined);
  const ofStore: Environment = store === undefined ? {} : { DATABASE_URL: store };
  const sources = [
    [file, ofFile],
    ['the environment', process.env],
    ['--store', ofStore],
  ] as const;
  const origins = sources.flatMap(([source, texts]) => Object.keys(texts).map((name) => [name, source] as const));
  const stranger = (name: string, place: string, maxSlips: number) => {
    const likely = nearest(name, known, maxSlips);
    // The lines of a secret without quotes look like names, and must not be shown.
    const shown = likely !== undefined || /^[A-Z][A-Z0-9_]*$/.test(name) ? name : 'a name that is not shown here';
    const hint = likely === undefined ? 'remove it' : `did you mean ${likely}?`;
    return { likely, sentence: `${shown} in ${place} is not a setting: ${hint}` };
  };
  const unknown = (texts: Environment) => Object.keys(texts).filter((name) => !known.includes(name));
  return {
    texts: Object.assign({}, ...sources.map(([, texts]) => texts)) as Environment,
    origins: Object.fromEntries(origins),
    strangers: () => [
      ...unknown(ofFile).map((name) => stranger(name, file, Math.ceil(name.length / 4)).sentence),
      // The environment holds names of many programs, so only a name close to a setting is a mistake.
      ...unknown(process.env)
        .map((name) => stranger(name, 'the environment', 1))
        .filter(({ likely }) => likely !== undefined)
        .map(({ sentence }) => sentence),
    ],
  };
}

/** The user who runs this process: `by` has its name, or its number if it has none, and `sudo` who called sudo. */
export function userOfSystem(): { readonly by: string; readonly sudo?: string } {
  const { SUDO_USER: sudo = '' } = process.env;
  return { by: nameOfUser(), ...(sudo !== '' && { sudo }) };
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run with a number that no user has.
    return `uid ${String(process.getuid?.())}`;
  }
}

function readFile(path: string, mayBeMissing: boolean): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = Error.isError(error) && 'code' in error && error.code === 'ENOENT';
    if (isMissing && mayBeMissing) return {};
    throw new ExplainedError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Finds the most similar name, if it is at most `maxSlips` wrong letters away. */
function nearest(name: string, names: readonly string[], maxSlips: number): string | undefined {
  const [best] = names
    .filter((each) => Math.abs(each.length - name.length) <= maxSlips)
    .map((each) => ({ each, count: diff(name.toUpperCase(), each).filter(([kept]) => kept !== 0).length }))
    .sort((one, other) => one.count - other.count);
  // The diff counts a wrong or misplaced letter twice: as removed and as added.
  return best !== undefined && best.count <= 2 * maxSlips ? best.each : undefined;
}
