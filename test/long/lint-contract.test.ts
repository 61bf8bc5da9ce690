import { expect, test } from '@jest/globals';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { run } from '../../packages/trellis/test/support/readme.ts';
import { YAML } from '../support.ts';

const project = new Project();

const TRELLIS = 'scripts/node packages/trellis/bin/trellis';

/** Generates from a contract, checks it, and returns the exit code and the rules that it breaks, each with its message. */
async function lint(yaml: string) {
  project.write('openapi.yaml', yaml);
  // `generate` does not apply the rules of style.
  expect(await run(project, `${TRELLIS} generate`)).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await run(project, `${TRELLIS} generate --check`);
  const found = (stdout + stderr).matchAll(/^ +\d+:\d+ +(?:error|warning) +(\S+) +(.*)$/gm);
  return { code, broken: Array.from(found, ([, rule = '', message = '']) => `${rule}: ${message}`) };
}
const PASSES = { code: 0, broken: [] };

const SHORT_STRING = 'type: string, maxLength: 9';
const RESPONSES =
  "{ '200': { description: done }, '400': { $ref: '#/components/responses/BadRequest' }, default: { $ref: '#/components/responses/Failure' } }";
/** The contract with a query parameter for each schema. */
const withParameters = (...schemas: readonly string[]) => {
  const parameters = schemas.map(
    (schema, index) => `        - { name: shade${index}, in: query, schema: { ${schema} } }\n`,
  );
  return YAML.replace('      requestBody:\n', () => `      parameters:\n${parameters.join('')}      requestBody:\n`);
};

test('the check of plants accepts an operation without a token, one with a scope, and a webhook and a callback without 401 and 429', async () => {
  const open = `  /shades:\n    get: { operationId: getShades, summary: Count, security: [], responses: ${RESPONSES} }\n`;
  const others = `{ post: { summary: Call, responses: ${RESPONSES} } }`;
  const yaml = YAML.replace('paths:\n', `webhooks:\n  sold: ${others}\npaths:\n${open}`)
    .replace(
      '      requestBody:\n',
      `      callbacks: { sold: { '{$request.body#/name}': ${others} } }\n      requestBody:\n`,
    )
    .replace(
      'operationId: createPlant\n',
      'operationId: createPlant\n      security: [{ bearerAuth: [plants:write] }]\n',
    );
  expect(await lint(yaml)).toEqual(PASSES);
});

test('the check of plants accepts each way to bound a string, an array or a number', async () => {
  const schemas = [
    `type: [string, 'null'], maxLength: 9`,
    'type: string, enum: [a]',
    `type: array, maxItems: 9, items: { const: 1 }`,
    'type: integer, format: int32',
    'type: integer, minimum: 1, exclusiveMaximum: 9',
    'type: number, format: double',
    `anyOf: [{ type: 'null' }, { type: number, exclusiveMinimum: 1, maximum: 9 }]`,
  ];
  expect(await lint(withParameters(...schemas))).toEqual(PASSES);
});

const NEEDS = 'own/bounds: A schema of type';
const LOWEST = 'must have minimum or exclusiveMinimum or format or const or enum.';
const HIGHEST = 'must have maximum or exclusiveMaximum or format or const or enum.';

test('the check of plants refuses a string, an array or a number without a bound', async () => {
  const schemas = [
    'type: string, format: uri',
    `type: ['null', string]`,
    `type: array, items: { ${SHORT_STRING} }`,
    'type: integer, minimum: 1',
    'type: number, maximum: 9',
    'anyOf: [{ type: integer }, { const: a }]',
  ];
  const broken = [
    `${NEEDS} string must have maxLength or const or enum.`,
    `${NEEDS} string must have maxLength or const or enum.`,
    `${NEEDS} array must have maxItems or const or enum.`,
    `${NEEDS} integer ${HIGHEST}`,
    `${NEEDS} number ${LOWEST}`,
    `${NEEDS} integer ${LOWEST}`,
    `${NEEDS} integer ${HIGHEST}`,
  ];
  expect(await lint(withParameters(...schemas))).toEqual({ code: 1, broken });
});

test('the check of plants refuses an operation that needs a token and does not declare 401 and 429', async () => {
  const others = `{ '200': { description: done }, default: { $ref: '#/components/responses/Failure' } }`;
  const unsaid = `  /shades:\n    get: { operationId: getShades, summary: Count, responses: ${others} }\n`;
  const yaml = YAML.replace('paths:\n', `paths:\n${unsaid}`);
  const broken = [
    'own/errors-of-tokens: An operation that needs a token must declare 401 and 429.',
    'operation-4xx-response: Operation must have at least one `4XX` response.',
  ];
  expect(await lint(yaml)).toEqual({ code: 1, broken });
});

test('the check of plants accepts a contract whose operations need no token and do not declare 401 and 429', async () => {
  const yaml = YAML.replace(/^security:\n.*\n/m, 'security: []\n').replaceAll(/^ {8}'4(?:01|03|29)':.*\n.*\n/gm, '');
  expect(yaml).not.toMatch(/^ {8}'4(?:01|29)'/m);
  expect((await lint(yaml)).broken.filter((each) => !each.includes('is never used'))).toEqual([]);
});

test('the check of plants shows the first 100 of many problems, and says how many there are', async () => {
  project.write('openapi.yaml', withParameters(...Array.from({ length: 130 }, () => 'type: string')));
  const { code, stdout, stderr } = await run(project, `${TRELLIS} generate --check`);
  const said = stdout + stderr;
  expect(code).toBe(1);
  expect(said.match(/^ +\d+:\d+ +error /gm)).toHaveLength(100);
  expect(said).toContain(
    'openapi.yaml breaks the rules of redocly.yaml 130 time(s): the first 100 problems are shown above',
  );
  expect(said).not.toContain('--max-problems');
});

test('the check of plants refuses a reply 429 without Retry-After', async () => {
  const yaml = YAML.replace(/(TooManyRequests:[^]*?) {6}headers:\n.*\n.*\n/, '$1');
  const { code, broken } = await lint(yaml);
  expect({ code, broken: [...new Set(broken)] }).toEqual({
    code: 1,
    broken: ['response-contains-header: Response object must contain a "Retry-After" header.'],
  });
});

test('the check of plants refuses a secret in the URL', async () => {
  const names = ['password', 'clientSecret', 'api_key', 'access_token'];
  const yaml = withParameters(...names.map(() => SHORT_STRING)).replaceAll(/shade\d/g, () => names.shift() ?? '');
  const { code, broken } = await lint(yaml);
  expect({ code, count: broken.length }).toEqual({ code: 1, count: 4 });
  for (const each of broken) expect(each).toMatch(/^rule\/no-secret-in-url: Logs and histories keep URLs: /);
});

test('`generate` refuses examples of bodies, replies, parameters and schemas that do not fit their schemas', async () => {
  const yaml = withParameters(`${SHORT_STRING}, examples: [1]`, SHORT_STRING)
    .replace('shade1, in: query', 'shade1, in: query, example: 2')
    .replace('{ id: 2, name: Ginkgo biloba }', '{ id: two, name: Ginkgo biloba }')
    .replace('{ error: 40011, message', '{ error: conflict, message');
  project.write('openapi.yaml', yaml);
  const { code, stderr } = await run(project, `${TRELLIS} generate`);
  const found = stderr.trimEnd().split('\n');
  expect(found.map((line) => line.replace(/^openapi\.yaml:\d+:\d+: /, ''))).toEqual([
    'example must be a string',
    'example must be a string',
    'example.id must be an integer',
    'example.error must be an integer',
    'openapi.yaml is refused in 4 places:',
    ...['  2 × example must be a string, and its like', '  1 × example.id must be an integer'],
    '  1 × example.error must be an integer',
  ]);
  expect(code).toBe(1);
});
