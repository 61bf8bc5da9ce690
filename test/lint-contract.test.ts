import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findFaults, RULES, SWITCHED_OFF } from '../scripts/lint-contract.ts';
import { YAML } from './support/app.ts';
import { Project } from './support/project.ts';
import { blocks } from './support/readme.ts';
import { ROOT } from './support/service.ts';

/** The contract as the README changes it: an operation with a parameter, under other names, and a field. */
function changedByReadme(): string {
  const [operation = ''] = blocks('A new operation', 'yaml');
  const [field = ''] = blocks('A new field', 'yaml');
  expect([operation, field]).toEqual([expect.stringContaining('/plants/{id}:'), expect.stringContaining('height:')]);
  const renamed = operation.replace('/plants/{id}', '/specimens/{id}').replace('getPlant', 'getSpecimen');
  return YAML.replace('\npaths:\n', `\npaths:\n${renamed}`).replaceAll(
    /^ {4}(?:NewPlant|Plant):\n.*?^ {6}properties:\n/gms,
    (schema) => schema + field.replace('height', 'heightOfExample'),
  );
}

/** Runs the lint as `npm run check` does, on a contract that is changed. */
function lint(from: string, to: string): Promise<{ code: number | null; stderr: string }> {
  const project = new Project();
  project.edit('openapi.yaml', from, to);
  return new Promise((resolve) => {
    const child = execFile(
      'scripts/node',
      ['scripts/lint-contract.ts'],
      { cwd: project.folder },
      (_error, _stdout, stderr) => {
        resolve({ code: child.exitCode, stderr });
      },
    );
  });
}

describe("OWASP's rules", () => {
  test('are kept by the contract, also as the README changes it', async () => {
    expect(await findFaults(YAML)).toEqual([]);
    expect(await findFaults(changedByReadme())).toEqual([]);
  });

  test.each(Object.keys(SWITCHED_OFF))('have %s, whose reason to be switched off has not gone', async (rule) => {
    expect(RULES).toContain(rule);
    const others = Object.keys(SWITCHED_OFF).filter((each) => each !== rule);
    const found = await findFaults(changedByReadme(), others);
    expect(new Set(found.map((each) => each.rule))).toEqual(new Set([rule]));
  });

  test('find a fault, and name its place, its weight and the rule', async () => {
    const line = YAML.split('\n').findIndex((each) => each.trim() === 'PlantTag:') + 1;
    expect(await lint('      maxLength: 200\n', '')).toEqual({
      code: 1,
      stderr: `openapi.yaml:${line}:14 error owasp:api4:2023-string-limit: Schema of type string must specify maxLength, enum, or const.\n`,
    });
    const { code, stderr } = await lint("        '401':\n          $ref: '#/components/responses/Unauthorized'\n", '');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^openapi\.yaml:\d+:\d+ warning owasp:api8:2023-define-error-responses-401: /);
  });

  test('of which one that only informs, stops nobody, and is shown', async () => {
    const parameter = '      parameters: [{ name: redirect, in: query, schema: { type: boolean } }]\n';
    const { code, stderr } = await lint('      requestBody:\n', `${parameter}      requestBody:\n`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^openapi\.yaml:\d+:\d+ information owasp:api7:2023-concerning-url-parameter: .*\n$/);
  });

  test('are asked about by `npm run check`', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['check']).toContain('scripts/lint-contract.ts');
  });
});
