import { describe, expect, test } from '@jest/globals';
import { README } from '../../support/readme.ts';
import { contract } from './change.ts';
import { changed, expectRefusal, expectToFollow, generate } from './drill.ts';
import { FREE } from './free.ts';
import { LED } from './led.ts';
import { REFUSED } from './refused.ts';

const [, section = ''] = /^### What follows from a change\n(.*?)^##+ /ms.exec(README) ?? [];

describe('the contract leads:', () => {
  test('the table in the README is that of the drill', () => {
    const rows = [...section.matchAll(/^\| (?!--)(.+?) +\| (.*?) *\|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual([
      ['change', 'what follows'],
      ['**No code has to follow**', ''],
      ...FREE.map(({ change, follows }) => [change, follows]),
      ['**The compiler says what the code has to do**', ''],
      ...LED.map(({ change, follows }) => [change, follows]),
      ['**`generate` refuses it, with line and column**', ''],
      ...REFUSED.map(({ change, follows }) => [change, follows]),
    ]);
  });

  test('types that were not generated anew are noticed', async () => {
    changed(contract(['description: A plant, as', 'description: Of a plant, what']));
    expect(await generate('--check')).toEqual({
      code: 1,
      output: 'generated/openapi.ts is not what openapi.yaml says: run `npm run generate`\n',
    });
    expect(await generate()).toEqual({ code: 0, output: 'generated/openapi.ts: written\n' });
    expect(await generate()).toEqual({ code: 0, output: 'generated/openapi.ts: as it was\n' });
    expect(await generate('--check')).toEqual({ code: 0, output: '' });
  });
});

describe('no code has to follow from', () => {
  test.each(FREE)('$change: $follows', expectToFollow);
});

describe('the compiler says what the code has to do about', () => {
  test.each(LED)('$change: $follows', expectToFollow);
});

describe('generate refuses', () => {
  test.each(REFUSED)('$change: $follows', expectRefusal);
});
