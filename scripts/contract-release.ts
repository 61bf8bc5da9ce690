import { mkdir, writeFile } from 'node:fs/promises';
import {
  compareEditions,
  type Comparison,
  lowestVersion,
  readLast,
  readPresent,
  RELEASED,
} from './compatibility/releases.ts';
import { linesOf, runCommand } from './compatibility/report.ts';
import { compareVersions, show } from './compatibility/version.ts';
import { ContractError } from '../src/contract/errors.ts';

/** Copies openapi.yaml to where released contracts are kept, if its version says how far it differs from the last. */
async function release(): Promise<boolean> {
  const present = await readPresent();
  const last = await readLast();
  const name = `released/${show(present.version)}.yaml`;
  if (last !== undefined) {
    const comparison = compareEditions(last, present);
    if (comparison.level === undefined) {
      console.log(`${name}: as it was`);
      return true;
    }
    demandVersion(comparison);
  }
  await mkdir(RELEASED, { recursive: true });
  // Never over another.
  await writeFile(new URL(`${show(present.version)}.yaml`, RELEASED), present.text, { flag: 'wx' });
  console.log(`${name}: written; commit it with openapi.yaml`);
  return true;
}

function demandVersion(comparison: Comparison): void {
  const { present, last, differences, level } = comparison;
  const lowest = lowestVersion(comparison);
  if (compareVersions(present.version, lowest) >= 0) return;
  const why = { major: 'clients break', minor: 'what clients may do has changed', patch: 'the text has changed' };
  for (const line of linesOf(differences)) console.error(line);
  throw new ContractError(
    `info.version is ${show(present.version)}, and ${show(last.version)} is released with another text: ` +
      `${why[level ?? 'patch']}, so set it to ${show(lowest)} or higher`,
  );
}

await runCommand(release);
