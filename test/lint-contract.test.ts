import { expect, test } from '@jest/globals';
import { YAML } from './support/app.ts';
import { Project } from './support/project.ts';
import { run } from './support/readme.ts';

const project = new Project();
await run(project, 'scripts/node test/extended/extend.ts .');
/** The contract with the operations that the recipes of docs/ add. */
const CHANGED = project.read('openapi.yaml');

/** Lints a contract as `npm run check` does. */
function lint(yaml: string) {
  project.write('openapi.yaml', yaml);
  return run(project, 'scripts/node scripts/lint-contract.ts');
}

test('the contract passes the OWASP rules, with and without the operations that the manual adds', async () => {
  expect(CHANGED).toMatch(/getPlant[^]*movePlant/);
  for (const yaml of [YAML, CHANGED]) expect(await lint(yaml)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('the contract breaks each OWASP rule that .spectral.yaml switches off', async () => {
  const settings = project.read('.spectral.yaml');
  const off = [...settings.matchAll(/^ {2}(owasp:.*): off$/gm)].map(([, rule]) => rule);
  project.write('.spectral.yaml', settings.replaceAll(/^ {2}.*\n/gm, '').replace('rules:', 'rules: {}'));
  const { code, stderr } = await lint(CHANGED);
  project.restore('.spectral.yaml');
  expect(code).toBe(1);
  const found = [...stderr.matchAll(/^openapi\.yaml:\d+:\d+ \w+ (owasp:.*): /gm)].map(([, rule]) => rule);
  expect([...new Set(found)].toSorted()).toEqual(off.toSorted());
});

/** The column of the schema PlantTag, which has `maxLength: 200`. */
const BEHIND_TAG = '    PlantTag:'.length + 1;

test.each([
  [
    '      maxLength: 200\n',
    '',
    1,
    new RegExp(`^openapi\\.yaml:\\d+:${BEHIND_TAG} error owasp:api4:2023-string-limit: Schema of type string `),
  ],
  [
    "        '401':\n          $ref: '#/components/responses/Unauthorized'\n",
    '',
    1,
    /^openapi\.yaml:\d+:\d+ warning owasp:api8:2023-define-error-responses-401: /,
  ],
  [
    '      requestBody:\n',
    '      parameters: [{ name: redirect, in: query, schema: { type: boolean } }]\n      requestBody:\n',
    0,
    /^openapi\.yaml:\d+:\d+ information owasp:api7:2023-concerning-url-parameter: /,
  ],
])('the linter names line, severity and rule for %j → %j, and exits with %j', async (from, to, code, finding) => {
  const { stderr, ...outcome } = await lint(YAML.replace(from, to));
  expect(outcome).toEqual({ code, stdout: '' });
  expect(stderr).toMatch(finding);
});
