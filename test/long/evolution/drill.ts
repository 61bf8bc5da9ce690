import { expect } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { plantStore, type Service, start, startService } from '../../support/service.ts';
import type { Change } from './change.ts';

const TYPES = 'generated/openapi.ts';
const project = new Project();
// What the compiler says of tests that speak of what has changed is long, and nothing new; scripts know no plants.
project.edit('tsconfig.json', '"src", "scripts", "generated", "test", "*.ts", "*.js"', '"src", "generated"');

/** What a script does in a folder: how it ends, and what it prints. */
export async function run(folder: string, ...args: readonly string[]) {
  const { ended, stdout, stderr } = start(process.execPath, args, {}, folder);
  return { code: await ended, output: stdout() + stderr() };
}
export const generate = (...args: readonly string[]) => run(project.folder, 'scripts/generate.ts', ...args);
export const TSC = 'node_modules/typescript/bin/tsc';

/** The project as it is, with one change. */
export function changed(edit: Change['edit']): void {
  project.restore('openapi.yaml', 'generated', 'src');
  edit(project);
}

/** The contract is changed, generated, and compiled; the code follows, and is compiled and served. */
export async function expectToFollow(change: Change): Promise<void> {
  const { given, before, edit, says = [], ignored, cure, served } = change;
  changed(given ?? (() => undefined));
  if (before !== undefined) await expectErrors(before);
  edit(project);
  const { code, output } = await generate();
  expect(output).toMatch(/^generated\/openapi\.ts: (written|as it was)\n$/);
  expect(code).toBe(0);
  // What the compiler would read is that of the project, of which it says nothing: see evolution.test.ts.
  const same = given === undefined && output.includes('as it was');
  if (!same) await expectErrors(says);
  else expect(says).toEqual([]);
  if (typeof ignored === 'string') await expectNoStart(ignored);
  else if (ignored !== undefined) await withService(ignored);
  if (cure !== undefined) {
    cure(project);
    await expectErrors([]);
  }
  if (served !== undefined) await withService(served);
}

/** The change is refused by what the README says, where `…` stands for anything, and nothing is written. */
export async function expectRefusal({ edit, follows }: Change): Promise<void> {
  changed(edit);
  const before = project.read(TYPES);
  const { code, output } = await generate();
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(follows.split('…').map(literally).join('.*'), 's'));
  expect(output).toMatch(/^(\[1\] )?openapi\.yaml:\d+:\d+|^openapi\.yaml is not YAML: .* at line \d+, column \d+/);
  // A stack is for those who change what generates.
  expect(output).not.toMatch(/^ +at /m);
  expect(project.read(TYPES)).toBe(before);
}

/** @param said an error each, as `file: code: text`; where it ends with `…`, whatever else the file has */
async function expectErrors(said: readonly string[]): Promise<void> {
  // It looks again at what has changed since the last time.
  const { code, output } = await run(project.folder, TSC, '--incremental', '--tsBuildInfoFile', '.tsbuildinfo');
  expect(code === 0).toBe(said.length === 0);
  const errors = output.split(/^(?=\S)/m).filter((each) => each !== '');
  const inFile = (each: string) => (error: string) => error.startsWith(each.slice(0, each.indexOf(':')));
  const expected = said.flatMap((each) => {
    const [file = '', number = '', ...text] = each.split(': ');
    if (number !== '…')
      return [new RegExp(`^${literally(file)}\\(.*error ${number}: .*${literally(text.join(': '))}`, 's')];
    const others = errors.filter(inFile(each)).length - said.filter(inFile(each)).length + 1;
    return Array.from({ length: others }, () => new RegExp(`^${literally(file)}\\(`));
  });
  expect(errors).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
}

async function expectNoStart(reason: string): Promise<void> {
  const { code, stderr } = await plantStore(['serve'], {}, project.folder, {}, project.main);
  expect(stderr).toBe(`plant-store: ${reason}: run \`npm run generate\`, then \`npm run check\`\n`);
  expect(code).toBe(1);
}

async function withService(check: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService({}, project.folder, project.main);
  await check(service);
  expect(await service.stop()).toBe(0);
}

function literally(text: string): string {
  return RegExp.escape(text.trim());
}
