import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adopt } from '../../../tools/adopt/adopt.ts';
import { documentWith } from '../../support/adopted.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Adopts a document that stands beside another file. */
async function run(main: string, other = '') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'books.yaml'), main);
  writeFileSync(join(folder, 'other.yaml'), other);
  const { code, stdout } = await adopt(join(folder, 'books.yaml'), undefined, folder);
  return { code, stdout: stdout.replaceAll(`${folder}/`, ''), isWritten: existsSync(join(folder, 'openapi.yaml')) };
}

test('adopt refuses, by the line that leads to the file, references that lead through 5000 others', async () => {
  const main = documentWith(['components', 'schemas', 'Book'], { $ref: 'other.yaml#/S0' });
  const references = Array.from({ length: 5000 }, (_, at) => `S${at}: { items: { $ref: '#/S${at + 1}' } }\n`);
  const { code, stdout, isWritten } = await run(main, `${references.join('')}S5000: {}\n`);
  expect(stdout).toMatch(
    /^refusal: books\.yaml:\d+:\d+: .*the files from here cannot become one: .*: let no reference lead back to itself/m,
  );
  expect([code, isWritten]).toEqual([2, false]);
});

test('adopt leaves out examples whose aliases nest 2500 levels', async () => {
  const lines = Array.from({ length: 2500 }, (_, index) => `x-${index + 1}: &a${index + 1} [*a${index}]\n`);
  const whole = documentWith([], undefined);
  const shown = whole.replace(/^ {4}Book:\n/m, '    Shown: { type: array, examples: [*a2500] }\n    Book:\n');
  const { code, stdout } = await run(`x-0: &a0 [1]\n${lines.join('')}${shown}`);
  expect(stdout).toMatch(/^edit: examples: .*\n.*: body is nested too deeply: /m);
  expect(code).toBe(0);
});
