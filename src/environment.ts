import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
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
  /** A sentence for each unknown name in the file; the environment holds names of many programs. */
  readonly strangers: readonly string[];
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
  const unknown = Object.keys(ofFile).filter((name) => !known.includes(name));
  // The lines of a secret without quotes look like names, and must not be shown.
  const shown = unknown.map((name) => (/^[A-Z][A-Z0-9_]*$/.test(name) ? name : 'a name that is not shown here'));
  return {
    texts: Object.assign({}, ...sources.map(([, texts]) => texts)) as Environment,
    origins: Object.fromEntries(origins),
    strangers: shown.map((name) => `${name} in ${file} is not a setting: correct or remove it`),
  };
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
