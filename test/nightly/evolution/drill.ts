import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { Project } from '../../../packages/trellis/test/support/project.ts';
import { runProcess, type Service, start } from '../../../packages/trellis/test/support/service.ts';
import { until } from '../../../packages/trellis/test/support/until.ts';
import { type Change, type Edit, type Exchange, removeEntry } from './change.ts';
import { withoutOthers } from './without-others.ts';
import { createPlant, startPlants } from '../../support.ts';

const TYPES = 'generated/openapi.ts';
const INCREMENTAL = ['--incremental', '--tsBuildInfoFile', '.cache/tsbuildinfo'];
const TSC = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.dev.json', ...INCREMENTAL];
const project = await alone();
// The compiler reads only src/ and its imports: errors in scripts and tests would only repeat those of src/.
project.edit('tsconfig.dev.json', '"src", "scripts", "generated"', '"src"');

/** A copy of the project with createPlant as its only operation: other operations would add errors of their own. */
async function alone(): Promise<Project> {
  const copy = new Project();
  copy.remove('examples');
  const yaml = copy.read('openapi.yaml');
  copy.write('openapi.yaml', withoutOthers(yaml, 'createPlant'));
  const ids = Array.from(yaml.matchAll(/^ {6}operationId: (?!createPlant$)(.*)$/gm), ([, id = '']) => id);
  for (const id of ids) {
    removeEntry(copy, id);
    copy.remove(`src/${id}.ts`);
  }
  expect(await generateIn(copy)).toMatchObject({ code: 0 });
  return new Project(copy.folder);
}

/** Gives the processes of a copy a compile cache of Node: without the cache, they take twice as long to start. */
function cacheOf(folder: string) {
  return { NODE_COMPILE_CACHE: join(folder, '.cache/node') };
}

/** Runs `generate` in a project, and returns its exit code and its output. */
async function generateIn({ folder }: Project, ...args: readonly string[]) {
  const { ended, stdout, stderr } = start(
    process.execPath,
    ['packages/trellis/bin/trellis', 'generate', ...args],
    cacheOf(folder),
    folder,
  );
  return { code: await ended, output: stdout() + stderr() };
}
export const generate = (...args: readonly string[]) => generateIn(project, ...args);

/** Restores the copy of the project, and then makes one edit. */
export function changed(edit: Edit): void {
  project.restore('openapi.yaml', 'generated', 'src');
  edit(project);
}

/** Changes the contract, generates and compiles; then corrects the code, compiles again and starts the service. */
export async function expectToFollow(change: Change): Promise<void> {
  const { given, before, edit, says = [], ignored, cure, served } = change;
  changed(given ?? (() => undefined));
  if (before !== undefined) expectErrors(before);
  edit(project);
  const { code, output } = await generate();
  expect(output).toMatch(
    /^(?:the members that no schema names .*\n)?generated\/openapi\.ts: (written|as it was)\ngenerated\/openapi\.sha256: (written|as it was)\ndocs\/api\.md: (written|as it was)\n$/,
  );
  expect(code).toBe(0);
  // If `generate` has not changed the types, the compiler need not run: its input is the same as before the edit.
  const same = given === undefined && output.startsWith('generated/openapi.ts: as it was');
  if (!same) expectErrors(says);
  else expect(says).toEqual([]);
  if (typeof ignored === 'string') await expectNoStart(ignored);
  else if (ignored !== undefined) await expectExchanges(ignored);
  if (cure !== undefined) {
    cure(project);
    expectErrors([]);
  }
  if (served !== undefined) await expectExchanges(served);
}

/** Expects `generate` to write nothing, and to print the message of the page, where `…` means any text. */
export async function expectRefusal(edit: Edit, follows: string): Promise<void> {
  changed(edit);
  const before = project.read(TYPES);
  const { code, output } = await generate();
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(follows.split('…').map(literally).join('.*'), 's'));
  expect(output).toMatch(/^(\[1\] )?openapi\.yaml:\d+:\d+/);
  // The output must not contain a stack trace.
  expect(output).not.toMatch(/^ +at /m);
  expect(project.read(TYPES)).toBe(before);
}

/** @param said the expected errors, each as `file: code: text`; `file: …` means any other errors of that file */
function expectErrors(said: readonly string[]): void {
  const { stdout } = spawnSync(process.execPath, TSC, { cwd: project.folder, encoding: 'utf8' });
  const errors = stdout.split(/^(?=\S)/m).filter((each) => each !== '');
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
  const { code, stderr } = await runProcess(['serve'], cacheOf(project.folder), project.folder, {}, project.main);
  expect(stderr).toBe(`plant-store: ${reason}: run \`npm run generate\`, then \`npm run check\`\n`);
  expect(code).toBe(1);
}

async function expectExchanges(exchanges: readonly Exchange[]): Promise<void> {
  const service = await startPlants(cacheOf(project.folder), project.folder, project.main);
  for (const [sent, status, told, headers = {}] of exchanges) {
    const response = await (sent.startsWith('{') ? createPlant(service, sent, headers) : send(service, sent, headers));
    const text = await response.text();
    expect([sent, response.status, text]).toEqual([sent, status, status === 200 ? told : expect.any(String)]);
    if (status === 500) await expectFailure(service, text, told);
    else expect(text).toContain(told);
  }
  expect(await service.stop()).toBe(0);
}

function send({ url, token }: Service, sent: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const [, method = 'GET', path = '', body = null] = /^(?:([A-Z]+) )?(\S+)(?: (.*))?$/s.exec(sent) ?? [];
  const type = body === null ? {} : { 'Content-Type': 'application/json' };
  return fetch(url + path, { method, body, headers: { Authorization: `Bearer ${token}`, ...type, ...headers } });
}

/** Expects the reason of a 500 in the log, and not in the reply. */
async function expectFailure(service: Service, text: string, reason: string): Promise<void> {
  expect(text).toMatch(
    /^\{"error":50000,"message":"the service failed; its log has the cause under request id [\w-]+"\}$/,
  );
  const lines = () => service.log().filter((line) => line['status'] === 500);
  await until(() => lines().length);
  expect(JSON.stringify(lines())).toContain(reason);
}

function literally(text: string): string {
  return RegExp.escape(text.trim());
}
