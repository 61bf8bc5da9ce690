import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adopt } from '../../../tools/adopt/adopt.ts';
import { documentWith } from '../../support/adopted.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const SCHEMA = ['components', 'schemas', 'Book'];
const WHOLE = documentWith([], undefined);
const MAIN = 'books.yaml';

/** A document that refers to a schema elsewhere. */
const referring = ($ref: string) => documentWith(SCHEMA, { $ref });
const nested = (levels: number) => `${'{ properties: { a: '.repeat(levels)}{}${' } }'.repeat(levels)}`;
/** Ten of the line before, so that nine lines stand for a billion values. */
const LAUGHS = Array.from({ length: 9 }, (_, index) => {
  const items = Array<string>(10).fill(index === 0 ? '1' : `*a${index - 1}`);
  return `x-${index}: &a${index} [${items.join()}]\n`;
}).join('');
const UTF_16 = (text: string) => Buffer.from(`\u{FEFF}${text}`, 'utf16le');
const NESTED = 'nested too deeply: use at most 100 levels';
const REPEATED = 'this stands for more than 5000000 values: let fewer aliases repeat others';
const WITHIN_ITSELF = '*s contains itself: refer to it by $ref';
const UNQUOTED = 'this is not YAML: …: mend the line, or put its text into quotes';
const ENCODED = 'this is not UTF-8: save the file as UTF-8';
const PERCENT = 'whose % is not before two hexadecimal digits: write %25 for it, or name the file without it';

/** Adopts a document that stands beside other files. */
async function run(main: string | Buffer, others: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = temporaryFolder();
  const files = Object.entries({ [MAIN]: main, ...others });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const output = join(folder, 'made.yaml');
  const { code, stdout } = await adopt(join(folder, MAIN), { output });
  const written = existsSync(output) ? readFileSync(output, 'utf8') : '';
  return { code, stdout: stdout.replaceAll(`${folder}/`, ''), isWritten: written !== '', written };
}

/** A refusal of a file, at a line of it. */
const refusalOf = (file: string, what: string) => {
  const text = RegExp.escape(what).replaceAll(RegExp.escape('…'), '.*');
  return new RegExp(String.raw`^refusal: ${RegExp.escape(file)}:\d+:\d+: .*${text}`, 'm');
};

test.each<[string, string | Buffer, string]>([
  ['nested too deeply', `${WHOLE}x-a: ${nested(800)}\n`, NESTED],
  ['of a billion values', `${WHOLE}${LAUGHS}`, REPEATED],
  ['with an alias within itself', `${WHOLE}x-a: &s { a: *s }\n`, WITHIN_ITSELF],
  ['not YAML', `${WHOLE}x-a: [\n`, UNQUOTED],
  ['UTF-16', UTF_16(WHOLE), ENCODED],
  ['Latin-1', Buffer.from(`${WHOLE}x-a: \u{E9}\n`, 'latin1'), ENCODED],
  ['with a broken percent-encoding', referring('./a%ZZ.yaml'), PERCENT],
  ['with a broken percent-encoding in a pointer', referring('./a.yaml#/%ZZ'), PERCENT],
])('adopt refuses a document, with the line: %s', async (_, main, what) => {
  const { code, stdout, isWritten } = await run(main);
  expect(stdout).toMatch(refusalOf(MAIN, what));
  expect([code, isWritten]).toEqual([2, false]);
});

test.each<[string, string | Buffer, string]>([
  ['nested too deeply', `S: ${nested(800)}\n`, NESTED],
  ['of a billion values', `${LAUGHS}S: {}\n`, REPEATED],
  ['with an alias within itself', 'S: &s { properties: { a: *s } }\n', WITHIN_ITSELF],
  ['not YAML', 'S: [\n', UNQUOTED],
  ['UTF-16', UTF_16('S: {}\n'), ENCODED],
  ['with a broken percent-encoding', "S: { $ref: './a%ZZ.yaml' }\n", PERCENT],
  ['with a broken percent-encoding in a pointer', "S: { $ref: '#/%ZZ' }\n", PERCENT],
])('adopt refuses a file that the document refers to, with the line of the file: %s', async (_, other, what) => {
  for (const name of ['other.yaml', 'other.json']) {
    const { code, stdout, isWritten } = await run(referring(`${name}#/S`), { [name]: other });
    expect(stdout).toMatch(refusalOf(name, what));
    expect([code, isWritten]).toEqual([2, false]);
  }
});

test('adopt names the file at fault, also when that is a file with the name openapi.yaml', async () => {
  const { code, stdout } = await run(referring('openapi.yaml#/S'), { 'openapi.yaml': 'S: [\n' });
  expect(stdout).toMatch(refusalOf('openapi.yaml', UNQUOTED));
  expect(code).toBe(2);
});

test('adopt refuses, by the line that leads to the file, references that lead in a circle', async () => {
  const { code, stdout, isWritten } = await run(referring('other.yaml#/S'), { 'other.yaml': "S: { $ref: '#/S/a' }\n" });
  expect(stdout).toMatch(
    refusalOf(MAIN, 'the files from here cannot become one: …: let no reference lead back to itself'),
  );
  expect([code, isWritten]).toEqual([2, false]);
});

test('adopt refuses a path item in a file that refers to itself', async () => {
  const other = `get: { operationId: a, callbacks: { c: { /x: { $ref: other.yaml } } }, responses: {} }\n`;
  const { code, stdout } = await run(documentWith(['paths', '/a'], { $ref: 'other.yaml' }), { 'other.yaml': other });
  expect(stdout).toMatch(
    refusalOf(MAIN, 'the files from here cannot become one: a circle: let no reference lead back to itself'),
  );
  expect(code).toBe(2);
});

test.each(['/dev/zero', '/etc/passwd', '../FOLDER/other.yaml#/S', 'file/../..%2FFOLDER%2Fother.yaml#/S'])(
  'adopt refuses a $ref out of the folder of the document, by its line: %s',
  async (path) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'other.yaml'), 'S: {}\n');
    const $ref = path.replace('FOLDER', () => basename(folder));
    const what = `$ref leads to ${$ref}, outside the folder of the document: copy the file into that folder`;
    for (const main of [referring($ref), referring('other.yaml#/S')]) {
      const { code, stdout } = await run(main, { 'other.yaml': `S: { $ref: '${$ref}' }\n` });
      expect(stdout).toMatch(refusalOf(main === referring($ref) ? MAIN : 'other.yaml', what));
      expect(code).toBe(2);
    }
  },
);

test('adopt asks about a $ref to a file that is not there, also out of the folder of the document', async () => {
  for (const main of [referring('../none.yaml#/S'), referring('other.yaml#/S')]) {
    const { code, stdout } = await run(main, { 'other.yaml': "S: { $ref: '../none.yaml#/S' }\n" });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^decision: references: /m)]);
  }
});

test('adopt follows no link out of the folder of the document', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(other, 'other.yaml'), 'S: {}\n');
  symlinkSync(join(other, 'other.yaml'), join(folder, 'link.yaml'));
  writeFileSync(join(folder, MAIN), referring('link.yaml#/S'));
  const { stdout } = await adopt(join(folder, MAIN), {}, folder);
  expect(stdout).toContain('$ref leads to link.yaml#/S, outside the folder');
});

test.each(['a {b}.yaml', 'a%20b.yaml'])('adopt finds a file by its percent-encoded name: %s', async (name) => {
  const { code, stdout } = await run(referring(`${name.includes('%') ? name : encodeURIComponent(name)}#/S`), {
    [name]: 'S: { type: object }\n',
  });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ 0 decisions, 0 refusals\n$/)]);
});

test.each<[path: readonly string[], other: string]>([
  [[...SCHEMA, 'properties', 'value'], 'type: string'],
  [['paths', '/books', 'post', 'responses', 'default'], 'description: Failed'],
])('adopt brings in a file by a $ref below a name that is also a keyword for data, at %j', async (path, other) => {
  const { code, stdout } = await run(documentWith(path, { $ref: 'other.yaml' }), { 'other.yaml': `${other}\n` });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ 0 decisions, 0 refusals\n$/)]);
});

test.each<[schema: string, found: RegExp]>([
  ['format: isbn', /^ {2}other\.yaml:5:7: format isbn is not supported: /m],
  ['items: {}\n      enum: { a: 1 }', /^ {2}other\.yaml:6:7: enum must be a list/m],
])('adopt asks about a part of another file by its line there: %j', async (schema, found) => {
  const { stdout } = await run(referring('other.yaml#/S'), {
    'other.yaml': `S:\n  type: object\n  properties:\n    value:\n      ${schema}\n`,
  });
  expect(stdout).toMatch(found);
});

test('adopt refuses a part of another file by its line there', async () => {
  const { stdout } = await run(documentWith(['paths', '/a'], { $ref: 'other.yaml' }), {
    'other.yaml': 'get:\n  operationId: a\n  security:\n  responses: {}\n',
  });
  expect(stdout).toMatch(/^refusal: other\.yaml:3:3: security must be a list /m);
});

test('adopt keeps the digits of a document that refers to a file, and of the file', async () => {
  const int64 = (bound: string) => `{ type: integer, format: int64, ${bound} }`;
  const main = referring('other.yaml#/S').replace(
    '/books:',
    `/books:\n    parameters: [{ name: q, in: query, schema: ${int64('minimum: -9223372036854775807')} }]`,
  );
  const { written } = await run(main, {
    'other.yaml': `S: { type: object, properties: { a: ${int64('maximum: 9007199254740993')} } }\n`,
  });
  expect(written).toMatch(/minimum: -9223372036854775807 [^]*maximum: 9007199254740993$/m);
});

test('adopt leaves an example of a schema as it is, although it looks like a $ref', async () => {
  const { code } = await run(documentWith(SCHEMA, { type: 'object', examples: [{ $ref: 'none.yaml' }] }, '3.1.0'));
  expect(code).toBe(0);
});

test('adopt accepts a document and a file that begin with a byte order mark', async () => {
  const { code } = await run(`\u{FEFF}${referring('other.yaml#/S')}`, {
    'other.yaml': '\u{FEFF}S: { type: object }\n',
  });
  expect(code).toBe(0);
});

test('adopt leaves out examples whose aliases nest 120 levels', async () => {
  const lines = Array.from({ length: 120 }, (_, index) => `x-${index + 1}: &a${index + 1} [*a${index}]\n`);
  const shown = WHOLE.replace(/^ {4}Book:\n/m, '    Shown: { type: array, examples: [*a120] }\n    Book:\n');
  const { code, stdout } = await run(`x-0: &a0 [1]\n${lines.join('')}${shown}`);
  expect(stdout).toMatch(/^edit: examples: .*\n.*: body is nested too deeply: /m);
  expect(code).toBe(0);
});
