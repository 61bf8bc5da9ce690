import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parseEnv } from 'node:util';
import { messageOf } from 'trellis-contract/ground';
import { WrongSettings } from './exit-codes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Chosen {
  readonly store?: string;
  /** A file whose name stands after a dash may be missing, as in EnvironmentFile= of systemd. */
  readonly envFile?: readonly string[];
}

export interface Found {
  readonly texts: Environment;
  /** The source of each text: `--store`, `the environment`, or the name of the file. */
  readonly origins: Environment;
  /** A sentence for each line of a file that cannot be a setting: the setting that was meant would take its default. */
  readonly faults: readonly string[];
  /**
   * A sentence for each unknown name in a file, and each line of a chosen file that systemd reads differently. The
   * environment holds names of many programs.
   */
  readonly doubts: readonly string[];
}

/**
 * Merges the settings of the command line, the environment and the files, in this order of precedence; the last file
 * precedes the others. As with Node's own `--env-file`, an empty text in the environment hides the text in a file.
 *
 * @param known the names of the settings
 * @throws WrongSettings if a file cannot be read
 */
export function findSettings({ store, envFile }: Chosen, known: readonly string[], ofProcess: Environment): Found {
  // An empty text would mean the default store, which the operator does not expect.
  if (store?.trim() === '') throw new WrongSettings('--store is empty: give it a value as for DATABASE_URL');
  const written = (envFile ?? ['-.env']).map(readFile);
  // Editors and shells of Windows begin a file with a byte order mark.
  const files = written.map(([file, text]) => [file, text.replace(/^\uFEFF/, '')] as const);
  const ofFiles = files.map(([path, text]) => [path, parse(text)] as const);
  const ofStore: Environment = store === undefined ? {} : { DATABASE_URL: store };
  const sources = [...ofFiles, ['the environment', ofProcess] as const, ['--store', ofStore] as const];
  const origins = sources.flatMap(([source, texts]) => Object.keys(texts).map((name) => [name, source] as const));
  return {
    texts: Object.assign({}, ...sources.map(([, texts]) => texts)) as Environment,
    origins: Object.fromEntries(origins),
    faults: files.flatMap(([file, text]) => linesThatSetNothing(file, text)),
    doubts: [
      ...files.flatMap(([file, text]) => strangers(file, text, known)),
      // systemd does not read .env.
      ...(envFile === undefined ? [] : written.flatMap(([file, text]) => misread(file, text))),
    ],
  };
}

/** The user who runs this process: `by` has its name, or its number if it has none, and `sudo` who called sudo. */
export function userOfSystem({ SUDO_USER: sudo = '' }: Environment): { readonly by: string; readonly sudo?: string } {
  let by;
  try {
    by = userInfo().username;
  } catch {
    // A container may run with a number that no user has.
    by = `uid ${String(process.getuid?.())}`;
  }
  return { by, ...(sudo !== '' && { sudo }) };
}

/** Returns the path and the text of a file. */
function readFile(given: string): readonly [string, string] {
  const path = given.replace(/^-/, '');
  try {
    return [path, readFileSync(path, 'utf8')];
  } catch (error) {
    const isMissing = Error.isError(error) && 'code' in error && error.code === 'ENOENT';
    if (isMissing && path !== given) return [path, ''];
    throw new WrongSettings(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Drops the blanks of a value that consists of blanks: Node would take the next line for the value, and a message would
 * show that line, which may be a secret.
 */
function parse(text: string): Environment {
  return parseEnv(text.replaceAll(/^([ \t]*\w+[ \t]*=)[ \t]+(?=\r?$)/gm, '$1'));
}

/** The lines that Node reads as a setting, also over several lines, or as a comment. */
const STATEMENT = /^[ \t]*(?:#.*|(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=(?:[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`))?.*)?$/gm;

/** The sentences do not quote the lines, which may contain a secret. */
function linesThatSetNothing(file: string, text: string): string[] {
  const left = text.replaceAll(STATEMENT, (statement) => statement.replaceAll(/[^\n]/g, ''));
  return left
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [`line ${index + 1} of ${file} is no setting: write NAME=value, or # before a comment`],
    );
}

/** The sentences do not quote the names: the second line of a secret without quotes may look like a name. */
function strangers(file: string, text: string, known: readonly string[]): string[] {
  const names = text.split('\n').map((line) => /^(?:export\s)?([^=]*)/.exec(line.trim())?.[1]?.trim());
  return Object.keys(parse(text)).flatMap((name) => {
    if (known.includes(name)) return [];
    const line = names.indexOf(name.trim()) + 1;
    return [`the name in line ${line} of ${file} is not a setting: correct or remove it`];
  });
}

/** A line that Node and each version of systemd read alike (man 5 systemd.exec, EnvironmentFile=). */
const READ_ALIKE =
  /^[ \t]*(?:#|#.*[^\\]|[A-Za-z_]\w*[ \t]*=[ \t]*(?:[^\s"'`\\#][^\\#\r]*|"[^"\\]*"|'[^']*')?[ \t]*)?\r?$/;

/** The sentences do not quote the lines, which may contain a secret. */
function misread(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    // A line without `=` is a fault, or a part of a value that began on another line.
    if (READ_ALIKE.test(line) || !/[#=]/.test(line)) return [];
    let difference =
      'has another value for systemd: write a comment on a line of its own, and a value with #, \\ or quotes between single quotes';
    if (/^[ \t]*#/.test(line)) difference = 'ends with \\: for systemd, the comment goes on in the next line';
    else if (line.startsWith('\uFEFF'))
      difference = 'begins with a byte order mark, and systemd skips it: save the file as UTF-8 without one';
    else if (/^\s*export\s/.test(line)) difference = 'is no setting for systemd: remove `export`';
    return [`line ${index + 1} of ${file} ${difference}`];
  });
}
