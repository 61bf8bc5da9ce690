import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ContractError } from '../../src/contract-error.ts';
import { Answers, named } from './answers.ts';
import { readSource } from './read.ts';
import { countEdits, questionLines, listed, openIn, printed } from './report.ts';
import { Adoption, type AskedDoubt } from './work.ts';

const CONTRACT = 'openapi.yaml';

/** What a run prints, and its exit code: 0, 1 if decisions are left, 2 if the document cannot be adopted. */
export interface AdoptRun {
  readonly code: number;
  readonly stdout: string;
}

export interface AdoptOptions {
  /** A file of answers, which is written if it does not exist. */
  readonly decisions?: string;
  /** The contract to write: openapi.yaml in the folder, unless it is named. */
  readonly output?: string;
  /** Whether to write the contract anew although it was edited since. */
  readonly again?: boolean;
}

/** Writes a contract: a document that was written elsewhere, edited until the service keeps it. */
export async function adopt(file: string, options: AdoptOptions = {}, folder = '.'): Promise<AdoptRun> {
  const work = await adopted(file, options, folder).catch((error: unknown) => {
    if (!(error instanceof ContractError)) throw error;
    return { edits: new Map<string, string[]>(), questions: new Map<string, AskedDoubt>(), refusals: [error.message] };
  });
  const { refusals } = work;
  const [count, open] = [countEdits(work), openIn(work).length];
  const last = `${count} edits, ${open} decisions, ${refusals.length} refusals\n`;
  const lines = printed(work, placesFile(options.decisions)).map((each) => named(each, file));
  return { code: refusals.length > 0 ? 2 : Math.min(open, 1), stdout: [...lines, last].join('\n') };
}

/** The file beside that of the decisions which lists each place of what was done and is asked. */
const placesFile = (decisions: string | undefined) => decisions?.replace(/(?:\.[^./\\]*)?$/, '.places.txt');

/** @throws ContractError */
async function adopted(
  file: string,
  { decisions, output, again = false }: AdoptOptions,
  folder: string,
): Promise<Pick<Adoption, 'edits' | 'questions' | 'refusals'>> {
  const contract = output ?? join(folder, CONTRACT);
  if (decisions !== undefined && [file, contract].map((each) => resolve(each)).includes(resolve(decisions)))
    throw new ContractError(`${decisions} holds a document: name another file for --decisions`);
  requireUnedited(contract, file, again);
  const { document, text } = await readSource(file);
  const known = decisions !== undefined && existsSync(decisions) ? textOf(decisions) : '';
  const answers = new Answers(decisions ?? '', known, file);
  const work = new Adoption(document, answers);
  const [open, places] = [openIn(work), placesFile(decisions)];
  for (const each of open) answers.add(each.key, questionLines(each, places));
  if (decisions !== undefined && answers.text !== known) write(decisions, answers.text);
  if (places !== undefined) writePlaces(places, named(listed(work), file), file);
  if (work.refusals.length === 0 && open.length === 0) writeContract(file, text.of(document), contract);
  return work;
}

/** @throws ContractError */
function writePlaces(places: string, text: string, file: string): void {
  const [of, what] = ['# All places of ', `\`trellis adopt ${file}\`. Each run writes this file anew.\n`];
  if (existsSync(places) && !textOf(places).startsWith(of))
    throw new ContractError(`${places} exists, and adopt would list all places there: move it away first`);
  write(places, of + what + text);
}

const ORIGIN = /^# Adopted from (.+) by `trellis adopt`(?: \((\w+)\))?, [^\n]*\n/;

/** The hash of a text, also of one in which a checkout has ended lines by CRLF. */
const hashOf = (text: string) => hash('sha256', text.replaceAll('\r\n', '\n')).slice(0, 16);

/** @throws ContractError if the contract has a text that would be lost */
function requireUnedited(contract: string, file: string, again: boolean): void {
  if (resolve(file) === resolve(contract) || !existsSync(contract)) return;
  const text = textOf(contract);
  const [line = '', from, written] = ORIGIN.exec(text) ?? [];
  const refuse = (why: string): never => {
    throw new ContractError(`${resolve(contract)} ${why}`);
  };
  if (from !== basename(file))
    refuse('exists, and was not adopted from this document: move it away first, or name another file by --output');
  if (again || hashOf(text.slice(line.length)) === written) return;
  const what = written === undefined ? 'does not say whether it was edited' : 'was edited since it was adopted';
  refuse(`${what}: adopt to another file by --output and merge the two by hand, or lose the edits by --again`);
}

function writeContract(file: string, text: string, contract: string): void {
  const origin = `# Adopted from ${basename(file)} by \`trellis adopt\` (${hashOf(text)}), which overwrites no edit of it.`;
  // The first end of a line tells a second run, in place, those of all.
  const [end = '\n'] = /\r?\n/.exec(text) ?? [];
  write(contract, resolve(file) === resolve(contract) ? text : origin + end + text);
}

/** @throws ContractError */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ContractError(`${file} cannot be read: ${codeOf(error)}: name a file that you may read`);
  }
}

/** Writes a file unless it has this text. @throws ContractError */
function write(file: string, text: string): void {
  if (existsSync(file) && textOf(file) === text) return;
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ContractError(`${file} cannot be written: ${codeOf(error)}: name a file in a folder that is there`);
  }
}

const codeOf = (error: unknown) => String(Error.isError(error) && 'code' in error ? error.code : error);
