import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createPlant, ROOT, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** A copy of the project, in which a test changes what it likes. */
function copyProject(folder: string): (file: string, from: string, to: string) => void {
  for (const each of ['openapi.yaml', 'package.json', 'tsconfig.json', 'generated', 'scripts', 'src', 'test']) {
    cpSync(join(ROOT, each), join(folder, each), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return (file, from, to) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
}

function run(folder: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

const generate = (folder: string, ...args: readonly string[]) => run(folder, 'scripts/generate.ts', ...args);
const compile = (folder: string) => run(folder, 'node_modules/typescript/bin/tsc');

const folder = temporaryFolder();
const edit = copyProject(folder);

describe('the contract leads:', () => {
  test('the types are those of the contract', async () => {
    expect(await generate(ROOT, '--check')).toEqual({ code: 0, output: '' });
  });

  test('what must not compile does not, and all else does', async () => {
    expect(await compile(ROOT)).toEqual({ code: 0, output: '' });
  });

  test('a limit that is changed changes what is refused, and no code', async () => {
    edit('openapi.yaml', 'maxLength: 1000', 'maxLength: 20');
    const service = await startService({}, folder, join(folder, 'src/main.ts'));
    const [short, long] = [
      await createPlant(service, '{"id":1,"name":"12345678901234567890"}'),
      await createPlant(service, '{"id":2,"name":"123456789012345678901"}'),
    ];
    expect([short.status, long.status]).toEqual([200, 400]);
    expect(await long.text()).toContain('body.name must not have more than 20 characters');
    expect(await service.stop()).toBe(0);
    expect(await generate(folder, '--check')).toEqual({ code: 0, output: '' });
  });

  test('an operation that is added is a handler that the compiler misses, and nothing else', async () => {
    const getSpecimen = `  /evolution/{id}:
    get:
      operationId: getSpecimen
      tags: [plants]
      summary: Get a plant
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: The plant.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Plant' }
        '404':
          description: There is no such plant.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Error' }
components:
`;
    edit('openapi.yaml', 'components:\n', getSpecimen);
    const check = await generate(folder, '--check');
    expect(check).toEqual({
      code: 1,
      output: 'generated/openapi.ts is not what openapi.yaml says: run `npm run generate`\n',
    });
    expect(await generate(folder)).toEqual({ code: 0, output: 'generated/openapi.ts: written\n' });
    expect(await generate(folder)).toEqual({ code: 0, output: 'generated/openapi.ts: as it was\n' });
    const { code, output } = await compile(folder);
    expect(code).toBe(1);
    expect(output.match(/error TS\d+/g)).toHaveLength(1);
    expect(output).toMatch(/^src\/operations\/index\.ts\(\d+,\d+\): error TS1360: /);
    expect(output).toContain("Property 'getSpecimen' is missing in type");
    const service = await run(folder, 'src/main.ts', 'serve');
    expect(service.output).toContain(
      'openapi.yaml has the operation getSpecimen, which src/operations/index.ts does not have',
    );
  });

  test.each([
    ['throw contractBroken(error.errors, this.patterns);', 'return;', 'names the faults of requests'],
    ['void this.requests.validate(', '((..._: unknown[]) => (passed = true))(', 'converts parameters'],
    ['passed = true;', '', undefined],
    ['throw new ReplyError(', 'void (', 'refuses replies'],
    [
      'const { replyValidators: validators } = this;',
      '$& if (Number(response) > 499) return;',
      'refuses replies that report a failure',
    ],
  ])('a validator that lets everything through stops the start: %s', async (from, to, promise) => {
    const other = temporaryFolder();
    copyProject(other)('src/contract/validator.ts', from, to);
    const { code, output } = await run(other, 'src/main.ts', 'serve');
    expect(code).toBe(1);
    expect(output).toMatch(/^plant-store: .*express-openapi-validator.* no /);
    expect(output).toContain(promise === undefined ? 'gave no answer' : `no longer ${promise}`);
  });

  test('a contract that is no YAML is shown with line and column, and nothing else', async () => {
    const other = temporaryFolder();
    copyProject(other)('openapi.yaml', 'paths:\n', 'paths:\n\t/tab:\n');
    const { code, output } = await generate(other);
    expect(code).toBe(1);
    expect(output).toMatch(/^openapi\.yaml is not YAML: .* at line \d+, column \d+/);
    expect(output.split('\n').length).toBeLessThan(10);
  });

  test('a contract that is broken generates nothing, and is shown with the line', async () => {
    const before = readFileSync(join(folder, 'generated/openapi.ts'), 'utf8');
    edit('openapi.yaml', 'operationId: getSpecimen', 'operationId: createPlant');
    const { code, output } = await generate(folder);
    expect(code).toBe(1);
    expect(output).toMatch(/openapi\.yaml:\d+:\d+/);
    expect(output).toContain('Every operation must have a unique `operationId`.');
    expect(output).toContain('openapi.yaml has 1 problem(s), shown above; generated/ is as it was');
    expect(readFileSync(join(folder, 'generated/openapi.ts'), 'utf8')).toBe(before);
  });
});
