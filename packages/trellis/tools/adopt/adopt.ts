import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ContractError } from '../../src/contract/errors.ts';
import { Answers, named } from './answers.ts';
import { readSource } from './read.ts';
import { Adoption } from './work.ts';

const CONTRACT = 'openapi.yaml';

/** What a run prints, and its exit code: 0, 1 if decisions are left, 2 if the document cannot be adopted. */
interface AdoptRun {
  readonly code: number;
  readonly stdout: string;
}

/**
 * Writes openapi.yaml in a folder: a document that was written elsewhere, edited until the service keeps it.
 *
 * @param decisions a file of answers, which is written if it does not exist
 */
export async function adopt(file: string, decisions?: string, folder = '.'): Promise<AdoptRun> {
  const { edits, open, refusals } = await adopted(file, decisions, join(folder, CONTRACT)).catch((error: unknown) => {
    if (!(error instanceof ContractError)) throw error;
    return { edits: new Map<string, number>(), open: [], refusals: [error.message] };
  });
  const lines = [
    ...Array.from(edits, ([what, count]) => `edit: ${what} (${count})`),
    ...open.map((each) => `decision: ${named(each, file)}`),
    ...refusals.map((each) => `refusal: ${named(each, file)}`),
  ];
  const count = [...edits.values()].reduce((sum, each) => sum + each, 0);
  lines.push(`${count} edits, ${open.length} decisions, ${refusals.length} refusals\n`);
  return { code: refusals.length > 0 ? 2 : Math.min(open.length, 1), stdout: lines.join('\n') };
}

/** @throws ContractError */
async function adopted(
  file: string,
  decisions: string | undefined,
  contract: string,
): Promise<Pick<Adoption, 'edits' | 'open' | 'refusals'>> {
  if (decisions !== undefined && [file, contract].map((each) => resolve(each)).includes(resolve(decisions)))
    throw new ContractError(`${decisions} holds a document: name another file for --decisions`);
  const { document, text } = await readSource(file);
  const known = decisions !== undefined && existsSync(decisions) ? readFileSync(decisions, 'utf8') : undefined;
  const answers = new Answers(decisions ?? '', known ?? '', file);
  const work = new Adoption(document, answers);
  if (decisions !== undefined && answers.text !== known) writeFileSync(decisions, answers.text);
  if (work.refusals.length === 0 && work.open.length === 0) writeContract(file, text.of(document), contract);
  return work;
}

/** @throws ContractError if there is an openapi.yaml of another origin */
function writeContract(file: string, text: string, contract: string): void {
  const isSame = resolve(file) === resolve(contract);
  const origin = `# Adopted from ${basename(file)} by \`trellis adopt\`, which writes it anew.\n`;
  const known = existsSync(contract) ? readFileSync(contract, 'utf8') : undefined;
  const whole = isSame ? text : origin + text;
  if (!isSame && known !== undefined && !known.startsWith(origin))
    throw new ContractError(`${resolve(contract)} exists, and was not adopted from this document: move it away first`);
  if (known !== whole) writeFileSync(contract, whole);
}
