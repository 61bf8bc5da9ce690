import { type Case, edit, GONE, MISSING, OK, REFUSED, UNKNOWN, UNTOLD } from './verdicts.ts';

/** Edits of parameters, bodies, replies and their headers. */
export const EXCHANGE_CASES: readonly Case[] = [
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: User-Agent, in: header, schema: { maxLength: 3 } }\n',
    [`POST /beds, header parameter user-agent: optional header parameter added; ${REFUSED}`],
    [`POST /beds, header parameter user-agent: parameter removed; ${REFUSED}`],
  ),
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: wet, in: query, schema: {} }\n',
    [`POST /beds, query parameter wet: optional parameter added; ${OK}`],
    [`POST /beds, query parameter wet: parameter removed; ${REFUSED}`],
  ),
  edit(
    'schema: { type: boolean } }\n',
    'schema: { type: boolean } }\n        - { name: wet, in: query, required: true, schema: {} }\n',
    [`POST /beds, query parameter wet: required parameter added; ${REFUSED}`],
    [`POST /beds, query parameter wet: parameter removed; ${REFUSED}`],
  ),
  edit(
    'name: dry, in: query',
    'name: dry, in: cookie',
    [
      `POST /beds, query parameter dry: parameter removed; ${REFUSED}`,
      `POST /beds, cookie parameter dry: optional parameter added; ${OK}`,
    ],
    [
      `POST /beds, cookie parameter dry: parameter removed; ${REFUSED}`,
      `POST /beds, query parameter dry: optional parameter added; ${OK}`,
    ],
  ),
  edit(
    'name: dry, in: query',
    'name: dry, required: true, in: query',
    [`POST /beds, query parameter dry: became required; ${REFUSED}`],
    [`POST /beds, query parameter dry: became optional; ${OK}`],
  ),
  edit(
    'name: dry, in: query',
    'name: dry, in: query, allowEmptyValue: true',
    [`POST /beds, query parameter dry, allowEmptyValue: none → true; ${UNKNOWN}`],
    [`POST /beds, query parameter dry, allowEmptyValue: true → none; ${UNKNOWN}`],
  ),
  edit(
    'query, schema: { type: boolean }',
    'query, schema: { type: [boolean, integer] }',
    [`POST /beds, query parameter dry, type: "boolean" → ["boolean","integer"]; ${OK}`],
    [`POST /beds, query parameter dry, type: ["boolean","integer"] → "boolean"; ${REFUSED}`],
  ),
  edit(
    'in: header, schema: { type: string',
    'in: header, schema: { maxLength: 9, type: string',
    [`POST /beds, header parameter x-trace, maxLength: none → 9; ${REFUSED}`],
    [`POST /beds, header parameter x-trace, maxLength: 9 → none; ${OK}`],
  ),
  edit(
    'tidy, ',
    'tidy, requestBody: { required: true, content: {} }, ',
    [`POST /beds/tidy, request body: required body added; ${REFUSED}`],
    [`POST /beds/tidy, request body: body removed; ${REFUSED}`],
  ),
  edit(
    '# body\n        required: true',
    '',
    [`POST /beds, request body: became optional; ${OK}`],
    [`POST /beds, request body: became required; ${REFUSED}`],
  ),
  edit(
    '# sent',
    '\n          text/csv: {}',
    [`POST /beds, request body: text/csv added; ${OK}`],
    [`POST /beds, request body: text/csv removed; ${REFUSED}`],
  ),
  edit(
    '# received',
    '\n            text/csv: {}',
    [`POST /beds, reply 200, body: text/csv added; ${UNTOLD}`],
    [`POST /beds, reply 200, body: text/csv removed; ${GONE}`],
  ),
  edit(
    "Bed' } } # sent",
    "Bed' }, encoding: {} } # sent",
    [`POST /beds, request body, encoding: none → {}; ${UNKNOWN}`],
    [`POST /beds, request body, encoding: {} → none; ${UNKNOWN}`],
  ),
  edit(
    "        '404': {",
    "        '403': { $ref: '#/components/responses/Failure' }\n        '404': {",
    [`POST /beds, reply 403: reply status added under another; ${OK}`],
    [`POST /beds, reply 403: reply status of failure removed; ${OK}`],
  ),
  edit(
    "        '404': {",
    "        '403': { description: no }\n        '404': {",
    [
      `POST /beds, reply 403: reply status added under another; ${OK}`,
      `POST /beds, reply 403, body: application/json removed; ${GONE}`,
    ],
    [
      `POST /beds, reply 403: reply status of failure removed; ${OK}`,
      `POST /beds, reply 403, body: application/json added; ${UNTOLD}`,
    ],
  ),
  edit(
    "        '404': {",
    "        '202': { description: later }\n        '404': {",
    [`POST /beds, reply 202: reply status added; ${UNTOLD}`],
    [`POST /beds, reply 202: reply status of success removed; ${GONE}`],
  ),
  edit(
    '{ description: done } }',
    "{ description: done }, '404': { description: none } }",
    [`POST /beds/tidy, reply 404: reply status added; ${UNTOLD}`],
    [`POST /beds/tidy, reply 404: reply status of failure removed; ${OK}`],
  ),
  edit(
    '{ description: done } }',
    '{ description: done }, default: { description: none } }',
    [`POST /beds/tidy, reply default: reply status added; ${UNTOLD}`],
    [`POST /beds/tidy, reply default: reply status of failure removed; ${OK}`],
  ),
  edit(
    'done } }',
    'done, headers: { Age: { schema: {} } } } }',
    [`POST /beds/tidy, reply 204, header age: reply header added; ${OK}`],
    [`POST /beds/tidy, reply 204, header age: reply header removed; ${GONE}`],
  ),
  edit(
    'ETag: { required: true,',
    'ETag: {',
    [`POST /beds, reply 200, header etag: became optional; ${MISSING}`],
    [`POST /beds, reply 200, header etag: became required; ${OK}`],
  ),
  edit(
    'ETag: { required: true, schema: { type: string }',
    'etag: { required: true, schema: { type: integer }',
    [`POST /beds, reply 200, header etag, type: "string" → "integer"; ${UNTOLD}`],
    [`POST /beds, reply 200, header etag, type: "integer" → "string"; ${UNTOLD}`],
  ),
  edit(
    'done } }',
    'done, links: { again: { operationId: tidy } } } }',
    [`POST /beds/tidy, reply 204, links: none → {"again":{"operationId":"tidy"}}; ${UNKNOWN}`],
    [`POST /beds/tidy, reply 204, links: {"again":{"operationId":"tidy"}} → none; ${UNKNOWN}`],
  ),
];
