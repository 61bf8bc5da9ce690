import {
  type Case,
  GONE,
  MISSING,
  OK,
  RECEIVED,
  REFUSED,
  RENAMED,
  SENT,
  turned,
  UNCALLED,
  UNKNOWN,
  UNTOLD,
} from './schema-cases.ts';

/** An edit that is one difference. */
function edit(
  from: string,
  to: string,
  said: string,
  [there, back]: readonly [there: string, back: string],
  saidBack = turned(said),
): Case {
  return { from, to, there: [`${said}; ${there}`], back: [`${saidBack}; ${back}`] };
}

/** Prose, names and orders that mean nothing, and components that nothing refers to. */
const NO_DIFFERENCE = [
  ['tidy, security: []', 'tidy, security: [{ token: [] }, {}]'],
  ['\nsecurity: [{ token: [] }]', '\nsecurity: [{ other: [] }]'],
  ['X-Trace', 'x-trace'],
  ['title: Garden', 'title: Yard, description: x'],
  ['openapi: 3.1.0', 'openapi: 3.1.1'],
  ['name: { ', 'name: { title: A, description: B, deprecated: true, examples: [x], x-note: y, '],
  ['[herb, tree]', '[tree, herb]'],
  ['required: [name]', 'required: [name, name]'],
  ['allOf: [{ maxLength: 5 }, { minLength: 2 }]', 'allOf: [{ minLength: 2, title: A }, { maxLength: 5 }]'],
  ['    Short:', '    Unused: { type: string }\n    Short:'],
  ['# open', '\n        # open'],
];

/** Edits of what stands around schemas, of several differences, and of none. */
export const CONTRACT_CASES: readonly Case[] = [
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: User-Agent, in: header, schema: { maxLength: 3 } }\n',
    'POST /beds, header parameter user-agent: optional header parameter added',
    [REFUSED, REFUSED],
  ),
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: wet, in: query, schema: {} }\n',
    'POST /beds, query parameter wet: optional parameter added',
    [OK, REFUSED],
  ),
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: wet, in: query, required: true, schema: {} }\n',
    'POST /beds, query parameter wet: required parameter added',
    [REFUSED, REFUSED],
  ),
  edit(
    'name: dry, in: query',
    'name: dry, required: true, in: query',
    'POST /beds, query parameter dry: became required',
    [REFUSED, OK],
  ),
  edit(
    'name: dry, in: query',
    'name: dry, in: query, allowEmptyValue: true',
    'POST /beds, query parameter dry, allowEmptyValue: none → true',
    [UNKNOWN, UNKNOWN],
  ),
  edit(
    'query, schema: { type: boolean }',
    'query, schema: { type: [boolean, integer] }',
    'POST /beds, query parameter dry, type: "boolean" → ["boolean","integer"]',
    [OK, REFUSED],
  ),
  edit(
    'in: header, schema: { type: string',
    'in: header, schema: { maxLength: 9, type: string',
    'POST /beds, header parameter x-trace, maxLength: none → 9',
    [REFUSED, OK],
  ),
  edit(
    'tidy, ',
    'tidy, requestBody: { required: true, content: {} }, ',
    'POST /beds/tidy, request body: required body added',
    [REFUSED, REFUSED],
  ),
  edit('# body\n        required: true', '', 'POST /beds, request body: became optional', [OK, REFUSED]),
  edit('# sent', '\n          text/csv: {}', 'POST /beds, request body: text/csv added', [OK, REFUSED]),
  edit('# received', '\n            text/csv: {}', 'POST /beds, reply 200, body: text/csv added', [UNTOLD, GONE]),
  edit("Bed' } } # sent", "Bed' }, encoding: {} } # sent", 'POST /beds, request body, encoding: none → {}', [
    UNKNOWN,
    UNKNOWN,
  ]),
  edit(
    "        '404': {",
    "        '403': { $ref: '#/components/responses/Failure' }\n        '404': {",
    'POST /beds, reply 403: reply status added under another',
    [OK, OK],
    'POST /beds, reply 403: reply status of failure removed',
  ),
  edit(
    "        '404': {",
    "        '202': { description: later }\n        '404': {",
    'POST /beds, reply 202: reply status added',
    [UNTOLD, GONE],
    'POST /beds, reply 202: reply status of success removed',
  ),
  edit(
    '{ description: done } }',
    "{ description: done }, '404': { description: none } }",
    'POST /beds/tidy, reply 404: reply status added',
    [UNTOLD, OK],
    'POST /beds/tidy, reply 404: reply status of failure removed',
  ),
  edit(
    '{ description: done } }',
    '{ description: done }, default: { description: none } }',
    'POST /beds/tidy, reply default: reply status added',
    [UNTOLD, OK],
    'POST /beds/tidy, reply default: reply status of failure removed',
  ),
  edit(
    'done } }',
    'done, headers: { Age: { schema: {} } } } }',
    'POST /beds/tidy, reply 204, header age: reply header added',
    [OK, GONE],
  ),
  edit('ETag: { required: true,', 'ETag: {', 'POST /beds, reply 200, header etag: became optional', [MISSING, OK]),
  edit(
    'ETag: { required: true, schema: { type: string }',
    'etag: { required: true, schema: { type: integer }',
    'POST /beds, reply 200, header etag, type: "string" → "integer"',
    [UNTOLD, UNTOLD],
  ),
  edit(
    'done } }',
    'done, links: { again: { operationId: tidy } } } }',
    'POST /beds/tidy, reply 204, links: none → {"again":{"operationId":"tidy"}}',
    [UNKNOWN, UNKNOWN],
  ),
  edit(
    'components:',
    '  /weeds:\n    get: { operationId: weeds, responses: { default: { description: x } } }\ncomponents:',
    'GET /weeds: operation added',
    [OK, UNCALLED],
  ),
  edit(
    'operationId: createBed\n',
    'operationId: createBed\n      x-eov-allow-unknown-query-parameters: true\n      x-any: 1\n',
    'POST /beds, x-eov-allow-unknown-query-parameters: none → true',
    [UNKNOWN, UNKNOWN],
  ),
  edit('[{ url: / }]', "[{ url: '/{v}', variables: { v: { default: a } } }]", 'servers: ["/"] → ["/{v=a}"]', [
    UNCALLED,
    UNCALLED,
  ]),
  edit('operationId: createBed', 'operationId: addBed', 'POST /beds: "createBed" → "addBed"', [RENAMED, RENAMED]),
  edit('[{ url: / }]', '[{ url: / }, { url: /v1 }]', 'servers: ["/"] → ["/","/v1"]', [OK, UNCALLED]),
  edit('tidy, security: []', 'tidy', 'POST /beds/tidy, security: [] → [{"token":[]}]', [REFUSED, OK]),
  edit(
    '\nsecurity: [{ token: [] }]',
    '\nsecurity: [{ token: [] }, { key: [] }]',
    'POST /beds, security: [{"token":[]}] → [{"token":[]},{"key":[]}]',
    [OK, REFUSED],
  ),
  edit(
    '\nsecurity: [{ token: [] }]',
    '\nsecurity: [{ token: [write] }]',
    'POST /beds, security: [{"token":[]}] → [{"token":["write"]}]',
    [REFUSED, OK],
  ),
  edit('scheme: bearer, desc', 'scheme: basic, desc', 'POST /beds, security: changed', [REFUSED, REFUSED]),
  edit('tidy, ', 'tidy, requestBody: { content: {} }, ', 'POST /beds/tidy, request body: optional body added', [
    OK,
    REFUSED,
  ]),
  edit(
    'operationId: tidy,',
    'operationId: tidy, callbacks: { done: {} },',
    'POST /beds/tidy, callbacks: none → {"done":{}}',
    [UNKNOWN, UNKNOWN],
  ),
  edit('\npaths:', '\nwebhooks: { x-done: {} }\npaths:', 'the document, webhooks: none → {"x-done":{}}', [
    UNKNOWN,
    UNKNOWN,
  ]),
  {
    from: 'name: dry, in: query',
    to: 'name: dry, in: cookie',
    there: [
      `POST /beds, query parameter dry: parameter removed; ${REFUSED}`,
      `POST /beds, cookie parameter dry: optional parameter added; ${OK}`,
    ],
    back: [
      `POST /beds, cookie parameter dry: parameter removed; ${REFUSED}`,
      `POST /beds, query parameter dry: optional parameter added; ${OK}`,
    ],
  },
  {
    from: "        '404': {",
    to: "        '403': { description: no }\n        '404': {",
    there: [
      `POST /beds, reply 403: reply status added under another; ${OK}`,
      `POST /beds, reply 403, body: application/json removed; ${GONE}`,
    ],
    back: [
      `POST /beds, reply 403: reply status of failure removed; ${OK}`,
      `POST /beds, reply 403, body: application/json added; ${UNTOLD}`,
    ],
  },
  {
    from: 'properties: { in: { type: boolean }',
    to: 'required: [age], properties: { in: { type: boolean }, age: { type: integer }',
    there: [
      `${SENT}open.age: required property added; ${REFUSED}`,
      `${SENT}open.age.type: none → "integer"; ${REFUSED}`,
      `${RECEIVED}open.age: required property added; ${OK}`,
      `${RECEIVED}open.age.type: none → "integer"; ${OK}`,
    ],
    back: [`${SENT}open.age: property removed; ${REFUSED}`, `${RECEIVED}open.age: property removed; ${GONE}`],
  },
  {
    from: "schemas/Short' }",
    to: "schemas/Short', maxLength: 2 }",
    there: [
      `${SENT}referred.type: "string" → none; ${OK}`,
      `${SENT}referred.maxLength: 3 → 2; ${REFUSED}`,
      `${SENT}referred.allOf: [] → [{"$ref":"#/components/schemas/Short"}]; ${REFUSED}`,
      `${RECEIVED}referred.type: "string" → none; ${UNTOLD}`,
      `${RECEIVED}referred.maxLength: 3 → 2; ${OK}`,
      `${RECEIVED}referred.allOf: [] → [{"$ref":"#/components/schemas/Short"}]; ${OK}`,
    ],
    back: [
      `${SENT}referred.maxLength: 2 → 3; ${OK}`,
      `${SENT}referred.type: none → "string"; ${REFUSED}`,
      `${SENT}referred.allOf: [{"$ref":"#/components/schemas/Short"}] → []; ${OK}`,
      `${RECEIVED}referred.maxLength: 2 → 3; ${OK}`,
      `${RECEIVED}referred.type: none → "string"; ${OK}`,
      `${RECEIVED}referred.allOf: [{"$ref":"#/components/schemas/Short"}] → []; ${UNTOLD}`,
    ],
  },
  {
    from: '/beds/tidy',
    to: '/beds/tidied',
    there: [`POST /beds/tidy: operation removed; ${UNCALLED}`, `POST /beds/tidied: operation added; ${OK}`],
    back: [`POST /beds/tidied: operation removed; ${UNCALLED}`, `POST /beds/tidy: operation added; ${OK}`],
  },
  {
    from: '/beds/tidy',
    to: '/beds/{id}',
    there: [`POST /beds/tidy: operation removed; ${UNCALLED}`, `POST /beds/{id}: operation added; ${OK}`],
    back: [
      `POST /beds/{id}: operation removed; ${UNCALLED}`,
      `POST /beds/tidy: operation added over another; ${UNCALLED}`,
    ],
  },
  ...NO_DIFFERENCE.map(([from = '', to = '']): Case => ({ from, to, there: [], back: [] })),
];
