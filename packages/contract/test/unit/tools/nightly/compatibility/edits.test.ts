import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../../../../tools/compatibility/compare.ts';
import { breaks, type Difference } from '../../../../../tools/compatibility/rules.ts';
import { loadContract } from '../../../../../src/load.ts';
import { BEDS } from './beds.ts';

/**
 * Edits of BEDS. The letters say where an edit breaks clients (B), and where it does not: in requests (or in the contract
 * as a whole), in replies; then the same of the reverse of the edit.
 */
const TABLE = String.raw`
.B B.  { format: int32, type → { format: int64, type
.. ..  referred: { $ref: '#/components/schemas/Short' } → referred: { allOf: [{ $ref: '#/components/schemas/Short' }] }
.. ..  minimum: 1 → exclusiveMinimum: 0
.B B.  texts: { type: object, additionalProperties: { type: string } } → texts: { anyOf: [{ type: object, additionalProperties: { type: string } }, { type: 'null' }] }
.. ..  one: { oneOf → one: { anyOf
.. ..  either: { oneOf → either: { anyOf
.. B.  maxLength: 9 → maxLength: 10
.. B.  maxLength: 9,  → 
B. ..  minLength: 1 → minLength: 2
.. B.  minimum: 1 → minimum: 0
B. ..  multipleOf: 2 → multipleOf: 2, maximum: 8
B. ..  multipleOf: 2 → multipleOf: 2, exclusiveMaximum: 8
.. ..  multipleOf: 2 → multipleOf: 2, exclusiveMinimum: 0
B. ..  maxItems: 3 → maxItems: 2
B. ..  minItems: 0 → minItems: 1
B. ..  open: { type: object → open: { type: object, maxProperties: 1
B. BB  { in: { type: boolean } } } # open → { in: { type: boolean }, at: { type: string } } } # open
.. B.  , pattern: '^[a-z]*$' → 
B. .B  [a-z]* → [a-y]*
.B B.  name: { type: string → name: { type: [string, 'null']
.B B.  size: { type: integer,  → size: { 
.B B.  int32, min → int64, min
.B B.  format: int32, min → min
BB .B  name: {  → name: { format: email, 
B. .B  multipleOf: 2 → multipleOf: 4
BB BB  multipleOf: 2 → multipleOf: 3
.B B.  multipleOf: 2 → multipleOf: 0.5
.B B.  uniqueItems: true → uniqueItems: false
.B B.  [herb, tree] → [herb, tree, moss]
BB BB  [herb, tree] → [herb, moss]
B. .B  enum: [herb, tree] → const: herb
B. .B  name: { → name: { const: x,
BB BB  default: first → default: last
B. .B  required: [name] → required: [name, kind]
.. BB  # properties → \n        age: {}
.B B.  items: { type: string } → items: { type: [string, 'null'] }
B. ..  additionalProperties: { type: string } → additionalProperties: false
.B B.  additionalProperties: { type: string } → additionalProperties: true
.B B.  some: { anyOf: [{ type: 'null' }, { → some: { anyOf: [{ type: 'null' }, { type: boolean }, {
.. B.  maxLength: 5 }] }\n        every → maxLength: 6 }] }\n        every
.. ..  size: { → size: { anyOf: [{}],
BB BB  some: { anyOf: [{ type: 'null' }, { → some: { anyOf: [{ type: boolean }, { type: integer }, {
B. .B  { minLength: 2 }] → { minLength: 2 }, { type: string }]
B. ..  { minLength: 2 }] → { minLength: 3 }]
B. .B  [{ type: 'null' }, { type: string }] → [{ type: 'null' }, { type: string, maxLength: 1 }]
.B B.  ^x: { type: string } → ^x: {}
.. BB  properties: { a: {} } → properties: { a: {}, b: {} }
.. B.  Short: { type: string, maxLength: 3 → Short: { type: string, maxLength: 4
.. ..  [name]\n → [name]\n      if: {}\n
.. BB  patternProperties: → properties: { xx: {} }, patternProperties:
B. .B  { title: [in] } → { title: [in, up] }
B. .B  open: { type: object, → open: { type: object, required: [up],
.. BB  properties: { a: {} } → properties: { a: {}, title: {} }
BB .B  referred: { → referred: { allOf: [false],
BB .B  items: { type: string } → items: false
BB .B  code: { → code: { not: true, 
.. B.  '2': wet → '2': wet, '3': late
B. B.  '2': wet → '2': cold
.. ..  size: { → size: { anyOf: [{ properties: {} }],
.. ..  400, enum → 500, enum
.. ..  9223372036854775400 → 1e18
BB BB  740992] → 740993]
.B B.  740992] → 740992, 9007199254740993]
B. B.  # dry → \n        - { name: User-Agent, in: header, schema: { type: string, maxLength: 3 } }
.. B.  # dry → \n        - { name: wet, in: query, schema: { type: string } }
B. B.  # dry → \n        - { name: wet, in: query, required: true, schema: { type: string } }
B. ..  name: dry, in: query → name: dry, required: true, in: query
.. B.  query, schema: { type: boolean } → query, schema: { type: [boolean, integer] }
B. ..  in: header, schema: { type: string → in: header, schema: { maxLength: 9, type: string
B. B.  tidy, security → tidy, requestBody: { required: true, content: { application/json: { schema: {} } } }, security
.. B.  # body\n        required: true → # body
.. B.  # sent → \n          application/x+json: { schema: {} }
.. ..          '404': { →         '403': { $ref: '#/components/responses/Failure' }\n        '404': {
.B .B          '404': { →         '202': { description: later }\n        '404': {
.. ..  { description: done }, d → { description: done }, '404': { $ref: '#/components/responses/Failure' }, d
.. .B  done }, d → done, headers: { Age: { schema: { type: string } } } }, d
.B .B  content: { application/json: { schema: { type: object, → content: { application/problem+json: { schema: { type: object,
B. ..  referred: { → referred: { readOnly: true, 
.B .B  referred: { → referred: { writeOnly: true, 
.. BB  required: [name]\n      properties: # properties → required: [name, made]\n      properties: # properties\n        made: { $ref: '#/components/schemas/Made' }
BB .B  [name]\n → [name]\n      allOf: [{ properties: { kind: false } }]\n
B. ..  { minLength: 2 }] → { minLength: 2, additionalProperties: false }]
B. ..  every: { → every: { additionalProperties: false, 
.B ..  ETag: { required: true, → ETag: {
.B .B  ETag: { required: true, schema: { type: string } → etag: { required: true, schema: { type: integer }
.. ..  done }, d → done, links: { again: { operationId: tidy } } }, d
.. B.  components: →   /weeds:\n    get: { operationId: weeds, responses: { default: { $ref: '#/components/responses/Failure' } } }\ncomponents:
B. ..  operationId: createBed\n → operationId: createBed\n      x-max-body-bytes: 1000\n
.. ..  operationId: createBed\n → operationId: createBed\n      x-max-body-bytes: 65536\n
B. B.  [{ url: / }] → [{ url: /v1 }]
B. B.  operationId: createBed → operationId: addBed
.. B.  [{ url: / }] → [{ url: / }, { url: https://b.example/ }]
B. ..  tidy, security: [] → tidy
.. ..  \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [] }, { token: [write] }]
B. ..  \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [write] }]
B. ..  \nsecurity: [{ token: [] }] → \nsecurity: [{ token: [read] }, { token: [write] }]
.. ..  tidy, security: [] → tidy, security: [{ token: [write] }, {}]
.. B.  tidy, security → tidy, requestBody: { content: { application/json: { schema: {} } } }, security
.. ..  operationId: tidy, → operationId: tidy, callbacks: { done: {} },
.. ..  \npaths: → \nwebhooks: { x-done: {} }\npaths:
B. B.  name: dry, in: query → name: dry, in: header
B. BB  properties: { in: { type: boolean } → required: [age], properties: { in: { type: boolean }, age: { type: integer }
B. ..  schemas/Short' } → schemas/Short', maxLength: 2 }
B. B.  /beds/tidy → /beds/tidied
.. ..  tidy, security: [] → tidy, security: [{ token: [] }, {}]
.. ..  \nsecurity: [{ token: [] }] → \nsecurity: [{ other: [] }]
.. ..  X-Trace → x-trace
.. ..  # dry → \n        - { name: Accept, in: header, schema: { maxLength: 3 } }
.. ..  title: Beds → title: Yard, description: x
.. ..  openapi: 3.1.0 → openapi: 3.1.1
.. ..  name: { type → name: { title: A, description: B, deprecated: true, examples: [x], x-note: y, type
.. ..  [herb, tree] → [tree, herb]
.. ..  required: [name] → required: [name, name]
.. ..  allOf: [{ maxLength: 5 }, { minLength: 2 }] → allOf: [{ minLength: 2, title: A }, { maxLength: 5 }]
.. ..      Short: →     Unused: { type: string }\n    Short:
.. ..  # open → \n        # open
`;
const EDITS = TABLE.split(/^(?=[B.]{2} [B.]{2} )/m)
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [from = '', to = ''] = line.slice(7).replace(/\n$/, '').replaceAll('\\n', '\n').split(' → ');
    return { letters: line.slice(0, 5), from, to };
  });

function lettersOf(differences: readonly Difference[]): string {
  const places = differences.filter(breaks).flatMap(({ where }) => where.split('; '));
  return [false, true]
    .map((ofReply) => (places.some((each) => /\breply\b/.test(each) === ofReply) ? 'B' : '.'))
    .join('');
}

describe('compareContracts', () => {
  const beds = loadContract(BEDS);
  test.each(EDITS)(
    'compareContracts finds a break exactly where there is one: $letters $from → $to',
    async ({ letters, from, to }) => {
      expect(BEDS.split(from)).toHaveLength(2);
      const was = await beds;
      const is = await loadContract(BEDS.replace(from, () => to));
      const found = [compareContracts(was, is), compareContracts(is, was)].map(lettersOf);
      expect(found.join(' ')).toBe(letters);
    },
  );
});
