import '../../../contract/src/globals.ts';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { ContractError } from '../../../contract/src/contract-error.ts';
import { examine, loadContract } from '../../../contract/src/load.ts';
import { requireTypes } from '../../../contract/tools/contract-for-types.ts';
import { adopt } from '../../../contract/tools/adopt/adopt.ts';
import { stubsOf } from '../../tools/stubs/service.ts';
import { generateTypes } from '../../../contract/tools/types.ts';
import { requireFittingExamples } from '../../../contract/tools/examples.ts';
import { Service } from './service.ts';

// `contracts.ts FOLDER` adopts each document of a folder, answers each question by its first choice, and tests the contract
// as a service: `init` derives a stub of each operation, the types compile, and the service starts, accepts the requests
// that the document shows, and refuses those that it forbids. The last line has the numbers; the exit code is 1 if something
// is broken.

const MAX_SECONDS = 10;
const STRICT: ts.CompilerOptions = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
  ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, types: [] },
};
type Kind = 'as written' | 'by adopt' | 'with decisions' | 'refused' | 'broken';

const folder = mkdtempSync(join(tmpdir(), 'adopt-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const counts = new Map<Kind, number>();
const types: string[] = [];
const [from = ''] = process.argv.slice(2);
for (const name of readdirSync(from)) {
  const began = performance.now();
  const [kind, told] = await judged(name).catch((error: unknown): [Kind, string] => [
    'broken',
    Error.isError(error) ? String(error.stack) : String(error),
  ]);
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  console.log(`${name}: ${kind}${told && `, ${told}`} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}
const program = ts.createProgram(types, STRICT);
const wrong = ts.getPreEmitDiagnostics(program);
for (const each of wrong.slice(0, 10)) console.log(ts.flattenDiagnosticMessageText(each.messageText, '\n'));
counts.set('broken', (counts.get('broken') ?? 0) + wrong.length);
const kinds: readonly Kind[] = ['as written', 'by adopt', 'with decisions', 'refused', 'broken'];
console.log(kinds.map((kind) => `${counts.get(kind) ?? 0} ${kind}`).join(', '));
process.exitCode = wrong.length + (counts.get('broken') ?? 0) > 0 ? 1 : 0;

async function judged(name: string): Promise<[Kind, string]> {
  const [file, home] = [join(from, name), join(folder, name)];
  mkdirSync(home);
  const [decisions, contract] = [join(home, 'decisions.yaml'), join(home, 'openapi.yaml')];
  const isWritten = await loadContract(readFileSync(file, 'utf8'), 'any').then(
    () => true,
    (error: unknown) => {
      if (error instanceof ContractError) return false;
      throw error;
    },
  );
  const began = process.cpuUsage();
  let outcome = await adopt(file, { decisions }, home);
  const { user, system } = process.cpuUsage(began);
  if (user + system > MAX_SECONDS * 1e6) throw new Error(`adopt takes more than ${MAX_SECONDS} s of processor`);
  let answers = 0;
  if (outcome.code === 1) {
    const text = readFileSync(decisions, 'utf8');
    writeFileSync(
      decisions,
      text.replaceAll(/^([\w-]+):$/gm, (_, key: string) => `${key}: ${firstChoice(text, key)}`),
    );
    answers = [...text.matchAll(/^[\w-]+:$/gm)].length;
    outcome = await adopt(file, { decisions }, home);
  }
  if (outcome.code === 1) throw new Error(`decisions are left: ${outcome.stdout}`);
  if (outcome.code === 2) {
    const refusals = outcome.stdout.split('\n').filter((line) => line.startsWith('refusal: '));
    // For a text that is not YAML, the line stands in the parser's own message.
    const without = refusals.find((each) => !/:\d+:\d+|at line \d+/.test(each));
    if (without !== undefined) throw new Error(`a refusal has no line: ${without}`);
    return ['refused', `${refusals.length} times, first: ${refusals[0] ?? ''}`];
  }
  const yaml = readFileSync(contract, 'utf8');
  await adopt(contract, {}, home);
  if (readFileSync(contract, 'utf8') !== yaml) throw new Error('a second run changes the contract');
  const examined = examine(yaml);
  requireTypes(examined);
  requireFittingExamples(examined);
  examined.found.requireNone(false);
  const { document, operations } = examined;
  const generated = join(home, 'openapi.ts');
  writeFileSync(generated, await generateTypes(yaml));
  types.push(generated);
  const left = await stubsOf(yaml).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ContractError) return error.message;
      throw error;
    },
  );
  if (left !== undefined) return ['refused', `by init: ${left}`];
  const service = new Service(contract, document, operations);
  await service.start();
  const told = await service.tried();
  const kind = isWritten ? 'as written' : answers === 0 ? 'by adopt' : 'with decisions';
  return [kind, `${answers === 0 ? '' : `${answers} decisions, `}${told}`];
}

function firstChoice(text: string, key: string): string {
  return new RegExp(`^# ${key}: (\\S+) \\(`, 'm').exec(text)?.[1] ?? '';
}
