import type { Case } from './verdicts.ts';
import { edit, GONE, MISSING, OK, RECEIVED, REFUSED, RENAMED, SENT, UNCALLED, UNKNOWN, UNTOLD } from './verdicts.ts';

/** Edits of what is not exchanged, those of schemas that say several things, and those that say nothing. */
export const CONTRACT_CASES: readonly Case[] = [
  edit(
    '[name]\n',
    '[name]\n      if: {}\n',
    [`${SENT}if: none → {}; ${UNKNOWN}`, `${RECEIVED}if: none → {}; ${UNKNOWN}`],
    [`${SENT}if: {} → none; ${UNKNOWN}`, `${RECEIVED}if: {} → none; ${UNKNOWN}`],
  ),
  edit(
    'properties: { in: { type: boolean }',
    'required: [age], properties: { in: { type: boolean }, age: { type: integer }',
    [
      `${SENT}open.age: required property added; ${REFUSED}`,
      `${SENT}open.age.type: none → "integer"; ${REFUSED}`,
      `${RECEIVED}open.age: required property added; ${OK}`,
      `${RECEIVED}open.age.type: none → "integer"; ${OK}`,
    ],
    [`${SENT}open.age: property removed; ${REFUSED}`, `${RECEIVED}open.age: property removed; ${GONE}`],
  ),
  edit(
    'patternProperties:',
    'properties: { xx: {} }, patternProperties:',
    [
      `${SENT}patterned.xx: property added, beside patternProperties; ${UNKNOWN}`,
      `${RECEIVED}patterned.xx: property added, beside patternProperties; ${UNKNOWN}`,
    ],
    [`${SENT}patterned.xx: property removed; ${REFUSED}`, `${RECEIVED}patterned.xx: property removed; ${GONE}`],
  ),
  edit(
    "schemas/Short' }",
    "schemas/Short', maxLength: 2 }",
    [
      `${SENT}referred.type: "string" → none; ${OK}`,
      `${SENT}referred.maxLength: 3 → 2; ${REFUSED}`,
      `${SENT}referred.allOf: [] → [{"$ref":"#/components/schemas/Short"}]; ${REFUSED}`,
      `${RECEIVED}referred.type: "string" → none; ${UNTOLD}`,
      `${RECEIVED}referred.maxLength: 3 → 2; ${OK}`,
      `${RECEIVED}referred.allOf: [] → [{"$ref":"#/components/schemas/Short"}]; ${OK}`,
    ],
    [
      `${SENT}referred.maxLength: 2 → 3; ${OK}`,
      `${SENT}referred.type: none → "string"; ${REFUSED}`,
      `${SENT}referred.allOf: [{"$ref":"#/components/schemas/Short"}] → []; ${OK}`,
      `${RECEIVED}referred.maxLength: 2 → 3; ${OK}`,
      `${RECEIVED}referred.type: none → "string"; ${OK}`,
      `${RECEIVED}referred.allOf: [{"$ref":"#/components/schemas/Short"}] → []; ${UNTOLD}`,
    ],
  ),
  edit(
    'components:',
    '  /weeds:\n    get: { operationId: weeds, responses: { default: { description: x } } }\ncomponents:',
    [`GET /weeds: operation added; ${OK}`],
    [`GET /weeds: operation removed; ${UNCALLED}`],
  ),
  edit(
    '/beds/tidy',
    '/beds/tidied',
    [`POST /beds/tidy: operation removed; ${UNCALLED}`, `POST /beds/tidied: operation added; ${OK}`],
    [`POST /beds/tidied: operation removed; ${UNCALLED}`, `POST /beds/tidy: operation added; ${OK}`],
  ),
  edit(
    '/beds/tidy',
    '/beds/{id}',
    [`POST /beds/tidy: operation removed; ${UNCALLED}`, `POST /beds/{id}: operation added; ${OK}`],
    [`POST /beds/{id}: operation removed; ${UNCALLED}`, `POST /beds/tidy: operation added over another; ${UNCALLED}`],
  ),
  edit(
    '{ title: [in] }',
    '{ title: [in, up] }',
    [
      `${SENT}open.dependentRequired: {"title":["in"]} → {"title":["in","up"]}; ${UNKNOWN}`,
      `${RECEIVED}open.dependentRequired: {"title":["in"]} → {"title":["in","up"]}; ${UNKNOWN}`,
    ],
    [
      `${SENT}open.dependentRequired: {"title":["in","up"]} → {"title":["in"]}; ${UNKNOWN}`,
      `${RECEIVED}open.dependentRequired: {"title":["in","up"]} → {"title":["in"]}; ${UNKNOWN}`,
    ],
  ),
  edit(
    'open: { type: object,',
    'open: { type: object, required: [up],',
    [`${SENT}open.up: became required; ${REFUSED}`, `${RECEIVED}open.up: became required; ${OK}`],
    [`${SENT}open.up: became optional; ${OK}`, `${RECEIVED}open.up: became optional; ${MISSING}`],
  ),
  edit(
    'operationId: createBed\n',
    'operationId: createBed\n      x-eov-allow-unknown-query-parameters: true\n      x-any: 1\n',
    [`POST /beds, x-eov-allow-unknown-query-parameters: none → true; ${UNKNOWN}`],
    [`POST /beds, x-eov-allow-unknown-query-parameters: true → none; ${UNKNOWN}`],
  ),
  edit(
    '[{ url: / }]',
    "[{ url: '/{v}', variables: { v: { default: a } } }]",
    [`servers: ["/"] → ["/{v=a}"]; ${UNCALLED}`],
    [`servers: ["/{v=a}"] → ["/"]; ${UNCALLED}`],
  ),
  edit(
    'operationId: createBed',
    'operationId: addBed',
    [`POST /beds: "createBed" → "addBed"; ${RENAMED}`],
    [`POST /beds: "addBed" → "createBed"; ${RENAMED}`],
  ),
  edit(
    '[{ url: / }]',
    '[{ url: / }, { url: /v1 }]',
    [`servers: ["/"] → ["/","/v1"]; ${OK}`],
    [`servers: ["/","/v1"] → ["/"]; ${UNCALLED}`],
  ),
  edit(
    'tidy, security: []',
    'tidy',
    [`POST /beds/tidy, security: [] → [{"token":[]}]; ${REFUSED}`],
    [`POST /beds/tidy, security: [{"token":[]}] → []; ${OK}`],
  ),
  edit('tidy, security: []', 'tidy, security: [{ token: [] }, {}]', [], []),
  edit(
    '\nsecurity: [{ token: [] }]',
    '\nsecurity: [{ token: [] }, { key: [] }]',
    [`POST /beds, security: [{"token":[]}] → [{"token":[]},{"key":[]}]; ${OK}`],
    [`POST /beds, security: [{"token":[]},{"key":[]}] → [{"token":[]}]; ${REFUSED}`],
  ),
  edit('\nsecurity: [{ token: [] }]', '\nsecurity: [{ other: [] }]', [], []),
  edit(
    '\nsecurity: [{ token: [] }]',
    '\nsecurity: [{ token: [write] }]',
    [`POST /beds, security: [{"token":[]}] → [{"token":["write"]}]; ${REFUSED}`],
    [`POST /beds, security: [{"token":["write"]}] → [{"token":[]}]; ${OK}`],
  ),
  edit(
    'scheme: bearer, desc',
    'scheme: basic, desc',
    [`POST /beds, security: changed; ${REFUSED}`],
    [`POST /beds, security: changed; ${REFUSED}`],
  ),
  edit('X-Trace', 'x-trace', [], []),
  edit(
    'tidy, ',
    'tidy, requestBody: { content: {} }, ',
    [`POST /beds/tidy, request body: optional body added; ${OK}`],
    [`POST /beds/tidy, request body: body removed; ${REFUSED}`],
  ),
  edit(
    'operationId: tidy,',
    'operationId: tidy, callbacks: { done: {} },',
    [`POST /beds/tidy, callbacks: none → {"done":{}}; ${UNKNOWN}`],
    [`POST /beds/tidy, callbacks: {"done":{}} → none; ${UNKNOWN}`],
  ),
  edit(
    '\npaths:',
    '\nwebhooks: { x-done: {} }\npaths:',
    [`the document, webhooks: none → {"x-done":{}}; ${UNKNOWN}`],
    [`the document, webhooks: {"x-done":{}} → none; ${UNKNOWN}`],
  ),
  // Prose, and what nothing refers to.
  edit('title: Garden', 'title: Yard, description: x', [], []),
  edit('openapi: 3.1.0', 'openapi: 3.1.1', [], []),
  edit('name: { ', 'name: { title: A, description: B, deprecated: true, examples: [x], x-note: y, ', [], []),
  edit('[herb, tree]', '[tree, herb]', [], []),
  edit('required: [name]', 'required: [name, name]', [], []),
  edit('allOf: [{ maxLength: 5 }, { minLength: 2 }]', 'allOf: [{ minLength: 2, title: A }, { maxLength: 5 }]', [], []),
  edit('    Short:', '    Unused: { type: string }\n    Short:', [], []),
  edit('# open', '\n        # open', [], []),
  // A property that has the name of prose is a property.
  edit(
    'properties: { a: {} }',
    'properties: { a: {}, title: {} }',
    [
      `${SENT}sealed: changed, beside unevaluated…; ${UNKNOWN}`,
      `${RECEIVED}sealed: changed, beside unevaluated…; ${UNKNOWN}`,
    ],
    [
      `${SENT}sealed: changed, beside unevaluated…; ${UNKNOWN}`,
      `${RECEIVED}sealed: changed, beside unevaluated…; ${UNKNOWN}`,
    ],
  ),
];
