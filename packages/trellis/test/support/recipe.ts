import { expect } from '@jest/globals';
import type { Project } from './project.ts';
import { run } from './readme.ts';

/** The service that the recipes of the manual change. */
export const TEMPLATE = 'packages/trellis/template';

/** Makes the change of a block, whose first line names the file, wherever its old lines stand there. */
export function apply(project: Project, block: string): void {
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

/** The errors of the compiler, line by line. */
export async function errors(project: Project): Promise<string[]> {
  const { stdout } = await run(project, 'scripts/node node_modules/typescript/bin/tsc');
  return stdout.split('\n').filter((line) => line !== '');
}
