import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ALL_EDITS, ALL_KEYS } from '../../../tools/adopt/work.ts';

test('docs/adopt.md has each edit and each question, and no other', () => {
  const page = readFileSync(new URL('../../../docs/adopt.md', import.meta.url), 'utf8');
  const edits = ALL_EDITS.map(({ what }) => what);
  const shown = [...page.matchAll(/^\| (\w[^|`]*?)(?:: [^|]*?)? +\|$/gm)].map(([, what = '']) => what);
  expect(new Set(shown.filter((what) => what !== 'edit'))).toEqual(
    new Set(edits.map((what) => what.replace(/: .*/, ''))),
  );
  const questions = [...page.matchAll(/^\| `([\w-]+)`(?: \*)? +\|/gm)].map(([, key]) => key);
  expect(new Set(questions)).toEqual(new Set(ALL_KEYS));
});
