import { mkdir, writeFile } from 'node:fs/promises';
import {
  compareEditions,
  type Comparison,
  compareVersions,
  readLast,
  readPresent,
  RELEASED,
} from './compatibility/releases.ts';
import { breakage, linesOf } from './compatibility/rules.ts';
import { ContractError } from '../src/contract/errors.ts';

/** Says what openapi.yaml changes for clients of the last released contract, and fails if its version hides it. */
async function check(): Promise<void> {
  const present = await readPresent();
  const last = await readLast();
  if (last === undefined)
    throw new ContractError('no contract is released yet: `npm run contract:release` releases openapi.yaml');
  const comparison = compareEditions(last, present);
  for (const line of linesOf(comparison.differences)) console.log(line);
  if (compareVersions(present.version, last.version) < 0) {
    console.log(`info.version is ${present.version}, but ${last.version} is released`);
    process.exitCode = 1;
  } else {
    console.log(conclusionOf(comparison));
    if (comparison.level === 'major' && isTooLow(comparison)) process.exitCode = 1;
  }
}

function conclusionOf(comparison: Comparison): string {
  const { present, last, differences, level, lowest } = comparison;
  const count = `${differences.length} difference${differences.length === 1 ? '' : 's'} from ${last.version}`;
  const breaking = differences.filter(breakage).length;
  switch (level) {
    case undefined:
      return `openapi.yaml is as it was released with ${last.version}`;
    case 'patch':
      return `no difference from ${last.version} but in prose: its release needs ${lowest} or higher`;
    case 'minor':
      return `${count}, none breaks clients: its release needs ${lowest} or higher`;
    case 'major': {
      const is = isTooLow(comparison) ? `must be ${lowest} or higher, and is` : 'is';
      return `${count}, ${breaking} break${breaking === 1 ? 's' : ''} clients: info.version ${is} ${present.version}`;
    }
  }
}

/** Copies openapi.yaml to the released contracts, if its version says how far it differs from the last. */
async function release(): Promise<void> {
  const present = await readPresent();
  const last = await readLast();
  const name = `${present.version}.yaml`;
  const comparison = last && compareEditions(last, present);
  if (comparison && comparison.level === undefined) {
    console.log(`released/${name}: as it was`);
    return;
  }
  if (comparison && isTooLow(comparison)) {
    for (const line of linesOf(comparison.differences)) console.error(line);
    throw new ContractError(reasonToRaise(comparison));
  }
  await mkdir(RELEASED, { recursive: true });
  // Never over another.
  await writeFile(new URL(name, RELEASED), present.text, { flag: 'wx' });
  console.log(`released/${name}: written; commit it with openapi.yaml`);
}

function reasonToRaise({ present, last, level, lowest }: Comparison): string {
  const why = { major: 'clients break', minor: 'what clients may do has changed', patch: 'the text has changed' };
  return (
    `info.version is ${present.version}, and ${last.version} is released with another text: ` +
    `${why[level ?? 'patch']}, so set it to ${lowest} or higher`
  );
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
