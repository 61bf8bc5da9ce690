import { compareEditions, readLast, readPresent } from './compatibility/releases.ts';
import { conclusion, linesOf, runCommand } from './compatibility/report.ts';
import { ContractError } from '../src/contract/errors.ts';

/** Says what openapi.yaml changes for clients of the last released contract, and whether its version admits it. */
async function check(): Promise<boolean> {
  const present = await readPresent();
  const last = await readLast();
  if (last === undefined)
    throw new ContractError('no contract is released yet: `npm run contract:release` releases openapi.yaml');
  const comparison = compareEditions(last, present);
  for (const line of linesOf(comparison.differences)) console.log(line);
  const { passed, text } = conclusion(comparison);
  console.log(text);
  return passed;
}

await runCommand(check);
