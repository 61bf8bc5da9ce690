import { readFileSync } from 'node:fs';
import { diff, parseEnv } from 'node:util';
import { ExplainedError, messageOf } from './explained-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line says of settings. */
export interface Chosen {
  /** In the place of DATABASE_URL. */
  readonly store?: string;
  /** In the place of `.env`. */
  readonly envFile?: string;
}

/** The texts of settings, and where they come from. */
export interface Found {
  readonly texts: Environment;
  /** By the name of the setting: `--store`, `the environment`, or the name of the file. */
  readonly origins: Environment;
  /** A sentence for each name that somebody may take for a setting, and that is none. */
  readonly strangers: () => readonly string[];
}

/**
 * Finds the settings: of the command line, the process's environment and a file, the first that has a name counts. As
 * for Node's own `--env-file`, an empty text in the environment hides that of the file.
 *
 * @param known the names of the settings
 * @throws ExplainedError if the file cannot be read
 */
export function findSettings({ store, envFile }: Chosen, known: readonly string[]): Found {
  // The default store would be another one than the operator means.
  if (store?.trim() === '') throw new ExplainedError('--store must name the store, as DATABASE_URL does, and is empty');
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
    // A secret of several lines that lacks its quotes has names, too.
    const shown = likely !== undefined || /^[A-Z][A-Z0-9_]*$/.test(name) ? name : 'a name that is not shown here';
    return { likely, sentence: `${shown} in ${place} is not a setting${likely === undefined ? '' : `: ${likely} is`}` };
  };
  const unknown = (texts: Environment) => Object.keys(texts).filter((name) => !known.includes(name));
  return {
    texts: Object.assign({}, ...sources.map(([, texts]) => texts)) as Environment,
    origins: Object.fromEntries(origins),
    strangers: () => [
      ...unknown(ofFile).map((name) => stranger(name, file, Math.ceil(name.length / 4)).sentence),
      // The environment has the names of many programs: only one that is almost that of a setting is a mistake.
      ...unknown(process.env)
        .map((name) => stranger(name, 'the environment', 1))
        .filter(({ likely }) => likely !== undefined)
        .map(({ sentence }) => sentence),
    ],
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

/** Which of the names one may have meant; undefined: each is more than so many slips away, a letter each. */
function nearest(name: string, names: readonly string[], maxSlips: number): string | undefined {
  const [best] = names
    .filter((each) => Math.abs(each.length - name.length) <= maxSlips)
    .map((each) => ({ each, count: diff(name.toUpperCase(), each).filter(([kept]) => kept !== 0).length }))
    .sort((one, other) => one.count - other.count);
  // A letter that is mistaken, or that changed places, is one removed and one added.
  return best !== undefined && best.count <= 2 * maxSlips ? best.each : undefined;
}
