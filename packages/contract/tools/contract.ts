import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { Contract } from '../src/message/operation.ts';
import { ContractError } from '../src/contract-error.ts';
import { loadContract } from '../src/load.ts';
import { compareContracts } from './compatibility/compare.ts';
import { breaks, type Difference, isUnclear, linesOf } from './compatibility/rules.ts';
import { readContract } from './read-contract.ts';

/** The released contracts, as clients got them. Never edit them. */
const RELEASED = 'released/';
const CONTRACT = 'openapi.yaml';

interface Release {
  /** Its text is as published. */
  readonly contract: Contract;
  /** `MAJOR.MINOR.PATCH` */
  readonly version: string;
}

/** Compares openapi.yaml with the newest released contract. */
interface Comparison {
  readonly present: Release;
  readonly last: Release;
  readonly differences: readonly Difference[];
  /** The part of the version that a release must raise; undefined if the texts are equal. */
  readonly level: 'major' | 'minor' | 'patch' | undefined;
  /** The lowest version that a release may have. */
  readonly lowest: string;
}

const compareVersions = new Intl.Collator('en', { numeric: true }).compare;

/** @throws ContractError if openapi.yaml cannot be read, or the service would refuse it */
async function readPresent(root: URL): Promise<Release> {
  return load(await readContract(new URL(CONTRACT, root)), CONTRACT);
}

/** @throws ContractError if a file has a wrong name, or the newest contract cannot be read */
async function readLast(root: URL): Promise<Release | undefined> {
  const names = await readdir(new URL(RELEASED, root)).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? [] : unreadable('released/')(error),
  );
  // The folder `stores` belongs to the migrations.
  const contracts = names.filter((name) => name.endsWith('.yaml'));
  for (const name of contracts)
    if (!isVersion(name.slice(0, -5)))
      throw new ContractError(`released/${name} is not a released contract: give it a name such as 1.2.0.yaml`);
  const name = contracts.toSorted(compareVersions).at(-1);
  if (name === undefined) return undefined;
  const text = await readFile(new URL(RELEASED + name, root), 'utf8').catch(unreadable(`released/${name}`));
  const last = await load(text, `released/${name}`);
  if (`${last.version}.yaml` === name) return last;
  throw new ContractError(`released/${name} has info.version ${last.version}: restore the file as it was released`);
}

function compareReleases(last: Release, present: Release): Comparison {
  const differences = compareContracts(last.contract, present.contract);
  const level = levelOf(differences, last.contract.yaml === present.contract.yaml);
  return { present, last, differences, level, lowest: next(last.version, level) };
}

function levelOf(differences: readonly Difference[], same: boolean): Comparison['level'] {
  if (differences.some(breaks)) return 'major';
  if (differences.length > 0) return 'minor';
  return same ? undefined : 'patch';
}

function next(version: string, level: Comparison['level']): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (level === undefined) return version;
  return { major: `${major + 1}.0.0`, minor: `${major}.${minor + 1}.0`, patch: `${major}.${minor}.${patch + 1}` }[
    level
  ];
}

async function load(yaml: string, name: string): Promise<Release> {
  try {
    const contract = await loadContract(yaml, 'any');
    const { version } = contract.document.info;
    if (isVersion(version)) return { contract, version };
    throw new ContractError(`info.version of openapi.yaml must be MAJOR.MINOR.PATCH, such as 1.2.0, not ${version}`);
  } catch (error) {
    // loadContract() names every contract `openapi.yaml` in its messages.
    if (error instanceof ContractError) throw new ContractError(error.message.replaceAll('openapi.yaml', name));
    throw error;
  }
}

function isVersion(text: string): boolean {
  return /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.test(text);
}

function unreadable(name: string): (error: unknown) => never {
  return (error) => {
    throw new ContractError(`${name} cannot be read: ${String(codeOf(error))}`);
  };
}

function codeOf(error: unknown): unknown {
  return Error.isError(error) && 'code' in error ? error.code : error;
}

/** Names the changes for clients of the last released contract. Fails if a breaking change needs a higher version. */
function check(present: Release, last: Release | undefined): Printed {
  if (last === undefined) throw new ContractError('no contract is released yet: run `npm run contract:release`');
  const comparison = compareReleases(last, present);
  const isOlder = compareVersions(present.version, last.version) < 0;
  const conclusion = isOlder
    ? `info.version is ${present.version}, but ${last.version} is released: set a higher version`
    : conclusionOf(comparison);
  const failed = isOlder || (comparison.level === 'major' && isTooLow(comparison));
  return { code: failed ? 1 : 0, stdout: textOf(linesOf(comparison.differences), conclusion), stderr: '' };
}

function conclusionOf(comparison: Comparison): string {
  const { present, last, differences, level, lowest } = comparison;
  const count = `${differences.length} difference${differences.length === 1 ? '' : 's'} from ${last.version}`;
  const breaking = differences.filter(breaks).length;
  switch (level) {
    case undefined:
      return `openapi.yaml is unchanged since ${last.version}`;
    case 'patch':
      return `only prose differs from ${last.version}: the release needs version ${lowest} or higher`;
    case 'minor': {
      const unclear = differences.filter(isUnclear).length;
      const told = unclear === 0 ? 'none breaks clients' : `${unclear} to look at, no other breaks clients`;
      return `${count}, ${told}: the release needs version ${lowest} or higher`;
    }
    case 'major': {
      const is = isTooLow(comparison) ? `must be ${lowest} or higher, and is` : 'is';
      return `${count}, ${breaking} break${breaking === 1 ? 's' : ''} clients: info.version ${is} ${present.version}`;
    }
  }
}

/** Copies openapi.yaml to the released contracts, if its version is high enough for its changes. */
async function release(root: URL, present: Release, last: Release | undefined): Promise<Printed> {
  const name = `${present.version}.yaml`;
  const comparison = last && compareReleases(last, present);
  const done = (what: string) => ({ code: 0, stdout: textOf([], `released/${name}: ${what}`), stderr: '' });
  if (comparison && comparison.level === undefined) return done('as it was');
  if (comparison && isTooLow(comparison))
    return { code: 1, stdout: '', stderr: textOf(linesOf(comparison.differences), reasonToRaise(comparison)) };
  await mkdir(new URL(RELEASED, root), { recursive: true });
  // `wx` fails if the file exists.
  await writeFile(new URL(RELEASED + name, root), present.contract.yaml, { flag: 'wx' });
  return done('written; commit it with openapi.yaml');
}

function textOf(lines: readonly string[], last: string): string {
  return [...lines, last, ''].join('\n');
}

function reasonToRaise({ present, last, level, lowest }: Comparison): string {
  const why = { major: 'the changes break clients', minor: 'clients see the changes', patch: 'only prose has changed' };
  return `info.version ${present.version} is too low, as ${last.version} is released: ${why[level ?? 'patch']}, so set it to ${lowest} or higher`;
}

function isTooLow({ present, lowest }: Comparison): boolean {
  return compareVersions(present.version, lowest) < 0;
}

/** What a run prints, and its exit code. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param root the folder of openapi.yaml and of the released contracts */
export async function contract(command: 'check' | 'release', root: URL): Promise<Printed> {
  try {
    const present = await readPresent(root);
    const last = await readLast(root);
    return command === 'release' ? await release(root, present, last) : check(present, last);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return { code: 1, stdout: '', stderr: `${error.message}\n` };
  }
}
