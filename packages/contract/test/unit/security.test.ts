import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../src/load.ts';
import type { SecurityScheme } from '../../src/schemes.ts';

const RESPONSES = `responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } }`;

/** A contract of operations with these requirements; one that is undefined has those of the root. */
function withSecurity(root: string | undefined, ...operations: readonly (string | undefined)[]): string {
  const lineOf = (security: string | undefined) => (security === undefined ? '' : `security: ${security}`);
  return `
openapi: 3.1.0
info: { title: Doors, version: 1.0.0 }
${lineOf(root)}
paths:
${operations
  .map(
    (security, index) => `
  /doors${index}:
    get:
      operationId: open${index}
      ${lineOf(security)}
      ${RESPONSES}`,
  )
  .join('')}
components:
  responses: { Failure: { description: it has failed, content: { application/json: { schema: { type: object } } } } }
  securitySchemes:
    userAuth: { type: http, scheme: bearer }
    adminAuth: { type: http, scheme: Bearer, bearerFormat: JWT }
    flowAuth: { type: oauth2, flows: { implicit: { authorizationUrl: https://id.example, scopes: { read: all } } } }
    idAuth: { type: openIdConnect, openIdConnectUrl: https://id.example }
    keyAuth: { type: apiKey, in: header, name: X-Api-Key }
`;
}

const USER = '[{ userAuth: [] }]';
const ADMIN = '[{ adminAuth: [] }]';
const BOTH = '[{ userAuth: [] }, { adminAuth: [] }]';

describe('security schemes', () => {
  test.each<[string | undefined, (string | undefined)[], string]>([
    [undefined, [USER, '[{ keyAuth: [] }]'], '/doors0: a token of userAuth cannot be told from one of keyAuth'],
    [undefined, [USER, ADMIN], '/doors0: a token of userAuth cannot be told from one of adminAuth'],
    [USER, [undefined, ADMIN], 'a token of userAuth cannot be told from one of adminAuth'],
    [undefined, [BOTH, ADMIN], '/doors1: a token of adminAuth cannot be told from one of userAuth'],
    [undefined, ['[{}, { userAuth: [] }]', ADMIN], '/doors0: a token of userAuth cannot be told from one of adminAuth'],
    [undefined, ['[{ userAuth: [read] }, { adminAuth: [] }]'], '/doors0: a token of userAuth cannot be told'],
    [undefined, ['[{ userAuth: [read, list] }, { adminAuth: [read] }]'], 'name one scheme everywhere, and tell tokens'],
    [
      undefined,
      ['[{ adminAuth: [], userAuth: [] }]'],
      'a request has one token, not one of each of adminAuth, userAuth',
    ],
    [BOTH, [undefined, '[{ adminAuth: [a], userAuth: [b] }]'], '/doors1: a request has one token, not one of each'],
  ])(
    'the service refuses to start for schemes whose tokens it cannot tell apart: %s at the root, %j',
    async (root, operations, sentence) => {
      const loaded = loadContract(withSecurity(root, ...operations));
      await expect(loaded).rejects.toThrow(expect.objectContaining({ name: 'ContractError' }));
      await expect(loaded).rejects.toThrow(sentence);
    },
  );
});

test.each<[string | undefined, (string | undefined)[]]>([
  [undefined, [USER, '[{ userAuth: [admin] }]', undefined, '[]']],
  // What the root demands counts where no operation says otherwise.
  [ADMIN, [USER]],
  [undefined, [BOTH, '[{ adminAuth: [] }, {}, { userAuth: [] }]', '[]']],
  [BOTH, [undefined, '[{ userAuth: [a, b] }, { adminAuth: [b, a] }]']],
])('the service accepts the schemes %s at the root, %j', async (root, operations) => {
  await expect(loadContract(withSecurity(root, ...operations))).resolves.toBeDefined();
});

test.each<[string | undefined, string | undefined, object]>([
  [undefined, undefined, { security: [], anonymous: true }],
  [undefined, '[{}]', { security: [], anonymous: true }],
  [USER, '[]', { security: [], anonymous: true }],
  [USER, '[{}]', { security: [], anonymous: true }],
  [USER, undefined, { security: [[]], anonymous: false, carriers: ['Authorization'] }],
  ['[{ flowAuth: [read] }]', undefined, { security: [['read']], anonymous: false, carriers: ['Authorization'] }],
  ['[{ idAuth: [] }]', undefined, { security: [[]], anonymous: false, carriers: ['Authorization'] }],
  ['[{ keyAuth: [read] }]', undefined, { security: [['read']], anonymous: false, carriers: ['X-Api-Key'] }],
  [
    '[{ idAuth: [] }, { keyAuth: [] }, {}]',
    undefined,
    { security: [[], []], anonymous: true, carriers: ['Authorization', 'X-Api-Key'] },
  ],
  [USER, '[{}, { userAuth: [a, b] }]', { security: [['a', 'b']], anonymous: true }],
  ['[{ userAuth: [a] }, {}]', undefined, { security: [['a']], anonymous: true }],
  ['[{ userAuth: [a] }, {}]', USER, { security: [[]], anonymous: false }],
])('an operation demands, with %s at the root and its own %s: %j', async (root, own, demand) => {
  const { operations } = await loadContract(withSecurity(root, own));
  expect(operations).toEqual([expect.objectContaining(demand)]);
});

test('the service refuses to start for an operation with an optional token that does not declare 401', async () => {
  const declared = ['400', '403', '429', '500', '503'].map(
    (status) => `'${status}': { $ref: '#/components/responses/Failure' }`,
  );
  const yaml = withSecurity(undefined, '[{}, { userAuth: [] }]').replace(/default: \{.*?\}/, declared.join(', '));
  await expect(loadContract(yaml)).rejects.toThrow('the service itself answers 401: declare 401 or default');
});

const OF_TYPE: Readonly<Record<SecurityScheme['type'], readonly [name: string, carrier: string]>> = {
  http: ['userAuth', 'Authorization'],
  oauth2: ['flowAuth', 'Authorization'],
  openIdConnect: ['idAuth', 'Authorization'],
  apiKey: ['keyAuth', 'X-Api-Key'],
};

test.each(Object.entries(OF_TYPE))('a token of a scheme of type %s has a carrier: %j', async (_, [name, carrier]) => {
  const { operations } = await loadContract(withSecurity(`[{ ${name}: [] }]`, undefined));
  expect(operations.map(({ carriers }) => carriers)).toEqual([[carrier]]);
});
