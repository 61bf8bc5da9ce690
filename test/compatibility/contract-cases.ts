import { type Case, VERDICTS } from './schema-cases.ts';

/**
 * Edits of BEDS (`= from → to`), each with the lines that report it (`+`) and those that report its reverse (`-`). The
 * last edits have no lines: they change prose, unimportant names and orders, or an unused schema.
 */
const TABLE = String.raw`
= # dry → \n        - { name: User-Agent, in: header, schema: { maxLength: 3 } }
+ POST /beds, header parameter user-agent: optional header parameter added; REFUSED
- POST /beds, header parameter user-agent: parameter removed; REFUSED
= # dry → \n        - { name: wet, in: query, schema: {} }
+ POST /beds, query parameter wet: optional parameter added; OK
- POST /beds, query parameter wet: parameter removed; REFUSED
= # dry → \n        - { name: wet, in: query, required: true, schema: {} }
+ POST /beds, query parameter wet: required parameter added; REFUSED
- POST /beds, query parameter wet: parameter removed; REFUSED
= name: dry, in: query → name: dry, required: true, in: query
+ POST /beds, query parameter dry: became required; REFUSED
- POST /beds, query parameter dry: became optional; OK
= name: dry, in: query → name: dry, in: query, allowEmptyValue: true
+ POST /beds, query parameter dry, allowEmptyValue: none → true; UNKNOWN
- POST /beds, query parameter dry, allowEmptyValue: true → none; UNKNOWN
= query, schema: { type: boolean } → query, schema: { type: [boolean, integer] }
+ POST /beds, query parameter dry, type: "boolean" → ["boolean","integer"]; OK
- POST /beds, query parameter dry, type: ["boolean","integer"] → "boolean"; REFUSED
= in: header, schema: { type: string → in: header, schema: { maxLength: 9, type: string
+ POST /beds, header parameter x-trace, maxLength: none → 9; REFUSED
- POST /beds, header parameter x-trace, maxLength: 9 → none; OK
= tidy, security → tidy, requestBody: { required: true, content: {} }, security
+ POST /beds/tidy, request body: required body added; REFUSED
- POST /beds/tidy, request body: body removed; REFUSED
= # body\n        required: true → # body
+ POST /beds, request body: became optional; OK
- POST /beds, request body: became required; REFUSED
= # sent → \n          text/csv: {}
+ POST /beds, request body: text/csv added; OK
- POST /beds, request body: text/csv removed; REFUSED
= # received → \n            text/csv: {}
+ POST /beds, reply 200, body: text/csv added; UNTOLD
- POST /beds, reply 200, body: text/csv removed; GONE
= Bed' } } # sent → Bed' }, encoding: {} } # sent
+ POST /beds, request body, encoding: none → {}; UNKNOWN
- POST /beds, request body, encoding: {} → none; UNKNOWN
=         '404': { →         '403': { $ref: '#/components/responses/Failure' }\n        '404': {
+ POST /beds, reply 403: failure status added to a default reply; OK
- POST /beds, reply 403: reply status of failure removed; OK
=         '404': { →         '202': { description: later }\n        '404': {
+ POST /beds, reply 202: reply status added; UNTOLD
- POST /beds, reply 202: reply status of success removed; GONE
= { description: done } } → { description: done }, '404': { description: none } }
+ POST /beds/tidy, reply 404: reply status added; UNTOLD
- POST /beds/tidy, reply 404: reply status of failure removed; OK
= { description: done } } → { description: done }, default: { description: none } }
+ POST /beds/tidy, reply default: reply status added; UNTOLD
- POST /beds/tidy, reply default: default reply removed; UNTOLD
= done } } → done, headers: { Age: { schema: {} } } } }
+ POST /beds/tidy, reply 204, header age: reply header added; OK
- POST /beds/tidy, reply 204, header age: reply header removed; GONE
= error: { type: string } → error: { type: string, maxLength: 9 }
+ POST /beds, reply 404, body, error.maxLength: none → 9; OK
+ POST /beds, reply default, body, error.maxLength: none → 9; OK
- POST /beds, reply 404, body, error.maxLength: 9 → none; OK
- POST /beds, reply default, body, error.maxLength: 9 → none; OK
= \n        default: { $ref: '#/components/responses/Failure' } → 
+ POST /beds, reply default: default reply removed; UNTOLD
- POST /beds, reply default: reply status added; UNTOLD
= content: { application/json: { schema: { type: object, → content: { application/problem+json: { schema: { type: object,
+ POST /beds, reply 404, body: application/json removed; GONE
+ POST /beds, reply 404, body: application/problem+json added; UNTOLD
+ POST /beds, reply default, body: application/json removed; GONE
+ POST /beds, reply default, body: application/problem+json added; UNTOLD
- POST /beds, reply 404, body: application/json added; UNTOLD
- POST /beds, reply 404, body: application/problem+json removed; GONE
- POST /beds, reply default, body: application/json added; UNTOLD
- POST /beds, reply default, body: application/problem+json removed; GONE
= referred: { → referred: { readOnly: true, 
+ POST /beds, request body, referred: {"$ref":"#/components/schemas/Short"} → false; REFUSED
- POST /beds, request body, referred: false → {"$ref":"#/components/schemas/Short"}; OK
= referred: { → referred: { writeOnly: true, 
+ POST /beds, reply 200, body, referred: {"$ref":"#/components/schemas/Short"} → false; GONE
- POST /beds, reply 200, body, referred: false → {"$ref":"#/components/schemas/Short"}; UNTOLD
= required: [name]\n      properties: # properties → required: [name, made]\n      properties: # properties\n        made: { $ref: '#/components/schemas/Made' }
+ POST /beds, request body, made: optional property added; OK
+ POST /beds, reply 200, body, made: required property added; OK
- POST /beds, request body, made: property removed; REFUSED
- POST /beds, reply 200, body, made: property removed; GONE
= [name]\n → [name]\n      allOf: [{ properties: { kind: false } }]\n
+ POST /beds, request body, allOf[0].kind: optional property added; OK
+ POST /beds, request body, allOf[0].kind: true → false; REFUSED
+ POST /beds, reply 200, body, allOf[0].kind: optional property added; OK
+ POST /beds, reply 200, body, allOf[0].kind: true → false; GONE
- POST /beds, request body, allOf: [{"properties":{"kind":false}}] → []; OK
- POST /beds, reply 200, body, allOf: [{"properties":{"kind":false}}] → []; UNTOLD
= { minLength: 2 }] → { minLength: 2, additionalProperties: false }]
+ POST /beds, request body, every.allOf[1].additionalProperties: false, beside other schemas; UNKNOWN
+ POST /beds, request body, every.allOf[1].additionalProperties: true → false; REFUSED
+ POST /beds, reply 200, body, every.allOf[1].additionalProperties: false, beside other schemas; UNKNOWN
+ POST /beds, reply 200, body, every.allOf[1].additionalProperties: true → false; OK
- POST /beds, request body, every.allOf[1].additionalProperties: false → true; OK
- POST /beds, reply 200, body, every.allOf[1].additionalProperties: false → true; OK
= every: { → every: { additionalProperties: false, 
+ POST /beds, request body, every.additionalProperties: false, beside other schemas; UNKNOWN
+ POST /beds, reply 200, body, every.additionalProperties: false, beside other schemas; UNKNOWN
- POST /beds, request body, every.additionalProperties: false → true; OK
- POST /beds, reply 200, body, every.additionalProperties: false → true; OK
= ETag: { required: true, → ETag: {
+ POST /beds, reply 200, header etag: became optional; MISSING
- POST /beds, reply 200, header etag: became required; OK
= ETag: { required: true, schema: { type: string } → etag: { required: true, schema: { type: integer }
+ POST /beds, reply 200, header etag, type: "string" → "integer"; UNTOLD
- POST /beds, reply 200, header etag, type: "integer" → "string"; UNTOLD
= done } } → done, links: { again: { operationId: tidy } } } }
+ POST /beds/tidy, reply 204, links: none → {"again":{"operationId":"tidy"}}; UNKNOWN
- POST /beds/tidy, reply 204, links: {"again":{"operationId":"tidy"}} → none; UNKNOWN
= components: →   /weeds:\n    get: { operationId: weeds, responses: { default: { description: x } } }\ncomponents:
+ GET /weeds: operation added; OK
- GET /weeds: operation removed; UNCALLED
= operationId: createBed\n → operationId: createBed\n      x-max-body-bytes: 1000\n
+ POST /beds, x-max-body-bytes: none → 1000; REFUSED
- POST /beds, x-max-body-bytes: 1000 → none; OK
= operationId: createBed\n → operationId: createBed\n      x-max-body-bytes: 65536\n
= [{ url: / }] → [{ url: /v1 }]
+ servers: ["/"] → ["/v1"]; UNCALLED
- servers: ["/v1"] → ["/"]; UNCALLED
= operationId: createBed → operationId: addBed
+ POST /beds: "createBed" → "addBed"; RENAMED
- POST /beds: "addBed" → "createBed"; RENAMED
= [{ url: / }] → [{ url: / }, { url: /v1 }]
+ servers: ["/"] → ["/","/v1"]; OK
- servers: ["/","/v1"] → ["/"]; UNCALLED
= tidy, security: [] → tidy
+ POST /beds/tidy, security: [] → [{"token":[]}]; REFUSED
- POST /beds/tidy, security: [{"token":[]}] → []; OK
= \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [] }, { key: [] }]
+ POST /beds, security: [{"token":[]}] → [{"token":[]},{"key":[]}]; OK
- POST /beds, security: [{"token":[]},{"key":[]}] → [{"token":[]}]; REFUSED
= \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [write] }]
+ POST /beds, security: [{"token":[]}] → [{"token":["write"]}]; REFUSED
- POST /beds, security: [{"token":["write"]}] → [{"token":[]}]; OK
= \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [read] }, { token: [write] }]
+ POST /beds, security: [{"token":[]}] → [{"token":["read"]},{"token":["write"]}]; REFUSED
- POST /beds, security: [{"token":["read"]},{"token":["write"]}] → [{"token":[]}]; OK
= tidy, security: [] → tidy, security: [{ token: [write] }, {}]
= scheme: bearer, desc → scheme: basic, desc
+ POST /beds, security: changed; REFUSED
- POST /beds, security: changed; REFUSED
= tidy, security → tidy, requestBody: { content: {} }, security
+ POST /beds/tidy, request body: optional body added; OK
- POST /beds/tidy, request body: body removed; REFUSED
= operationId: tidy, → operationId: tidy, callbacks: { done: {} },
+ POST /beds/tidy, callbacks: none → {"done":{}}; UNKNOWN
- POST /beds/tidy, callbacks: {"done":{}} → none; UNKNOWN
= \npaths: → \nwebhooks: { x-done: {} }\npaths:
+ the document, webhooks: none → {"x-done":{}}; UNKNOWN
- the document, webhooks: {"x-done":{}} → none; UNKNOWN
= name: dry, in: query → name: dry, in: header
+ POST /beds, query parameter dry: parameter removed; REFUSED
+ POST /beds, header parameter dry: optional header parameter added; REFUSED
- POST /beds, header parameter dry: parameter removed; REFUSED
- POST /beds, query parameter dry: optional parameter added; OK
=         '404': { →         '403': { description: no }\n        '404': {
+ POST /beds, reply 403: failure status added to a default reply; OK
+ POST /beds, reply 403, body: application/json removed; GONE
- POST /beds, reply 403: reply status of failure removed; OK
- POST /beds, reply 403, body: application/json added; UNTOLD
= properties: { in: { type: boolean } → required: [age], properties: { in: { type: boolean }, age: { type: integer }
+ POST /beds, request body, open.age: required property added; REFUSED
+ POST /beds, request body, open.age.type: none → "integer"; REFUSED
+ POST /beds, reply 200, body, open.age: required property added; OK
+ POST /beds, reply 200, body, open.age.type: none → "integer"; OK
- POST /beds, request body, open.age: property removed; REFUSED
- POST /beds, reply 200, body, open.age: property removed; GONE
= schemas/Short' } → schemas/Short', maxLength: 2 }
+ POST /beds, request body, referred.maxLength: none → 2; REFUSED
+ POST /beds, reply 200, body, referred.maxLength: none → 2; OK
- POST /beds, request body, referred.maxLength: 2 → none; OK
- POST /beds, reply 200, body, referred.maxLength: 2 → none; OK
= /beds/tidy → /beds/tidied
+ POST /beds/tidy: operation removed; UNCALLED
+ POST /beds/tidied: operation added; OK
- POST /beds/tidied: operation removed; UNCALLED
- POST /beds/tidy: operation added; OK
= /beds/tidy → /beds/{id}
+ POST /beds/tidy: operation removed; UNCALLED
+ POST /beds/{id}: operation added; OK
- POST /beds/{id}: operation removed; UNCALLED
- POST /beds/tidy: operation added at a path in use; UNCALLED
= tidy, security: [] → tidy, security: [{ token: [] }, {}]
= \nsecurity: [{ token: [] }] → \nsecurity: [{ other: [] }]
= X-Trace → x-trace
= # dry → \n        - { name: Accept, in: header, schema: { maxLength: 3 } }
= title: Beds → title: Yard, description: x
= openapi: 3.1.0 → openapi: 3.1.1
= name: { type → name: { title: A, description: B, deprecated: true, examples: [x], x-note: y, type
= [herb, tree] → [tree, herb]
= required: [name] → required: [name, name]
= allOf: [{ maxLength: 5 }, { minLength: 2 }] → allOf: [{ minLength: 2, title: A }, { maxLength: 5 }]
=     Short: →     Unused: { type: string }\n    Short:
= # open → \n        # open
`;

export const CONTRACT_CASES = TABLE.split(/^= /m).slice(1).map(read);

function read(text: string): Case {
  const [edit = '', ...lines] = text.trimEnd().split('\n');
  const [from = '', to = ''] = edit.replaceAll('\\n', '\n').split(' → ');
  const said = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(2).replace(/\w+$/, (verdict) => VERDICTS[verdict as keyof typeof VERDICTS]));
  return { from, to, there: said('+'), back: said('-') };
}
