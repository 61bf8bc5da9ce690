import { ContractError } from '../../src/contract/errors.ts';
import { type Comparison, lowestVersion } from './releases.ts';
import { breakage, type Difference } from './rules.ts';
import { compareVersions, show } from './version.ts';

/** A line for each difference: where, what, and what it does to clients. */
export function linesOf(differences: readonly Difference[]): string[] {
  return differences.map((difference) => {
    const how = breakage(difference);
    return `${difference.where}: ${difference.what}; ${how === undefined ? 'compatible' : `breaks clients: ${how}`}`;
  });
}

/** What is to be said of the whole, and whether CI lets it pass: not with a version that promises what is not so. */
export function conclusion(comparison: Comparison): { passed: boolean; text: string } {
  const { present, last, differences, level } = comparison;
  const [since, lowest] = [show(last.version), show(lowestVersion(comparison))];
  if (compareVersions(present.version, last.version) < 0)
    return { passed: false, text: `info.version is ${show(present.version)}, but ${since} is released` };
  const breaking = differences.filter(breakage).length;
  const count = `${differences.length} difference${differences.length === 1 ? '' : 's'} from ${since}`;
  switch (level) {
    case undefined:
      return { passed: true, text: `openapi.yaml is as it was released with ${since}` };
    case 'patch':
      return { passed: true, text: `no difference from ${since} but in prose: its release needs ${lowest} or higher` };
    case 'minor':
      return { passed: true, text: `${count}, none breaks clients: its release needs ${lowest} or higher` };
    case 'major': {
      const passed = compareVersions(present.version, lowestVersion(comparison)) >= 0;
      const now = passed ? 'is' : 'must be';
      const text = `${count}, ${breaking} break${breaking === 1 ? 's' : ''} clients: info.version ${now} `;
      return {
        passed,
        text: text + (passed ? show(present.version) : `${lowest} or higher, and is ${show(present.version)}`),
      };
    }
  }
}

/** Runs a command; what it finds wrong with contracts is one line. */
export async function runCommand(command: () => Promise<boolean>): Promise<void> {
  try {
    if (!(await command())) process.exitCode = 1;
  } catch (error) {
    console.error(error instanceof ContractError ? error.message : error);
    process.exitCode = 1;
  }
}
