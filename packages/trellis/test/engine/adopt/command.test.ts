import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { documentWith } from '../../../../contract/test/support/adopted.ts';
import { trellis as runTrellis } from '../../support/trellis.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

async function trellis(folder: string, ...args: readonly string[]) {
  const outcome = await runTrellis(folder, ...args);
  return { ...outcome, last: outcome.stdout.trimEnd().split('\n').at(-1) };
}

const TITLE = ['components', 'schemas', 'Book', 'properties', 'title'];
const DONE = { code: 0, stderr: '' };

describe('trellis adopt', () => {
  test('writes a contract that generate takes, and changes nothing the second time', async () => {
    const folder = temporaryFolder();
    const read = () => readFileSync(join(folder, 'openapi.yaml'), 'utf8');
    writeFileSync(
      join(folder, 'books.json'),
      JSON.stringify({ openapi: '3.0.0', info: { title: 'Books', version: '1' }, paths: {} }),
    );
    expect(await trellis(folder, 'adopt', 'books.json')).toMatchObject({
      ...DONE,
      stdout: 'edit: OpenAPI 3.0 became 3.1 (1)\n  books.json:1:2\n1 edits, 0 decisions, 0 refusals\n',
    });
    const written = read();
    expect(written).toMatch(/^# Adopted from books\.json .*\nopenapi: 3\.1\.0\n/);
    expect(await trellis(folder, 'generate')).toMatchObject({ code: 0 });
    expect(await trellis(folder, 'adopt', 'books.json')).toMatchObject(DONE);
    expect(await trellis(folder, 'adopt', 'openapi.yaml')).toMatchObject({
      ...DONE,
      last: '0 edits, 0 decisions, 0 refusals',
    });
    expect(read()).toBe(written);
  });

  test('writes the questions that only the author can answer to a file, and reads the answers from it', async () => {
    const folder = temporaryFolder();
    const decisions = join(folder, 'decisions.yaml');
    writeFileSync(join(folder, 'books.yaml'), documentWith(TITLE, { type: 'string', format: 'isbn' }));
    const adopt = () => trellis(folder, 'adopt', 'books.yaml', '--decisions', 'decisions.yaml');
    expect(await adopt()).toMatchObject({ code: 1, last: '1 edits, 1 decisions, 0 refusals' });
    const asked = readFileSync(decisions, 'utf8');
    expect(asked).toMatch(
      /\n# formats: .*\n# books\.yaml:\d+:\d+: format isbn is not supported: .*\n# formats: leave-out \(.*\)\nformats:\n$/,
    );
    expect(readdirSync(folder).toSorted()).toEqual(['books.yaml', 'decisions.places.txt', 'decisions.yaml']);
    writeFileSync(decisions, `${asked.trimEnd()} leave-out\n`);
    expect(await adopt()).toMatchObject({ ...DONE, last: '1 edits, 0 decisions, 0 refusals' });
    expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).not.toContain('isbn');
    expect(readFileSync(decisions, 'utf8')).toBe(`${asked.trimEnd()} leave-out\n`);
  });

  test('brings the files that a document refers to into one', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'schemas'));
    writeFileSync(
      join(folder, 'books.yaml'),
      `# Of the town.\n${documentWith(TITLE, { $ref: 'schemas/title.yaml#/Title' })}`,
    );
    writeFileSync(join(folder, 'schemas/title.yaml'), 'Title: { type: string, nullable: true }\n');
    expect(await trellis(folder, 'adopt', 'books.yaml')).toMatchObject(DONE);
    const written = readFileSync(join(folder, 'openapi.yaml'), 'utf8');
    expect(written).toContain('# Of the town.');
    expect(written).toMatch(/title:\n +\$ref: ['"]#\/components\/schemas\/Title['"]/);
    expect(written).toMatch(/ Title:\n +type: \[ string, "null" \]/);
  });

  test('sends no request for a URL that a document refers to', async () => {
    const folder = temporaryFolder();
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end('type: string');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const $ref = `http://127.0.0.1:${port}/title.yaml`;
    writeFileSync(join(folder, 'books.yaml'), documentWith(TITLE, { $ref: './title.yaml' }));
    writeFileSync(join(folder, 'title.yaml'), `$ref: ${$ref}\n`);
    writeFileSync(join(folder, 'direct.yaml'), documentWith(TITLE, { $ref }));
    for (const file of ['books.yaml', 'direct.yaml'])
      expect(await trellis(folder, 'adopt', file)).toMatchObject({ code: 1, last: '1 edits, 1 decisions, 0 refusals' });
    server.close();
    expect([asked, readdirSync(folder).includes('openapi.yaml')]).toEqual([0, false]);
  });

  test.each([
    ['{', /^refusal: books\.yaml:1:2: this is not YAML: .*: mend the line/],
    ['swagger: "2.0"', /^refusal: books\.yaml:1:1: this is Swagger 2\.0: convert it to OpenAPI 3\.0 first\n/],
    ['[]', /^refusal: books\.yaml:1:1: this is no OpenAPI 3\.0 or 3\.1/],
  ])('refuses %j, and writes nothing', async (text, message) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'books.yaml'), text);
    const { code, stdout, stderr } = await trellis(folder, 'adopt', 'books.yaml');
    expect([code, stdout, stderr]).toEqual([2, expect.stringMatching(message), '']);
    expect(readdirSync(folder)).toEqual(['books.yaml']);
  });

  test('keeps a contract that it has not written', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'openapi.yaml'), 'openapi: 3.1.0\n');
    writeFileSync(join(folder, 'books.yaml'), documentWith(['info', 'title'], 'Books'));
    const { code, stdout } = await trellis(folder, 'adopt', 'books.yaml');
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/exists, and was not adopted from this document: move it away first/),
    ]);
    expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toBe('openapi: 3.1.0\n');
  });
});
