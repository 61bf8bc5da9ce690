import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adopt } from '../../../tools/adopt/adopt.ts';
import { documentWith } from '../../support/adopted.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each(['books.yaml', 'openapi.yaml'])('adopt refuses to write decisions into %s', async (name) => {
  const folder = temporaryFolder();
  const text = documentWith(['components', 'schemas', 'Book', 'properties', 'title'], { format: 'isbn' });
  for (const each of ['books.yaml', 'openapi.yaml']) writeFileSync(join(folder, each), text);
  const { code, stdout } = await adopt(join(folder, 'books.yaml'), join(folder, '.', name), folder);
  expect([code, stdout]).toEqual([
    2,
    expect.stringMatching(/^refusal: .* holds a document: name another file for --decisions\n/),
  ]);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
});
