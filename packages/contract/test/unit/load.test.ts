import { describe, expect, test } from '@jest/globals';
import type { ContractError } from '../../src/contract-error.ts';
import { examine, loadContract } from '../../src/load.ts';

const DEFAULT = 'default: { description: it has failed, content: { application/json: { schema: { type: object } } } }';

/** A contract of operations, whose members are given, and of schemas. */
function contractOf(operations: readonly string[], schemas: readonly string[] = [], others = ''): string {
  const paths = operations.map(
    (members, index) => `  /things${index}:\n    get: { operationId: do${index}, ${members} }\n`,
  );
  const lines = schemas.map((schema, index) => `    Schema${index}: ${schema}\n`);
  return (
    `openapi: 3.1.0\ninfo: { title: Things, version: 1.0.0 }\n${others}paths:${paths.length === 0 ? ' {}' : ''}\n${paths.join('')}` +
    `components:\n  schemas:\n    Last: {}\n${lines.join('')}`
  );
}

/** @returns the error with which loadContract refuses a contract */
async function refusalOf(yaml: string): Promise<ContractError> {
  return loadContract(yaml).then(
    () => {
      throw new Error('the contract was accepted');
    },
    (error: unknown) => error as ContractError,
  );
}

const replies = (content: string) => `responses: { '200': { description: done, content: { ${content} } }, ${DEFAULT} }`;
const NULLABLE = '{ type: string, nullable: true }';

describe('the error of loadContract', () => {
  test.each(['Authorization', 'Cookie'])('lists the apiKey header %s as a refusal that no edit cures', async (name) => {
    const scheme = { type: 'apiKey', in: 'header', name };
    const { all } = await refusalOf(
      contractOf([], [NULLABLE]).replace('components:\n', `$&  securitySchemes: { key: ${JSON.stringify(scheme)} }\n`),
    );
    expect(all.map(({ cure, said }) => `${cure}: ${said.slice(0, 9)}`)).toEqual([
      'decision: name must',
      'edit: nullable ',
    ]);
  });

  test('lists the refusals of all operations and schemas, first those that no edit cures, and counts each kind', async () => {
    const yaml = contractOf(
      [
        'responses: { "200": { description: done } }',
        replies('text/*: { schema: { type: string } }'),
        replies('application/json: { schema: { $ref: "#/components/schemas/Schema0" } }'),
        `parameters: [{ name: a, in: cookie, schema: {} }], ${replies('application/json: { schema: {} }')}`,
        'responses: { "200": { description: done } }',
      ],
      [NULLABLE, '{ pattern: "(a+)+$" }', NULLABLE, NULLABLE, '{ format: colour }'],
    );
    const { message, all } = await refusalOf(yaml);
    const shown = message.split('\n');
    expect(shown.slice(0, 2)).toEqual([
      expect.stringMatching(
        /^openapi\.yaml:\d+:\d+, get \/things1: the media type text\/\* is not supported, as no range /,
      ),
      expect.stringMatching(/^openapi\.yaml:\d+:\d+, get \/things3: in must be path, query or header/),
    ]);
    expect(all.map(({ cure }) => cure).filter((each) => each === 'decision')).toHaveLength(2);
    const summary = shown.indexOf('openapi.yaml is refused in 9 places:');
    expect(summary).toBe(9);
    expect(shown.slice(summary + 1).map((line) => line.slice(0, 60))).toEqual([
      '  1 × the media type text/* is not supported, as no range of',
      '  1 × in must be path, query or header: cookies are not read',
      '  3 × nullable is not supported: write a list of types: type',
      '  2 × the service itself answers 400: declare 400 or default',
      expect.stringMatching(/^ {2}1 × /),
      expect.stringMatching(/^ {2}1 × /),
    ]);
    for (const line of shown.slice(0, summary))
      expect(line).toMatch(/^openapi\.yaml:\d+:\d+(?:, (?:get|GET) \/things\d)?: /);
  });

  test('lists the first hundred of more refusals, and says how many there are', async () => {
    const { message, all } = await refusalOf(
      contractOf(
        [],
        Array.from({ length: 130 }, () => NULLABLE),
      ),
    );
    const lines = message.split('\n');
    expect(lines.slice(99, 102)).toEqual([
      expect.stringMatching(/^openapi\.yaml:\d+:\d+: nullable is not supported/),
      'openapi.yaml is refused in 130 places, of which the first 100 are shown above:',
      expect.stringMatching(/^ {2}130 × nullable is not supported: .*, and its like$/),
    ]);
    expect([lines.length, all.length]).toEqual([102, 130]);
  });

  test('has only the line of a single refusal', async () => {
    const { message } = await refusalOf(contractOf([], [NULLABLE]));
    expect(message).toMatch(/^openapi\.yaml:\d+:\d+: nullable is not supported: write a list of types: .*$/);
  });

  test('lists a schema that cannot be read, and nothing of the operation that refers to it', async () => {
    const refers = replies('application/json: { schema: { $ref: "#/components/schemas/Schema0" } }');
    const schemas = ['{ properties: { a: { $ref: "#/components/schemas/Schema1" } } }', '{ properties: [] }'];
    const { all } = await refusalOf(contractOf([refers], schemas));
    expect(all.map(({ said }) => said)).toEqual(['properties must be a map of Schema Objects']);
  });

  test('lists the refusal of a schema once, when several operations use it', async () => {
    const refers = replies('application/json: { schema: { $ref: "#/components/schemas/Schema0" } }');
    const schema = '{ oneOf: [{ type: string }], discriminator: { propertyName: kind } }';
    const { all } = await refusalOf(contractOf([refers, refers, refers], [schema]));
    expect(all.map(({ said }) => said)).toEqual(['beside a discriminator, each branch must be a $ref']);
  });
});

describe('texts that are no contract', () => {
  const [GET, NEXT] = ['/things0', '  /things0:'];
  test.each<[string, string, string]>([
    [
      'paths that are a list',
      contractOf([]).replace('paths: {}\n', 'paths: []\n'),
      'paths must be a map of Path Item Objects',
    ],
    ['a path without an item', contractOf(['a: b']).replace(/ {4}get.*\n/, ''), `${GET} must be a Path Item Object`],
    [
      'an operation that is a text',
      contractOf([]).replace('paths: {}\n', `paths:\n${NEXT} { get: x }\n`),
      'get must be an Operation',
    ],
    ['servers that are a map', contractOf([], [], 'servers: {}\n'), 'servers must be a list of Server Objects'],
    ['a server that is a text', contractOf([], [], 'servers: [x]\n'), '0 must be a Server Object'],
    ['security that is a text', contractOf([replies('a/json: {}')], [], 'security: x\n'), 'security must be a list'],
    ['security that is a number', contractOf([DEFAULT], [], 'security: 3\n'), 'security must be a list'],
    [
      'a requirement that is a text',
      contractOf([DEFAULT], [], 'security: [x]\n'),
      '0 must be a Security Requirement Object: write a map of its fields there',
    ],
    [
      'scopes that are a text',
      contractOf([replies('application/json: { schema: {} }')], [], 'security: [{ a: x }]\n'),
      'must be array',
    ],
    [
      'components that are a list',
      contractOf([]).replace(/components:[^]*/, 'components: []\n'),
      'components must be a Components Object',
    ],
    ['a parameter that is a number', contractOf([`parameters: [7], ${replies('')}`]), '0 must be a Parameter Object'],
    [
      'a parameter without a place',
      contractOf([`parameters: [{ name: a, schema: {} }], ${replies('')}`]),
      "must have required property 'in'",
    ],
    [
      'examples that are texts',
      contractOf([replies('application/json: { schema: {}, examples: [a] }')]),
      'must be object',
    ],
    ['a text in place of a document', 'openapi', 'must be OpenAPI 3.1'],
  ])('loadContract throws a ContractError, and no other error, for %s', async (_what, yaml, sentence) => {
    const error = await refusalOf(yaml);
    expect([error.name, error.message]).toEqual(['ContractError', expect.stringContaining(sentence)]);
  });
});

describe('kept contracts', () => {
  const yaml = (path: string) => contractOf([replies('application/json: { schema: {} }')]).replaceAll('/things', path);

  test('loadContract keeps the contracts of the last sixteen texts, which a service that starts again gets at once', async () => {
    const first = await loadContract(yaml('/first'));
    for (let other = 1; other < 16; other++) await loadContract(yaml(`/other${other}`));
    expect(await loadContract(yaml('/first'))).toBe(first);
    for (let other = 1; other <= 16; other++) await loadContract(yaml(`/other${other}`));
    expect(await loadContract(yaml('/first'))).not.toBe(first);
  });

  test('loadContract keeps a contract for one errorBody, and not for another', async () => {
    const [one, other] = [() => ({}), () => ({})];
    const first = await loadContract(yaml('/bodies'), one);
    expect(await loadContract(yaml('/bodies'), other)).not.toBe(first);
    expect(await loadContract(yaml('/bodies'), one)).toBe(first);
  });
});

describe('a response that operations share', () => {
  const sharing = (count: number, schema: string) => {
    const response = `{ description: x, headers: { X-At: { schema: { type: string } } }, content: { application/json: { schema: ${schema} } } }`;
    const responses = 'responses: { default: { $ref: "#/components/responses/Failure" } }';
    const all = contractOf(Array.from({ length: count }, () => responses));
    return all.replace('components:\n', `$&  responses: { Failure: ${response} }\n`);
  };

  test('is compiled once', () => {
    const [one, three] = [1, 3].map((count) => examine(sharing(count, '{ type: object }')));
    const replies = three?.operations.map((each) => each.replies.get('default'));
    expect(new Set(replies).size).toBe(1);
    expect(three?.compilers.reply.translation.names).toEqual(one?.compilers.reply.translation.names);
  });

  test('is refused at each of them', async () => {
    const { all } = await refusalOf(sharing(2, '{ properties: { error: { not: { const: 50000 } } } }'));
    expect(all.map(({ at }) => at)).toEqual([0, 1].map((n) => expect.stringMatching(`GET /things${n}$`)));
  });
});
