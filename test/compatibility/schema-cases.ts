/** What a difference between two contracts means for clients. */
export const VERDICTS = {
  OK: 'compatible',
  REFUSED: 'breaks clients: the service refuses what they may send today',
  UNTOLD: 'breaks clients: they get what the released contract does not declare',
  MISSING: 'breaks clients: what they rely on may be missing',
  GONE: 'breaks clients: the service no longer sends what they read',
  UNCALLED: 'breaks clients: what they call no longer exists',
  RENAMED: 'breaks clients: generated code calls the operation by its old name',
  MEANT: 'breaks clients: what they read has another meaning',
  OMITTED: 'breaks clients: a message without it has another meaning',
  UNKNOWN: 'breaks clients: this difference cannot be judged, so it counts as breaking',
} as const;
const { OK, REFUSED, UNTOLD, MISSING, GONE, MEANT, OMITTED, UNKNOWN } = VERDICTS;

/** An edit of BEDS, the lines that report it (`there`), and those that report its reverse (`back`). */
export interface Case {
  readonly from: string;
  readonly to: string;
  readonly there: readonly string[];
  readonly back: readonly string[];
}

/** How the lines about `Bed` begin. */
const SENT = 'POST /beds, request body, ';
const RECEIVED = 'POST /beds, reply 200, body, ';

/** The verdicts on an edit, in the request and in the reply, then those on its reverse. */
type Verdicts = readonly [request: string, reply: string, requestBack: string, replyBack: string];
const widens: Verdicts = [OK, UNTOLD, REFUSED, OK];
const narrows: Verdicts = [REFUSED, OK, OK, UNTOLD];
const disjoint: Verdicts = [REFUSED, UNTOLD, REFUSED, UNTOLD];
const loosens: Verdicts = [OK, OK, REFUSED, OK];
const tightens: Verdicts = [REFUSED, OK, OK, OK];
const forbids: Verdicts = [REFUSED, GONE, OK, UNTOLD];
const unknown: Verdicts = [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN];

/** An edit of `Bed` whose lines for the request and the reply differ only in the verdict. */
function schema(from: string, to: string, said: string, verdicts: Verdicts, saidBack = turned(said)): Case {
  const [request, reply, requestBack, replyBack] = verdicts;
  return {
    from,
    to,
    there: [`${SENT}${said}; ${request}`, `${RECEIVED}${said}; ${reply}`],
    back: [`${SENT}${saidBack}; ${requestBack}`, `${RECEIVED}${saidBack}; ${replyBack}`],
  };
}

function turned(said: string): string {
  if (said.endsWith('became required')) return said.replace('required', 'optional');
  return said.replace('optional property added', 'property removed').replace(/^(.*?: )(.*) → (.*)$/, '$1$3 → $2');
}

export const SCHEMA_CASES: readonly Case[] = [
  schema('maxLength: 9', 'maxLength: 10', 'name.maxLength: 9 → 10', loosens),
  schema('maxLength: 9, ', '', 'name.maxLength: 9 → none', loosens),
  schema('minLength: 1', 'minLength: 2', 'name.minLength: 1 → 2', tightens),
  schema('minimum: 1', 'minimum: 0', 'size.minimum: 1 → 0', loosens),
  schema('multipleOf: 2', 'multipleOf: 2, maximum: 8', 'size.maximum: none → 8', tightens),
  schema('multipleOf: 2', 'multipleOf: 2, exclusiveMaximum: 8', 'size.exclusiveMaximum: none → 8', tightens),
  schema('multipleOf: 2', 'multipleOf: 2, exclusiveMinimum: 0', 'size.exclusiveMinimum: none → 0', tightens),
  schema('maxItems: 3', 'maxItems: 2', 'tags.maxItems: 3 → 2', tightens),
  schema('minItems: 0', 'minItems: 1', 'tags.minItems: 0 → 1', tightens),
  schema('open: { type: object', 'open: { type: object, maxProperties: 1', 'open.maxProperties: none → 1', tightens),
  schema('maxLength: 9', "maxLength: 'ten'", 'name.maxLength: 9 → "ten"', unknown),
  schema(", pattern: '^[a-z]*$'", '', 'name.pattern: "^[a-z]*$" → none', loosens),
  schema('[a-z]*', '[a-y]*', 'name.pattern: "^[a-z]*$" → "^[a-y]*$"', unknown),
  schema('type: integer', 'type: number', 'size.type: "integer" → "number"', widens),
  schema('name: { type: string', "name: { type: [string, 'null']", 'name.type: "string" → ["string","null"]', widens),
  schema('size: { type: integer, ', 'size: { ', 'size.type: "integer" → none', widens),
  schema('type: integer', 'type: string', 'size.type: "integer" → "string"', disjoint),
  schema('int32', 'int64', 'size.format: "int32" → "int64"', widens),
  schema('format: int32, ', '', 'size.format: "int32" → none', unknown),
  schema('name: { ', 'name: { format: email, ', 'name.format: none → "email"', unknown),
  schema('multipleOf: 2', 'multipleOf: 4', 'size.multipleOf: 2 → 4', narrows),
  schema('multipleOf: 2', 'multipleOf: 3', 'size.multipleOf: 2 → 3', disjoint),
  schema('multipleOf: 2', 'multipleOf: 0.5', 'size.multipleOf: 2 → 0.5', disjoint),
  schema('uniqueItems: true', 'uniqueItems: false', 'tags.uniqueItems: true → false', widens),
  schema('[herb, tree]', '[herb, tree, moss]', 'kind.enum: ["herb","tree"] → ["herb","tree","moss"]', widens),
  schema('[herb, tree]', '[herb, moss]', 'kind.enum: ["herb","tree"] → ["herb","moss"]', disjoint),
  schema('enum: [herb, tree]', 'const: herb', 'kind.enum: ["herb","tree"] → ["herb"]', narrows),
  schema('name: {', 'name: { const: x,', 'name.const: none → ["x"]', narrows),
  schema('default: 2', 'default: 4', 'size.default: 2 → 4', [OMITTED, OMITTED, OMITTED, OMITTED]),
  schema('required: [name]', 'required: [name, kind]', 'kind: became required', [REFUSED, OK, OK, MISSING]),
  schema('# properties', '\n        age: {}', 'age: optional property added', [OK, OK, REFUSED, GONE]),
  schema(
    'items: { type: string }',
    "items: { type: [string, 'null'] }",
    'tags[].type: "string" → ["string","null"]',
    widens,
  ),
  schema(
    'additionalProperties: { type: string }',
    'additionalProperties: false',
    'texts.additionalProperties: {"type":"string"} → false',
    tightens,
  ),
  schema(
    'additionalProperties: { type: string }',
    'additionalProperties: true',
    'texts.*.type: "string" → none',
    widens,
  ),
  schema(
    "some: { anyOf: [{ type: 'null' }, {",
    "some: { anyOf: [{ type: 'null' }, { type: boolean }, {",
    'some.anyOf: [{"type":"null"},{"type":"string","maxLength":5}] → [{"type":"null"},{"type":"boolean"},{"type":"string","maxLe…',
    widens,
  ),
  schema(
    'maxLength: 5 }] }\n        every',
    'maxLength: 6 }] }\n        every',
    'some.anyOf[1].maxLength: 5 → 6',
    loosens,
  ),
  schema('size: {', 'size: { anyOf: [{}],', 'size.anyOf: none → [{}]', narrows),
  schema(
    "some: { anyOf: [{ type: 'null' }, {",
    'some: { anyOf: [{ type: boolean }, { type: integer }, {',
    'some.anyOf: [{"type":"null"},{"type":"string","maxLength":5}] → [{"type":"boolean"},{"type":"integer"},{"type":"string","ma…',
    unknown,
  ),
  schema(
    '{ minLength: 2 }]',
    '{ minLength: 2 }, { type: string }]',
    'every.allOf[2].type: none → "string"',
    narrows,
    'every.allOf: [{"maxLength":5},{"minLength":2},{"type":"string"}] → [{"maxLength":5},{"minLength":2}]',
  ),
  schema('{ minLength: 2 }]', '{ minLength: 3 }]', 'every.allOf[1].minLength: 2 → 3', tightens),
  schema(
    "[{ type: 'null' }, { type: string }]",
    "[{ type: 'null' }, { type: string, maxLength: 1 }]",
    'one.oneOf: [{"type":"null"},{"type":"string"}] → [{"type":"null"},{"type":"string","maxLength":1}]',
    unknown,
  ),
  schema(
    '^x: { type: string }',
    '^x: {}',
    'patterned.patternProperties: {"^x":{"type":"string"}} → {"^x":{}}',
    unknown,
  ),
  schema('properties: { a: {} }', 'properties: { a: {}, b: {} }', 'sealed: changed, beside unevaluated…', unknown),
  schema(
    'Short: { type: string, maxLength: 3',
    'Short: { type: string, maxLength: 4',
    'referred.maxLength: 3 → 4',
    loosens,
  ),
  schema('[name]\n', '[name]\n      if: {}\n', 'if: none → {}', unknown),
  schema(
    'patternProperties:',
    'properties: { xx: {} }, patternProperties:',
    'patterned.xx: property added, beside patternProperties',
    [UNKNOWN, UNKNOWN, REFUSED, GONE],
    'patterned.xx: property removed',
  ),
  schema(
    '{ title: [in] }',
    '{ title: [in, up] }',
    'open.dependentRequired: {"title":["in"]} → {"title":["in","up"]}',
    unknown,
  ),
  schema('open: { type: object,', 'open: { type: object, required: [up],', 'open.up: became required', [
    REFUSED,
    OK,
    OK,
    MISSING,
  ]),
  schema('properties: { a: {} }', 'properties: { a: {}, title: {} }', 'sealed: changed, beside unevaluated…', unknown),
  schema(
    'referred: {',
    'referred: { allOf: [false],',
    'referred: {"$ref":"#/components/schemas/Short"} → {"allOf":[false],"$ref":"#/components/schemas/Short"}',
    forbids,
  ),
  schema('items: { type: string }', 'items: false', 'tags[]: {"type":"string"} → false', forbids),
  schema(
    'code: {',
    'code: { not: true, ',
    'code: {"x-error-numbers":{"1":"dry","2":"wet"}} → {"not":true,"x-error-numbers":{"1":"dry","2":"wet"}}',
    forbids,
  ),
  schema("'2': wet", "'2': wet, '3': late", 'code.x-error-numbers.3: none → "late"', [OK, OK, UNKNOWN, GONE]),
  schema("'2': wet", "'2': cold", 'code.x-error-numbers.2: "wet" → "cold"', [UNKNOWN, MEANT, UNKNOWN, MEANT]),
  schema('size: {', 'size: { anyOf: [{ properties: {} }],', 'size.anyOf: none → [{"properties":{}}]', [
    UNKNOWN,
    UNKNOWN,
    OK,
    UNTOLD,
  ]),
  schema('400, enum', '500, enum', 'seeds.maximum: 9223372036854775400 → 9223372036854775500', loosens),
  schema('9223372036854775400', '1e18', 'seeds.maximum: 9223372036854775400 → 1000000000000000000', tightens),
  schema('740992]', '740993]', 'seeds.enum: [9007199254740992] → [9007199254740993]', disjoint),
  schema(
    '740992]',
    '740992, 9007199254740993]',
    'seeds.enum: [9007199254740992] → [9007199254740992,9007199254740993]',
    widens,
  ),
  schema(
    'one: {',
    'one: { discriminator: { propertyName: a },',
    'one.discriminator: none → {"propertyName":"a"}',
    unknown,
  ),
];
