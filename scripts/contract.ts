import { mkdir, writeFile } from 'node:fs/promises';
import { ContractError } from '../src/contract/errors.ts';
import {
  type Comparison,
  compareReleases,
  compareVersions,
  readLast,
  readPresent,
  RELEASED,
} from './compatibility/releases.ts';
import { breaks, linesOf } from './compatibility/rules.ts';

/** Prints the changes for clients of the last released contract. Fails if a breaking change needs a higher version. */
async function check(): Promise<void> {
  const present = await readPresent();
  const last = await readLast();
  if (last === undefined) throw new ContractError('no contract is released yet: run `npm run contract:release`');
  const comparison = compareReleases(last, present);
  for (const line of linesOf(comparison.differences)) console.log(line);
  if (compareVersions(present.version, last.version) < 0) {
    console.log(`info.version is ${present.version}, but ${last.version} is released: set a higher version`);
    process.exitCode = 1;
  } else {
    console.log(conclusionOf(comparison));
    if (comparison.level === 'major' && isTooLow(comparison)) process.exitCode = 1;
  }
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
    case 'minor':
      return `${count}, none breaks clients: the release needs version ${lowest} or higher`;
    case 'major': {
      const is = isTooLow(comparison) ? `must be ${lowest} or higher, and is` : 'is';
      return `${count}, ${breaking} break${breaking === 1 ? 's' : ''} clients: info.version ${is} ${present.version}`;
    }
  }
}

/** Copies openapi.yaml to the released contracts, if its version is high enough for its changes. */
async function release(): Promise<void> {
  const present = await readPresent();
  const last = await readLast();
  const name = `${present.version}.yaml`;
  const comparison = last && compareReleases(last, present);
  if (comparison && comparison.level === undefined) {
    console.log(`released/${name}: as it was`);
    return;
  }
  if (comparison && isTooLow(comparison)) {
    for (const line of linesOf(comparison.differences)) console.error(line);
    throw new ContractError(reasonToRaise(comparison));
  }
  await mkdir(RELEASED, { recursive: true });
  // `wx` fails if the file exists.
  await writeFile(new URL(name, RELEASED), present.text, { flag: 'wx' });
  console.log(`released/${name}: written; commit it with openapi.yaml`);
}

function reasonToRaise({ present, last, level, lowest }: Comparison): string {
  const why = { major: 'the changes break clients', minor: 'clients see the changes', patch: 'only prose has changed' };
  return `info.version ${present.version} is too low, as ${last.version} is released: ${why[level ?? 'patch']}, so set it to ${lowest} or higher`;
}

function isTooLow({ present, lowest }: Comparison): boolean {
  return compareVersions(present.version, lowest) < 0;
}

try {
  await (process.argv[2] === 'release' ? release() : check());
} catch (error) {
  console.error(error instanceof ContractError ? error.message : error);
  process.exitCode = 1;
}
