import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { format } from 'prettier';
import { Project } from '../../support/project.ts';
import { run } from '../../support/readme.ts';
import { trellis } from '../../support/trellis.ts';

const FOLDER = 'packages/trellis/test/services/items';
const CONTRACT = `${FOLDER}/openapi.yaml`;
const project = new Project();
beforeEach(() => {
  project.restore(FOLDER);
});

/** Edits the contract of the items, and generates from it. */
async function generate(...edits: readonly (readonly [string, string])[]) {
  for (const [from, to] of edits) project.edit(CONTRACT, from, to);
  return check();
}

async function check(...options: readonly string[]) {
  const { code, stdout, stderr } = await trellis(project.folder, 'generate', ...options, FOLDER);
  return { code, said: stdout + stderr };
}

const ITEM = 'value: { id: 1, name: Monstera deliciosa, tag: tropical }';
const POST = '      requestBody:\n        description';
const REPLY = "            Idempotent-Replayed: { $ref: '#/components/headers/Idempotent-Replayed' }\n";
const GET =
  "{ operationId: getIt, summary: Get, tags: [constructor], parameters: [{ name: constructor, in: path, required: true, schema: { type: string, maxLength: 9 } }], responses: { '200': { description: x }, '400': { $ref: '#/components/responses/BadRequest' }, '401': { $ref: '#/components/responses/Unauthorized' }, '429': { $ref: '#/components/responses/TooManyRequests' }, default: { $ref: '#/components/responses/Failure' } } }";
const STRING = 'type: string, maxLength: 99';
const ID = '        id:\n          description: Any 64-bit';
/** Members of the item, with names that libraries may take for others. */
const members = (...lines: readonly string[]) => [ID, lines.map((line) => `        ${line}\n`).join('') + ID] as const;
const member = (name: string, schema = STRING) => members(`${name}: { ${schema} }`);

test('`generate` lists the objects that leave out members which no schema names', async () => {
  const { code, said } = await generate(member('one', 'type: object, properties: { a: { type: boolean } }'));
  expect(said).toMatch(
    /^the members that no schema names are left out of requests and replies in 1 object, unless additionalProperties: true keeps them: \S*items\/openapi\.yaml:\d+:9$/m,
  );
  expect(code).toBe(0);
  const others = Array.from(
    { length: 11 },
    (_, index) => `b${index}: { type: object, properties: { a: { type: boolean } } }`,
  );
  const { said: more } = await generate(members(...others));
  expect(more).toMatch(/ in 12 objects, unless .*:\d+:9, 2 more$/m);
});

describe('odd names', () => {
  const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');

  test('`generate` makes types of a member, a schema, a parameter, a header and a tag with the name of a property of each object', async () => {
    const lines = (indent: number, line: (name: string) => string) =>
      names.map((name) => `${' '.repeat(indent)}${line(name)}\n`).join('');
    const { code, said } = await generate(
      [
        POST,
        `      parameters:\n${lines(8, (name) => `- { name: ${name}, in: query, schema: { ${STRING} } }`)}` +
          lines(8, (name) => `- { name: ${name}, in: header, schema: { ${STRING} } }`) +
          POST,
      ],
      [REPLY, REPLY + lines(12, (name) => `${name}: { $ref: '#/components/headers/${name}' }`)],
      ['components:\n', `  /items/{constructor}/toString:\n    get: ${GET}\ncomponents:\n`],
      ['  - name: items\n', '  - { name: constructor, description: x }\n  - name: items\n'],
      ['\n  headers:\n', `\n  headers:\n${lines(4, (name) => `${name}: { schema: { ${STRING} }, example: x }`)}`],
      [
        '\n  schemas:\n',
        `\n  schemas:\n${lines(4, (name) => `${name}: { type: object, required: [${name}], properties: { ${name}: { ${STRING} } }, example: { ${name}: x } }`)}`,
      ],
      members(...names.map((name) => `${name}: { $ref: '#/components/schemas/${name}' }`)),
    );
    expect(said).toContain('items/generated/openapi.ts: written');
    expect(code).toBe(0);
    const types = project.read('packages/trellis/test/services/items/generated/openapi.ts');
    for (const name of names) {
      expect(types).toContain(`      ${name}?: components["schemas"]["${name}"];`);
      expect(types).toContain(`      ${name}: string;`);
      // The name is that of a query parameter, of a header parameter, and of a header of the reply.
      expect(types.split(` ${name}?: string;`)).toHaveLength(4);
    }
    expect(types).not.toContain('a_name_called_');
  });

  test('`generate` makes types of a member named $ref, with an example', async () => {
    const { code, said } = await generate(member('$ref'), [ITEM, ITEM.replace(' }', ", $ref: 'no-such-file.yaml' }")]);
    expect(said).toContain('items/generated/openapi.ts: written');
    expect(code).toBe(0);
    expect(project.read('packages/trellis/test/services/items/generated/openapi.ts')).toContain('$ref?: string;');
  });
});

test('`generate --check` shows the line of the member constructor for its fault of style', async () => {
  const { code } = await generate(member('constructor', 'type: string'));
  expect(code).toBe(0);
  const { code: failed, said } = await check('--check');
  expect(failed).toBe(1);
  const [, line = ''] = /^ +(\d+):\d+ +error +own\/bounds /m.exec(said) ?? [];
  const yaml = project.read('packages/trellis/test/services/items/openapi.yaml').split('\n');
  expect(yaml[Number(line) - 1]).toContain('constructor');
  expect(said).not.toContain('a_name_called_');
});

test('`generate` refuses an example that does not match its format', async () => {
  const { code, said } = await generate(member('key', `${STRING}, format: uuid`), [
    ITEM,
    ITEM.replace(' }', ', key: not-a-uuid }'),
  ]);
  expect(code).toBe(1);
  expect(said).toMatch(
    /^packages\/trellis\/test\/services\/items\/openapi\.yaml:\d+:\d+: example\.key must match format "uuid"$/m,
  );
});

test('`generate` warns of keywords that leave no value', async () => {
  const { code, said } = await generate(member('code', 'type: string, enum: [01, 08], maxLength: 2'));
  const warned =
    /openapi\.yaml:(\d+):\d+: enum contradicts type at \S*openapi\.yaml:(\d+):\d+: no value satisfies both/.exec(said);
  expect([code, warned?.[1]]).toEqual([0, warned?.[2] ?? 'no warning']);
});

describe('references', () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.end('{}');
  });
  afterAll(() => {
    server.close();
  });
  beforeEach(async () => {
    requests = 0;
    if (server.listening) return;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.json`;

  test('`generate` opens no connection for a URL in an example, in a field x-…, in a default or in an enum', async () => {
    const value = `{ $ref: '${url()}', externalValue: '${url()}', allOf: [x], discriminator: { propertyName: x } }`;
    const open = 'type: object, description: x';
    const schema = `${open}, example: ${value}, examples: [${value}], x-any: ${value}, default: ${value}, enum: [${value}]`;
    const { code, said } = await generate(
      ['info:\n', `info:\n  x-logo: ${value}\n  x-any: [${value}]\n`],
      ['summary: An item with a tag', `x-any: ${value}\n                summary: An item with a tag`],
      [
        POST,
        `      parameters: [{ name: at, in: query, style: deepObject, schema: { type: object, properties: { a: { ${STRING} } } }, examples: { far: { externalValue: '${url()}' } } }]\n${POST}`,
      ],
      [
        'components:\n',
        `webhooks:\n  sold:\n    post:\n      summary: x\n      requestBody: { content: { application/json: { schema: { ${schema} } } } }\n      responses: { '200': { description: x }, '400': { description: x } }\ncomponents:\n`,
      ],
      member('any', schema),
    );
    expect(said).toContain('items/generated/openapi.ts: written');
    expect(code).toBe(0);
    expect(requests).toBe(0);
  });

  test.each<[string, (url: string) => readonly [string, string]]>([
    [
      'an example',
      (url) => [
        '              withTag:\n                summary: An item with a tag\n                value: { id: 1, name: Monstera deliciosa, tag: tropical }\n',
        `              withTag: { $ref: '${url}' }\n`,
      ],
    ],
    [
      'a callback',
      (url) => [POST, `      callbacks: { sold: { '{$request.body#/name}': { $ref: '${url}' } } }\n${POST}`],
    ],
    ['a schema', (url) => member('other', `$ref: '${url}'`)],
    [
      'the mapping of a discriminator',
      (url) => member('other', `oneOf: [], discriminator: { propertyName: x, mapping: { x: '${url}' } }`),
    ],
  ])('`generate` opens no connection for a reference of %s, and refuses it with its place', async (_what, edit) => {
    const { code, said } = await generate(edit(url()));
    expect(code).toBe(1);
    expect(said).toMatch(
      /^packages\/trellis\/test\/services\/items\/openapi\.yaml:\d+:\d+: (?:\$ref|x) leads to http.*(?:not in the document|no branch here)/m,
    );
    expect(requests).toBe(0);
  });
});

describe('contracts that lack something', () => {
  test('`generate` writes the types of a contract that lacks an error number of the framework, which `--check` refuses', async () => {
    const { code } = await generate(["            '40400': The path does not exist\n", '']);
    expect(code).toBe(0);
    const { code: failed, said } = await check('--check');
    expect([failed, said]).toEqual([
      1,
      `${CONTRACT}: x-error-numbers lacks 40400, which the service may answer: add them\n`,
    ]);
  });

  test('`generate` writes the types of a contract whose failures have another body than the framework sends, and warns', async () => {
    const { code, said } = await generate(['maxLength: 32768', 'maxLength: 30000']);
    // One line for all operations with that failure.
    expect(said.match(/the service itself answers/g)).toHaveLength(1);
    expect(said).toMatch(
      /openapi\.yaml:\d+:\d+, POST \/items: .*body\.message must not have more than 30000 characters; the service starts only with an errorBody that makes valid bodies\n/,
    );
    expect([code, said]).toEqual([0, expect.stringContaining('generated/openapi.sha256: written')]);
  });
});

test('`generate --check` accepts a contract in which a formatter has changed only the layout', async () => {
  const before = project.read(CONTRACT);
  const after = await format(before, { parser: 'yaml', printWidth: 40, bracketSpacing: false });
  expect(after).not.toBe(before);
  project.write(CONTRACT, after);
  expect(await check('--check')).toEqual({ code: 0, said: '' });
});

test('`generate` ends with 0 and without a message when its reader closes the pipe', async () => {
  const line = `scripts/node packages/trellis/bin/trellis generate ${FOLDER} | head -n 0; echo "ended \${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await run(project, line);
  expect([stdout, stderr]).toEqual(['ended 0\n', '']);
});
