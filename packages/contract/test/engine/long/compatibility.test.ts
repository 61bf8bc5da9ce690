import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../../tools/compatibility/compare.ts';
import { linesOf, RULES, type RuleName } from '../../../tools/compatibility/rules.ts';
import { loadContract } from '../../../src/load.ts';

const FAILURE = "{ $ref: '#/components/responses/Failure' }";
const POTS = `
openapi: 3.1.0
info: { title: Pots, version: 1.0.0 }
servers: [{ url: / }]
security: [{ token: [] }]
paths:
  /pots/{id}:
    put:
      operationId: putPot
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: X-Trace, in: header, schema: { type: string, enum: [a, b] } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pot' } } } }
      responses:
        '200':
          description: the pot
          headers: { ETag: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Pot' } } }
        '400': ${FAILURE}
        '401': ${FAILURE}
        '403': ${FAILURE}
        '429': ${FAILURE}
        '500': ${FAILURE}
        '503': ${FAILURE}
        default: ${FAILURE}
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  responses:
    Failure:
      description: it has failed
      content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
  schemas:
    Error: { type: object, properties: { error: { x-error-numbers: { '40001': dry } } } }
    Pot:
      type: object
      additionalProperties: false
      properties:
        size: { type: integer, minimum: 1 }
        name: { type: string, maxLength: 9 }
        code: { oneOf: [{ type: integer, format: int32 }, { type: boolean }] }
        rank: { type: string, default: first }
        open: { type: object, properties: { by: { type: string } } }
        short: { $ref: '#/components/schemas/Short' }
        deep: { allOf: [{ oneOf: [{ $ref: '#/components/schemas/Deep' }, { type: boolean }] }] }
        form: { enum: [{ title: round }] }
        free: { type: string, not: { maxLength: 2 } }
        tags: { type: object, additionalProperties: true, propertyNames: { maxLength: 4 } }
    Short: { type: string, maxLength: 3 }
    Deep: { type: string, maxLength: 5 }
`;
const tidyAt = (path: string, parameters = '') => `
  ${path}:
    post: { operationId: tidy, parameters: [${parameters}], responses: { '204': { description: done }, default: ${FAILURE} } }`;
const TIDY_KIND = tidyAt('/p{kind}/tidy', '{ name: kind, in: path, required: true, schema: { type: string } }');

type Edit = readonly [from: string, to: string, forth: readonly RuleName[], back: readonly RuleName[]];
const looked = [['any other difference'], ['any other difference']] as const satisfies RuleName[][];

/** Edits of POTS, with the rules that apply to them and to their reverse. */
const EDITS: readonly Edit[] = [
  ['maxLength: 9', 'maxLength: 10', ['other messages'], ['request refused', 'reply narrowed']],
  [
    '{ type: string, maxLength: 9 }',
    '{ type: [string, "null"], maxLength: 9 }',
    ['other messages', 'reply not declared'],
    ['request refused', 'reply narrowed'],
  ],
  [
    '{ type: string, maxLength: 9 }',
    '{ anyOf: [{ type: string, maxLength: 9 }, { type: "null" }] }',
    ['other messages', 'reply not declared'],
    ['request refused', 'reply narrowed'],
  ],
  [
    '{ type: string, maxLength: 9 }',
    '{ type: string, maxLength: 9, not: { enum: [root] } }',
    ['request refused', 'reply narrowed'],
    ['other messages', 'reply not declared'],
  ],
  ['maxLength: 5', 'maxLength: 6', ['other messages'], ['request refused', 'reply narrowed']],
  [
    '{ title: round }',
    '{ title: square }',
    ['request refused', 'reply not declared', 'reply narrowed'],
    ['request refused', 'reply not declared', 'reply narrowed'],
  ],
  ['int32', 'int64', ['other messages', 'reply not declared'], ['request refused', 'reply narrowed']],
  [
    '      properties:\n',
    '      properties:\n        more: {}\n',
    ['other messages'],
    ['member of requests removed', 'request refused', 'member of replies removed'],
  ],
  [
    'properties: { by: { type: string } }',
    'properties: {}',
    ['member of requests removed', 'member of replies removed', 'reply not declared', 'other members kept'],
    ['request refused', 'reply narrowed', 'other members of requests left out', 'other members of replies left out'],
  ],
  [
    'by: { type: string } }',
    'by: { type: string } }, additionalProperties: true',
    ['other members kept'],
    ['other members of requests left out', 'other members of replies left out'],
  ],
  [
    '        name: { type: string, maxLength: 9 }',
    '        title: { type: string, maxLength: 9 }',
    ['member renamed'],
    ['member renamed'],
  ],
  // Either of the two new members could be the renamed one.
  [
    '        name: { type: string, maxLength: 9 }',
    '        one: { type: string, maxLength: 9 }\n        other: { type: string, maxLength: 9 }',
    ['member of requests removed', 'request refused', 'member of replies removed'],
    ['member of requests removed', 'request refused', 'member of replies removed'],
  ],
  ['headers: { ETag: { schema: { type: string } } }', 'headers: {}', ['member of replies removed'], ['other messages']],
  ['default: first', 'default: last', ['default changed'], ['default changed']],
  ["'40001': dry", "'40001': dry, '40002': wet", ['error number added'], ['error number removed']],
  ["'40001': dry", "'40001': wet", ['error number changed'], ['error number changed']],
  [
    '        - { name: X-Trace, in: header, schema: { type: string, enum: [a, b] } }\n',
    '',
    ['header parameter removed'],
    ['request refused'],
  ],
  ['\ncomponents:', `${tidyAt('/vases')}\ncomponents:`, ['operation added'], ['operation removed']],
  ['\ncomponents:', `${tidyAt('/pots/tidy')}\ncomponents:`, ['operation added'], ['operation removed']],
  [
    '\ncomponents:',
    `${tidyAt('/pots/tidy').replace('post:', 'put:')}\ncomponents:`,
    ['requests of another operation taken'],
    ['operation removed'],
  ],
  ['\ncomponents:', `${TIDY_KIND}\ncomponents:`, ['operation added'], ['operation removed']],
  ['paths:', `paths:${TIDY_KIND.replace('/p{', '/q{')}`, ['operation added'], ['operation removed']],
  ['paths:', `paths:${TIDY_KIND}`, ['operation added'], ['operation removed']],
  [
    '/pots/{id}:\n    put:\n      operationId: putPot\n      parameters:\n        - { name: id,',
    '/pots/{pot}:\n    put:\n      operationId: putPot\n      parameters:\n        - { name: pot,',
    ['path parameter renamed'],
    ['path parameter renamed'],
  ],
  [
    '/pots/{id}:\n    put:\n      operationId: putPot\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }',
    '/pots/{pot}:\n    parameters:\n      - { name: pot, in: path, required: true, schema: { type: integer, format: int64, minimum: 1 } }\n    put:\n      operationId: putPot\n      parameters:',
    ['path parameter renamed', 'request refused'],
    ['path parameter renamed', 'other messages'],
  ],
  ['operationId: putPot', 'operationId: putPot\n      deprecated: true', ['deprecated'], ['deprecated']],
  ['operationId: putPot', 'operationId: setPot', ['operationId changed'], ['operationId changed']],
  ['[{ url: / }]', '[{ url: / }, { url: https://pots.example/ }]', ['server added'], ['server removed']],
  ['[{ url: / }]', '[{ url: /pots }, { url: / }]', ['server removed'], ['server removed']],
  ['[{ url: / }]', '[{ url: "/{v}", variables: { v: { default: "" } } }]', [], []],
  [
    '[{ token: [] }]',
    '[{ token: [write] }]',
    ['security added or changed'],
    ['security removed or an alternative added'],
  ],
  [
    '[{ token: [] }]',
    '[{ token: [] }, {}]',
    ['security removed or an alternative added'],
    ['security added or changed'],
  ],
  [
    'operationId: putPot',
    'operationId: putPot\n      x-max-body-bytes: 9000',
    ['limit of a body lowered'],
    ['limit of a body raised'],
  ],
  [
    "        '200':",
    `        '404': ${FAILURE}\n        '200':`,
    ['failure status added to a default reply'],
    ['reply status of failure removed'],
  ],
  [
    "        '200':",
    "        '202': { description: later }\n        '200':",
    ['reply status added'],
    ['reply status of success removed'],
  ],
  [`        default: ${FAILURE}\n`, '', ['default reply removed'], ['reply status added']],
  [
    "content: { application/json: { schema: { $ref: '#/components/schemas/Pot' } } }\n        ",
    "content: { application/hal+json: { schema: { $ref: '#/components/schemas/Pot' } } }\n        ",
    ['media type of a reply changed'],
    ['media type of a reply changed'],
  ],
  ['required: true, content', 'required: false, content', ['other messages'], ['request refused']],
  // The schemas differ, and mean the same.
  [
    "short: { $ref: '#/components/schemas/Short' }",
    "short: { allOf: [{ $ref: '#/components/schemas/Short' }] }",
    ...looked,
  ],
  ['minimum: 1', 'exclusiveMinimum: 0', ...looked],
  ['oneOf', 'anyOf', ...looked],
  // Nothing changes but prose, names and orders.
  ['title: Pots', 'title: Vases, description: x', [], []],
  ['[a, b]', '[b, a]', [], []],
];

/** The open object of POTS as two members, the second of which may have one member fewer. */
const twice = (other: string) =>
  POTS.replace(
    'open: { type: object, properties: { by: { type: string } } }',
    `one: { $ref: '#/components/schemas/By' }\n        other: { $ref: '#/components/schemas/${other}' }`,
  ).concat(
    '    By: { type: object, properties: { by: { type: string } } }\n    None: { type: object, properties: { at: { type: string } } }\n',
  );

const seen = new Set<RuleName>();
const pots = await loadContract(POTS);

describe('compareContracts', () => {
  test.each(EDITS)('judges the edit %s → %s, and its reverse', async (from, to, forth, back) => {
    expect(POTS.split(from).length).toBeGreaterThan(1);
    const other = await loadContract(POTS.replace(from, () => to));
    for (const [differences, rules] of [
      [compareContracts(pots, other), forth],
      [compareContracts(other, pots), back],
    ] as const) {
      const found = new Set(differences.map(({ rule }) => rule));
      for (const rule of found) seen.add(rule);
      expect([...found].sort()).toEqual(rules.toSorted());
    }
  });

  test('sees a member that goes where a schema is used for the second time', async () => {
    const [was, is] = [await loadContract(twice('By')), await loadContract(twice('None'))];
    const gone = compareContracts(was, is).filter(({ rule }) => rule === 'member of requests removed');
    expect(gone).toEqual([expect.objectContaining({ rule: 'member of requests removed' })]);
  });

  const OPEN = 'open: { type: object, properties: { by: { type: string } } }';
  const INNER = '{ type: object, properties: { at: { type: string }, by: { type: string } } }';
  test.each([
    ...['allOf: [INNER]', 'anyOf: [INNER, { type: boolean }]', 'oneOf: [INNER, { type: boolean }]'],
    'type: object, properties: { k: {} }, dependentSchemas: { k: INNER }',
    'type: object, properties: { k: {} }, if: { required: [k] }, then: INNER',
    'type: object, properties: { k: {} }, if: { required: [k] }, else: INNER',
    ...['properties: { in: INNER }', 'patternProperties: { "^x": INNER }', 'additionalProperties: INNER'],
    'unevaluatedProperties: INNER',
    'patternProperties: { "^x": INNER }, additionalProperties: { type: string }',
    'properties: { in: { type: string } }, additionalProperties: { anyOf: [{ type: string }, INNER] }',
    'additionalProperties: { type: array, items: INNER }',
    ...['items: INNER', 'prefixItems: [INNER]', 'prefixItems: [{ type: string }, INNER], items: { type: string }'],
  ])('sees a member that goes from an object in { %s }', async (held) => {
    const of = (inner: string) => {
      const type = held.includes('type: object') || /Of|tems/.test(held) ? '' : 'type: object, ';
      const array = /^(?:prefixI|i)tems/.test(held) ? 'type: array, ' : type;
      return loadContract(POTS.replace(OPEN, () => `open: { ${array}${held.replace('INNER', () => inner)} }`));
    };
    const [was, is] = await Promise.all([INNER, INNER.replace(', by: { type: string }', '')].map(of));
    const rules = compareContracts(was ?? pots, is ?? pots).map(({ rule, what }) => `${rule}: ${what}`);
    expect(rules).toContainEqual(expect.stringMatching(/^member of requests removed: open.*\bby$/));
    expect(rules).toContainEqual(expect.stringMatching(/^member of replies removed: body\.open.*\.by$/));
    expect(compareContracts(was ?? pots, was ?? pots)).toEqual([]);
  });

  test('sees the default of a member of a map that changes, and of the first item', async () => {
    const of = (value: string) =>
      loadContract(
        POTS.replace(
          OPEN,
          () => `open: { type: object, additionalProperties: { type: object, properties: { by: { type: string, default: ${value} } } } }
        list: { type: array, prefixItems: [{ type: object, properties: { by: { type: string, default: ${value} } } }] }`,
        ),
      );
    const found = compareContracts(await of('a'), await of('b')).filter(({ rule }) => rule === 'default changed');
    expect(found.map(({ where }) => where).join()).toMatch(/open\{\}\.by.*list\[0\]\.by/);
  });

  test('sees a member that goes from an object in the query', async () => {
    const filter = (names: string) =>
      POTS.replace(
        '{ name: X-Trace,',
        () => `{ name: filter, in: query, style: deepObject, explode: true, schema: { type: object, properties: { ${names} } } }
        - { name: X-Trace,`,
      );
    const [was, is] = ['a: { type: string }, b: { type: string }', 'a: { type: string }'].map(filter);
    const found = compareContracts(await loadContract(was ?? ''), await loadContract(is ?? ''));
    expect(found.map(({ rule }) => rule)).toContain('member of requests removed');
  });

  test.each<[was: string, is: string, forth: readonly RuleName[], back: readonly RuleName[]]>([
    ['text/csv: { schema: { type: string } }', 'text/csv: {}', ...looked],
    [
      'text/csv: { schema: { type: string, format: binary } }',
      'text/csv: { schema: { type: string } }',
      ['request refused', 'media type of a reply changed'],
      ['other messages', 'media type of a reply changed'],
    ],
    [
      'image/png: { schema: { type: string, maxLength: 9 } }',
      'image/png: { schema: { type: string, maxLength: 8 } }',
      ['request refused', 'reply narrowed'],
      ['other messages'],
    ],
    [
      'image/png: {}',
      'image/gif: {}',
      ['request refused', 'media type of a reply changed'],
      ['request refused', 'media type of a reply changed'],
    ],
  ])('judges a body of %s that becomes %s, and back', async (was, is, forth, back) => {
    const json = "content: { application/json: { schema: { $ref: '#/components/schemas/Pot' } } }";
    const [before, after] = await Promise.all(
      [was, is].map((each) => loadContract(POTS.replaceAll(json, `content: { ${each} }`))),
    );
    for (const [one, other, rules] of [
      [before, after, forth],
      [after, before, back],
    ] as const) {
      const found = new Set(compareContracts(one ?? pots, other ?? pots).map(({ rule }) => rule));
      expect([...found].sort()).toEqual(rules.toSorted());
    }
  });

  test('shows the message that breaks clients, and why', async () => {
    const other = await loadContract(POTS.replace('minimum: 1', 'minimum: 2'));
    expect(linesOf(compareContracts(pots, other))).toEqual([
      'PUT /pots/{id}, request: /pots/1 {"size":1} is refused: body.size must be at least 2; breaks clients: the service refuses what they may send today',
      'PUT /pots/{id}, reply 200: stored rows may break this reply, as body.size must be at least 2: run `export - | import --dry-run -`; compatible',
    ]);
  });

  test('calls a path parameter renamed, and no operation removed', async () => {
    const other = await loadContract(POTS.replace('/pots/{id}', '/pots/{pot}').replace('name: id,', 'name: pot,'));
    expect(linesOf(compareContracts(pots, other))).toEqual([
      '/pots/{pot}: "/pots/{id}" → "/pots/{pot}"; breaks clients: generated code uses the old name',
    ]);
  });

  test('reports a renamed member once, and each other change', async () => {
    const other = await loadContract(
      POTS.replace('        name: {', '        title: {').replace('minimum: 1', 'minimum: 2'),
    );
    expect(linesOf(compareContracts(pots, other))).toEqual([
      expect.stringContaining('body.size must be at least 2; breaks clients'),
      expect.stringContaining('body.size must be at least 2: run `export - | import --dry-run -`; compatible'),
      '#/components/schemas/Pot: "name" → "title"; breaks clients: they send or read the old name',
    ]);
    const bank = readFileSync(new URL('../../../../../examples/bank/openapi.yaml', import.meta.url), 'utf8');
    const renamed = bank.replaceAll('owner: { $ref', 'holder: { $ref').replaceAll('[id, owner,', '[id, holder,');
    const found = compareContracts(await loadContract(bank), await loadContract(renamed));
    expect(linesOf(found)).toEqual([
      '#/components/schemas/NewAccount; #/components/schemas/Account; #/components/schemas/AccountPatch: "owner" → "holder"; breaks clients: they send or read the old name',
    ]);
  });

  test('names each value that a nested enum has lost, also beside a compatible change', async () => {
    const values = Array.from({ length: 250 }, (_, index) => `v${index}`);
    const withList = async (list: readonly string[], more: string) => {
      const member = `open: { type: object, properties: { in: { type: object, properties: { at: { enum: [${list.join()}] } } } } }`;
      return await loadContract(POTS.replace(/open: .*/, member + more));
    };
    const was = await withList(values, '');
    for (const lost of ['v0', 'v100', 'v249']) {
      const is = await withList(
        values.filter((each) => each !== lost),
        '\n        more: { type: string, maxLength: 5 }',
      );
      expect(linesOf(compareContracts(was, is)).join('\n')).toContain(`{"open":{"in":{"at":"${lost}"}}} is refused`);
    }
  });

  test('reports an operation that takes requests of another one by its method, also of HEAD, and no order of paths', async () => {
    const first = await loadContract(POTS.replace('paths:', `paths:${TIDY_KIND}`));
    const last = await loadContract(POTS.replace('\ncomponents:', `${TIDY_KIND}\ncomponents:`));
    const taken = (where: string) => [{ rule: 'requests of another operation taken', where, what: expect.any(String) }];
    const added = await loadContract(
      POTS.replace('\ncomponents:', `${tidyAt('/pots/tidy').replace('post:', 'put:')}\ncomponents:`),
    );
    expect([compareContracts(last, first), compareContracts(first, last)]).toEqual([[], []]);
    expect(compareContracts(pots, added)).toEqual(taken('PUT /pots/tidy'));
    const see = (method: string, path: string) =>
      tidyAt(path, path.includes('{') ? '{ name: id, in: path, required: true, schema: { type: string } }' : '')
        .replace('post:', `${method}:`)
        .replace('tidy,', `${method}${path.length},`);
    const beside = (...others: string[]) =>
      loadContract(POTS.replace('\ncomponents:', () => `${others.join('')}\ncomponents:`));
    // The operation of GET answers HEAD where no other one does.
    const [get, head] = [see('get', '/vases'), see('head', '/vases').replace('  /vases:', '')];
    expect(compareContracts(await beside(get), await beside(get + head))).toEqual(taken('HEAD /vases'));
    const [any, one] = [see('get', '/vases/{id}'), see('head', '/vases/one')];
    expect(compareContracts(await beside(any), await beside(any, one))).toEqual(taken('HEAD /vases/one'));
    expect(compareContracts(await beside(any), await beside(any, see('head', '/jars')))).toEqual([
      expect.objectContaining({ rule: 'operation added' }),
    ]);
  });

  test('reports the same change of replies that operations share in one line', async () => {
    const other = await loadContract(POTS.replace("'40001': dry", "'40001': dry, '40002': wet"));
    expect(linesOf(compareContracts(pots, other))).toEqual(['error 40002: none → "wet"; compatible']);
  });

  test('applies each rule to at least one of these edits', () => {
    expect([...seen].sort()).toEqual(Object.keys(RULES).sort());
  });
});

test('packages/contract/docs/releasing.md has the rules of compatibility', () => {
  const [, section = ''] = readFileSync(new URL('../../../docs/releasing.md', import.meta.url), 'utf8').split(
    '## What breaks clients',
  );
  const told = [...section.matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
  const cell = (verdict: string) => (/^(compatible|look at it)$/.test(verdict) ? verdict : 'breaks');
  expect(told.slice(2)).toEqual(
    Object.entries(RULES).map(([name, { verdict, because }]) => [name, cell(verdict), because]),
  );
});
