import { readdir, readFile } from 'node:fs/promises';
import { loadDocument } from '../../src/contract/load.ts';
import { ContractError } from '../../src/contract/errors.ts';
import { compareContracts, type Contract } from './contracts.ts';
import { breakage, type Difference } from './rules.ts';
import { compareVersions, type Level, next, readVersion, show, type Version } from './version.ts';

/** The released contracts, byte by byte, each named by its version. They are never edited. */
export const RELEASED = new URL('../../released/', import.meta.url);
const CONTRACT = new URL('../../openapi.yaml', import.meta.url);

/** A text with what it says. */
interface Edition {
  readonly text: string;
  readonly contract: Contract;
  readonly version: Version;
}

/** openapi.yaml beside the newest of the released contracts. */
export interface Comparison {
  readonly present: Edition;
  readonly last: Edition;
  readonly differences: readonly Difference[];
  /** What its release must raise; undefined: it is released, as it is. */
  readonly level: Level | undefined;
}

/** @throws ContractError if it cannot be read */
export async function readPresent(): Promise<Edition> {
  return edition(await readFile(CONTRACT, 'utf8').catch(unreadable('openapi.yaml')));
}

/** @throws ContractError if there are some but the newest cannot be read */
export async function readLast(): Promise<Edition | undefined> {
  const names = await readdir(RELEASED).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? [] : unreadable('released/')(error),
  );
  const versions = names.map((name) => {
    const version = readVersion(name.replace(/\.yaml$/, ''));
    if (version !== undefined && name.endsWith('.yaml')) return version;
    throw new ContractError(`released/${name} is no released contract: its name must be such as 1.2.0.yaml`);
  });
  const newest = versions.toSorted(compareVersions).at(-1);
  if (newest === undefined) return undefined;
  const name = `${show(newest)}.yaml`;
  const text = await readFile(new URL(name, RELEASED), 'utf8').catch(unreadable(`released/${name}`));
  const last = within(`released/${name}`, () => edition(text));
  if (compareVersions(last.version, newest) === 0) return last;
  throw new ContractError(`released/${name} says that it is ${show(last.version)}: restore it as it was released`);
}

export function compareEditions(last: Edition, present: Edition): Comparison {
  const differences = compareContracts(last.contract, present.contract);
  return { present, last, differences, level: levelOf(differences, last.text === present.text) };
}

function levelOf(differences: readonly Difference[], same: boolean): Level | undefined {
  if (differences.some(breakage)) return 'major';
  if (differences.length > 0) return 'minor';
  return same ? undefined : 'patch';
}

/** The lowest version that may be released now. */
export function lowestVersion({ last, level }: Comparison): Version {
  return level === undefined ? last.version : next(last.version, level);
}

function edition(text: string): Edition {
  const contract = loadDocument(text);
  const { version } = contract.document.info;
  const read = readVersion(version);
  if (read !== undefined) return { text, contract, version: read };
  throw new ContractError(`info.version of openapi.yaml must be MAJOR.MINOR.PATCH, such as 1.2.0, and is ${version}`);
}

function unreadable(name: string): (error: unknown) => never {
  return (error) => {
    throw new ContractError(`${name} cannot be read: ${String(codeOf(error))}`);
  };
}

function codeOf(error: unknown): unknown {
  return Error.isError(error) && 'code' in error ? error.code : error;
}

/** What reads contracts calls them openapi.yaml. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContractError) throw new ContractError(error.message.replaceAll('openapi.yaml', name));
    throw error;
  }
}
