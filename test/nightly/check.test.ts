import { expect, test } from '@jest/globals';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { run } from '../../packages/trellis/test/support/readme.ts';
import { start } from '../../packages/trellis/test/support/service.ts';
import { until } from '../../packages/trellis/test/support/until.ts';

const project = new Project();

/** Runs `npm run check`, and returns its exit code, its steps with their outcomes, and its output. */
async function check() {
  const { code, stdout, stderr } = await run(project, 'npm run --silent check');
  const steps = [...stdout.matchAll(/^check: (\w+): (\w+)$/gm)].map(([, step, how]) => `${step ?? ''} ${how ?? ''}`);
  return { code, steps, output: stdout + stderr };
}

const PASSED = ['contract passed', 'types passed', 'lint passed', 'cycles passed', 'style passed', 'prose passed'];

test('`npm run check` reports the faults of each step in order, and passes once they are mended', async () => {
  expect(await check()).toMatchObject({ code: 0, steps: PASSED });

  project.edit('openapi.yaml', '      maxLength: 200\n', '');
  project.write('src/a.ts', "import type { B } from './b.ts';\nexport type A = B | 1;\nexport const a: string = 1;\n");
  project.write('src/b.ts', "import type { A } from './a.ts';\nexport type B = A[];\nexport  let b: any;\n");
  project.edit('README.md', '](docs/api.md)', '](docs/gone.md)');
  const { code, steps, output } = await check();
  expect(code).toBe(1);
  expect(steps).toEqual(PASSED.map((step) => step.replace('passed', 'FAILED')));
  expect(output).toMatch(
    new RegExp(
      [
        '^\\[1\\] openapi.yaml:\\d+:\\d+ at #/components/schemas/PlantTag$',
        '^A schema of type string must have maxLength or const or enum.$',
        "^src/a.ts\\(3,14\\): error TS2322: Type 'number' is not assignable to type 'string'",
        'src/b.ts\n.* @typescript-eslint/no-explicit-any$',
        'import\\(no-cycle\\)',
        'src/b.ts',
        'each link of README leads to a file',
      ].join('.*?'),
      'ms',
    ),
  );

  // A second check must report the same errors: the caches must not hide them.
  expect(await check()).toEqual({ code: 1, steps, output: expect.stringContaining('no-explicit-any') });
  project.restore('openapi.yaml', 'README.md');
  for (const file of ['src/a.ts', 'src/b.ts']) project.remove(file);
  expect(await check()).toMatchObject({ code: 0, steps: PASSED });
});

test('`npm run check` lints a file again when a type that it uses, or the configuration, has changed', async () => {
  expect(await check()).toMatchObject({ code: 0 });
  project.edit(
    'packages/trellis/src/storage/queries.ts',
    '  readonly create: <',
    '  /** @deprecated */\n  readonly create: <',
  );
  const deprecated = await check();
  project.restore('packages');
  expect(deprecated).toMatchObject({ code: 1, steps: PASSED.with(2, 'lint FAILED') });
  expect(deprecated.output).toMatch(/createPlant\.ts\n.* @typescript-eslint\/no-deprecated$/m);

  project.edit('eslint.config.js', "'no-duplicate-imports'", "'no-console': 'error',\n      'no-duplicate-imports'");
  expect((await check()).output).toMatch(/dev\.ts\n.* no-console$/m);
  project.restore('eslint.config.js');
});

test.each(['SIGINT', 'SIGTERM'] as const)('`npm run check` ends on %s with all its processes', async (signal) => {
  project.remove('.cache');
  const { child, ended } = start(process.execPath, ['scripts/check.ts'], {}, project.folder);
  const pid = await until(async () => (await run(project, `pgrep --parent ${String(child.pid)}`)).stdout);
  child.kill(signal);
  expect(await ended).toBe(1);
  await until(() => {
    try {
      return !process.kill(Number(pid), 0);
    } catch {
      return true;
    }
  });
});
