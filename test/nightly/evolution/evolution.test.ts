import { expect, test } from '@jest/globals';
import { page } from '../../../packages/trellis/test/support/readme.ts';
import { contract } from './change.ts';
import { changed, expectRefusal, generate } from './drill.ts';
import { FREE } from './free.ts';
import { NAMED } from './named.ts';
import { REFUSED } from './refused.ts';

/** The rows of the table on the page: each change, with its result. */
const FOLLOWS = new Map(
  [...page('changing-the-contract').matchAll(/^\| (?!--)(.+?) +\| (.*?) *\|$/gm)].map(
    ([, change = '', follows = '']) => [change, follows],
  ),
);

test('packages/contract/docs/changing-the-contract.md lists every change that these tests make', () => {
  expect([...FOLLOWS.keys()]).toEqual([
    'change',
    '**No code has to follow**',
    ...Object.keys(FREE),
    '**The compiler says what the code has to do**',
    ...Object.keys(NAMED),
    '**`generate` refuses it, with line and column**',
    ...Object.keys(REFUSED),
  ]);
});

test('`generate --check` fails while the types are older than the contract, until `generate` updates them', async () => {
  changed(contract(['description: A plant, as', 'description: Of a plant, what']));
  expect(await generate('--check')).toEqual({
    code: 1,
    output: 'generated/openapi.ts is out of date: run `npm run generate`\n',
  });
  const output = (written: string) =>
    `generated/openapi.ts: ${written}\ngenerated/openapi.sha256: ${written}\ndocs/api.md: as it was\n`;
  expect(await generate()).toEqual({ code: 0, output: output('written') });
  expect(await generate()).toEqual({ code: 0, output: output('as it was') });
  expect(await generate('--check')).toEqual({ code: 0, output: '' });
});

test.each(Object.entries(REFUSED))(
  '`generate` refuses %s with the message in packages/contract/docs/changing-the-contract.md',
  (name, edit) => expectRefusal(edit, FOLLOWS.get(name) ?? ''),
);
