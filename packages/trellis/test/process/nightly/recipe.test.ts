import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { blocks, run } from '../../support/readme.ts';
import { apply, errors } from '../../support/recipe.ts';

// These tests follow the section "A new column" of packages/trellis/docs/tables.md, step by step, on the
// template in a copy of the project.

const project = new Project();
const DERIVED = 'npm test -- packages/trellis/test/engine/template';

test('the compiler names the missing steps of the recipe for a new column, and the derived tests name the last one', async () => {
  const [contract = '', column = '', step = '', reply = ''] = blocks('tables', 'A new column', 'diff');
  const isMissing = [
    expect.stringMatching(/service\/createNote\.ts\(.*error TS2322/),
    expect.stringContaining("Property 'weight' is missing in type"),
  ];
  apply(project, contract);
  expect(await run(project, 'npm run generate')).toMatchObject({ code: 0 });
  const dropped = await errors(project);
  expect(dropped.join('\n')).toContain('NoSuchColumn');
  expect(dropped).toEqual(expect.arrayContaining(isMissing));
  apply(project, column);
  apply(project, step);
  expect(await errors(project)).toEqual(isMissing);
  // A service runs without its types, as if a cast had silenced the compiler.
  const forgotten = await run(project, DERIVED);
  expect(forgotten.code).toBe(1);
  expect(forgotten.stderr).toMatch(/createNote answered .* of a row that was sent as .*"weight":.*: see weight/);
  apply(project, reply);
  expect(await errors(project)).toEqual([]);
  const { code, stderr } = await run(project, DERIVED);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
});
