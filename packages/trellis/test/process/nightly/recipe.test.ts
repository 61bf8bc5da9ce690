import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { blocks, run } from '../../support/readme.ts';

// These tests follow the section "A new column" of packages/trellis/docs/tables.md, step by step, on the
// template in a copy of the project.

const project = new Project();
const TEMPLATE = 'packages/trellis/template';
const DERIVED = 'npm test -- packages/trellis/test/engine/template';

/** Makes the change of a block, whose first line names the file, wherever its old lines stand there. */
function apply(block: string): void {
  const [first = '', ...lines] = block.trimEnd().split('\n');
  const [, name = ''] = /^\/\/ ([^ ,]+)/.exec(first) ?? [];
  const file = `${TEMPLATE}/${name}`;
  for (const hunk of lines.join('\n').split('\n\n')) {
    const without = (mark: string) =>
      hunk
        .split('\n')
        .filter((line) => !line.startsWith(mark))
        .map((line) => line.slice(1))
        .join('\n');
    const before = project.read(file);
    const after = before.replaceAll(without('+'), () => without('-'));
    expect(after).not.toBe(before);
    project.write(file, after);
  }
}

async function errors(): Promise<string[]> {
  const { stdout } = await run(project, 'scripts/node node_modules/typescript/bin/tsc');
  return stdout.split('\n').filter((line) => line !== '');
}

test('the compiler leads through the recipe for a new column, and the derived tests see the last step', async () => {
  const [contract = '', column = '', step = '', reply = ''] = blocks('tables', 'A new column', 'diff');
  const isMissing = [
    expect.stringMatching(/service\/createNote\.ts\(.*error TS2322/),
    expect.stringContaining("Property 'weight' is missing in type"),
  ];
  apply(contract);
  expect(await run(project, 'npm run generate')).toMatchObject({ code: 0 });
  const dropped = await errors();
  expect(dropped.join('\n')).toContain('NoSuchColumn');
  expect(dropped).toEqual(expect.arrayContaining(isMissing));
  apply(column);
  apply(step);
  expect(await errors()).toEqual(isMissing);
  // As if a cast had silenced the compiler: a service runs without its types.
  const forgotten = await run(project, DERIVED);
  expect(forgotten.code).toBe(1);
  expect(forgotten.stderr).toMatch(/createNote answered .* of a row that was sent as .*"weight":.*: see weight/);
  apply(reply);
  expect(await errors()).toEqual([]);
  const { code, stderr } = await run(project, DERIVED);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
});
