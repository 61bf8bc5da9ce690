import { METHODS } from '../schema/document.ts';
import { applicator, HOLDING_KEYWORDS, type HoldingKeyword } from '../schema/applicators.ts';
import { SCHEMES } from '../schemes.ts';
import * as check from './field-values.ts';

/** OpenAPI's names of its objects. */
export type ObjectKind =
  | ('OpenAPI' | 'Info' | 'Server' | 'Components' | 'Path Item' | 'Operation' | 'Parameter' | 'Request Body')
  | ('Media Type' | 'Response' | 'Header' | 'Security Scheme' | 'Security Requirement' | 'Schema' | 'Discriminator');

/** One field of OpenAPI 3.1 or one keyword of JSON Schema 2020-12: a row of a table in docs/contract.md. */
export interface VocabularyRow {
  /** `kept`: the service or the compiler enforces the field. `shown`: documentation. `refused`: the start fails. */
  readonly is: 'kept' | 'shown' | 'refused';
  /** How the service enforces the field; for a refused field, the cure. */
  readonly how: string;
  readonly value?: check.ValueCheck;
  /** The kind of the object, or of the objects in a list or a map, that is the field's value. */
  readonly holds?: { readonly kind: ObjectKind; readonly in?: 'list' | 'map' };
}

const kept = (how: string, value?: check.ValueCheck): VocabularyRow => ({ is: 'kept', how, ...(value && { value }) });
const one = (kind: ObjectKind, how: string): VocabularyRow => ({ ...kept(how), holds: { kind } });
const list = (kind: ObjectKind, how: string): VocabularyRow => ({ ...kept(how), holds: { kind, in: 'list' } });
const map = (kind: ObjectKind, how: string, value?: check.ValueCheck): VocabularyRow => ({
  ...kept(how, value),
  holds: { kind, in: 'map' },
});
/** The keywords that hold schemas, by schema/applicators.ts. @param more what else their rows say, and check */
const schemas = (more: Partial<Record<HoldingKeyword, readonly [how: string, value?: check.ValueCheck]>>) =>
  Object.fromEntries(
    HOLDING_KEYWORDS.map((keyword) => {
      const { in: held, isUntyped } = applicator(keyword) ?? {};
      const [how, value] = more[keyword] ?? [isUntyped === true ? RUN : BOTH];
      return [keyword, { ...kept(how, value), holds: { kind: 'Schema', ...(held && { in: held }) } } as const];
    }),
  );
const refused = (how: string): VocabularyRow => ({ is: 'refused', how });
const shown = (...fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, { is: 'shown', how: '' }] as const));

const RUN = 'at run time';
const BOTH = 'in the types and at run time';
const SECURITY = `${RUN}; beside others, \`{}\` makes a token optional: one that is sent is checked`;
export const ONE_FILE = 'bundle all files into one: `npx redocly bundle`';
const DIALECT = 'leave it out: all schemas have the dialect of OpenAPI 3.1';
const TOKENS = 'the service checks only tokens: write type: http and scheme: bearer, or type: apiKey and in: header';
const MEDIA =
  'application/json, application/….+json; text/… with `type: string` is a string, any other one without a schema or with `format: binary` a Uint8Array; no ranges, forms, parts or streams';
const NO_NAMES = 'leave it out, and refer to a schema by its path, `#/components/schemas/…`';

export const VOCABULARY: Readonly<Record<ObjectKind, Readonly<Record<string, VocabularyRow>>>> = {
  OpenAPI: {
    openapi: kept('3.1.x', check.text),
    info: one('Info', '`contract:check` compares `version`'),
    jsonSchemaDialect: refused(DIALECT),
    servers: list('Server', 'the service mounts the operations at the path of the first one; the others are listed'),
    paths: map(
      'Path Item',
      'each operation needs a handler; if two templates match a request, the more concrete one that has its method applies, wherever it stands',
    ),
    components: one('Components', 'parts that operations refer to'),
    security: list('Security Requirement', SECURITY),
    ...shown('webhooks', 'tags', 'externalDocs'),
  },
  Info: {
    ...shown('summary', 'description', 'title', 'termsOfService', 'contact', 'license'),
    version: kept('', check.text),
  },
  Server: {
    url: kept('of the first server, only its path matters', check.serverUrl),
    variables: kept('their defaults are filled in'),
    ...shown('description'),
  },
  Components: {
    schemas: map('Schema', BOTH),
    responses: map('Response', BOTH),
    parameters: map('Parameter', BOTH),
    requestBodies: map('Request Body', BOTH),
    headers: map('Header', BOTH),
    securitySchemes: map(
      'Security Scheme',
      `${RUN}; all stand for the same tokens, which differ by scopes: operations name one, or each with the others as alternatives`,
    ),
    pathItems: map('Path Item', 'where paths refer to them'),
    ...shown('callbacks', 'examples', 'links'),
  },
  'Path Item': {
    ...shown('summary', 'description'),
    $ref: kept(
      'to a path item within the document; nothing but summary and description may stand beside it',
      check.text,
    ),
    ...Object.fromEntries(METHODS.map((method) => [method, one('Operation', BOTH)])),
    servers: refused('move servers to the top level of the document'),
    parameters: list('Parameter', BOTH),
  },
  Operation: {
    ...shown('summary', 'description', 'tags', 'externalDocs', 'deprecated', 'callbacks'),
    operationId: kept('any text but `__proto__`: the key of the handler in `operations`', check.text),
    parameters: list('Parameter', BOTH),
    requestBody: one('Request Body', `${BOTH}; an operation without one refuses a body`),
    responses: map(
      'Response',
      `${BOTH}; failures that the service itself answers must be declared, with messages of up to 32768 characters; an operation may answer a 4xx that only \`default\` declares, unless its \`error\` has \`x-error-numbers\``,
    ),
    security: list('Security Requirement', SECURITY),
    servers: refused('move servers to the top level of the document'),
    'x-max-body-bytes': kept(
      'the largest body in bytes, as sent and after decompression: by default 65536, at most 1048576, or 16777216 where all bodies are bytes; the check of a request may take 300,000 steps and five for each byte: 40099 beyond',
      check.bodyLimit,
    ),
    'x-allow-unknown-query-parameters': refused('declare each query parameter: others are refused'),
  },
  Parameter: {
    name: kept(BOTH, (value, holder) => check.text(value, holder) ?? check.noPrototype([value], holder)),
    in: kept(
      'path, query, header',
      check.must('path, query or header: cookies are not read', (value) =>
        ['path', 'query', 'header'].includes(String(value)),
      ),
    ),
    required: kept(BOTH, check.flag),
    allowEmptyValue: refused('let the schema allow an empty string'),
    style: kept(
      '`simple` in path and header; `form`, `deepObject` in query; of an exploded object in `form`, the query has the members that it names',
      check.style,
    ),
    explode: kept(RUN, check.flag),
    allowReserved: kept('no effect: reserved characters are always allowed', check.flag),
    schema: one('Schema', 'a string, number, integer or boolean, or an array or an object of these'),
    content: refused('describe the parameter by a schema'),
    ...shown('description', 'deprecated', 'example', 'examples'),
  },
  'Request Body': {
    ...shown('description'),
    content: map('Media Type', `${MEDIA}; of several, the operation reads \`contentType\``),
    required: kept(BOTH, check.flag),
  },
  'Media Type': {
    schema: one('Schema', `${BOTH}; of bytes: only minLength and maxLength, which count bytes`),
    ...shown('example', 'examples'),
    encoding: refused('leave it out: a body has no parts'),
  },
  Response: {
    ...shown('description', 'links'),
    headers: map(
      'Header',
      `${BOTH}; an operation may write their names in any case; those of HTTP and of the service are refused: Content-Length, Connection, Date, Access-Control-… and their like`,
    ),
    content: map('Media Type', `one media type: ${MEDIA}`),
  },
  Header: {
    required: kept(BOTH, check.flag),
    style: kept('`simple`', check.oneOf('simple')),
    explode: kept('no effect: a header has one value', check.flag),
    schema: one(
      'Schema',
      'a string, number, integer or boolean; text goes out as UTF-8; one with a control character gets the client 500',
    ),
    content: refused('describe the header by a schema'),
    ...shown('description', 'deprecated', 'example', 'examples'),
  },
  'Security Scheme': {
    type: kept(
      '`http`, `oauth2` and `openIdConnect`: a bearer token; `apiKey`: the same token in a header of its own',
      check.oneOf(...Object.keys(SCHEMES)),
    ),
    scheme: kept(
      '`bearer`',
      check.must(`bearer: ${TOKENS}`, (value) => /^bearer$/i.test(String(value))),
    ),
    in: kept(
      '`header`',
      check.must(
        `header, as logs keep urls, and browsers send cookies for any page: ${TOKENS}`,
        (value) => value === 'header',
      ),
    ),
    name: kept('not that of a header which clients or proxies send by themselves', check.header),
    ...shown('description', 'bearerFormat', 'flows', 'openIdConnectUrl'),
  },
  'Security Requirement': {},
  Schema: {
    $ref: kept(
      `also beside other keywords; \`generate\` refuses a place other than \`#/components/schemas/…\`; ${ONE_FILE}`,
      check.text,
    ),
    $schema: refused(DIALECT),
    $id: refused(NO_NAMES),
    $anchor: refused(NO_NAMES),
    $dynamicRef: refused('write $ref'),
    $dynamicAnchor: refused(NO_NAMES),
    $vocabulary: refused(DIALECT),
    ...schemas({
      $defs: [`${RUN}; \`generate\` refuses a $ref to one: move it to components/schemas`],
      patternProperties: [BOTH, check.patterns],
      additionalProperties: [`${BOTH}; without it, beside \`properties\`, other members are valid and left out`],
      unevaluatedProperties: [
        `${RUN}; no branch beneath it may allow all members, or name one like those of each object, such as \`constructor\``,
      ],
    }),
    unevaluatedItems: refused('describe all items by items and prefixItems'),
    type: kept(`${BOTH}; \`generate\` refuses members in a request without \`type: object\``, check.types),
    enum: kept(
      `${BOTH}; an int64 is compared exactly`,
      check.ofInt64(check.must('a list of at least one value', check.isFilled)),
    ),
    const: kept(
      `${BOTH}; an int64 is compared exactly`,
      check.ofInt64(() => undefined),
    ),
    multipleOf: kept('at run time, in decimal arithmetic', check.ofInt64(check.positive)),
    maximum: kept('at run time; an int64 is compared exactly', check.ofInt64(check.number)),
    exclusiveMaximum: kept('at run time; an int64 is compared exactly', check.ofInt64(check.number)),
    minimum: kept('at run time; an int64 is compared exactly', check.ofInt64(check.number)),
    exclusiveMinimum: kept('at run time; an int64 is compared exactly', check.ofInt64(check.number)),
    maxLength: kept('at run time, in code points', check.count),
    minLength: kept('at run time, in code points', check.count),
    pattern: kept(
      'at run time, as a JavaScript regular expression with the flag u; one whose time may grow faster than the text is refused',
      check.pattern,
    ),
    maxItems: kept(RUN, check.count),
    minItems: kept(RUN, check.count),
    uniqueItems: kept('at run time; numbers are compared by value, objects by their members', check.flag),
    maxContains: kept(RUN, check.count),
    minContains: kept(RUN, check.count),
    maxProperties: kept(RUN, check.count),
    minProperties: kept(RUN, check.count),
    required: kept(BOTH, (value, holder) => check.names(value, holder) ?? check.noPrototype(value, holder)),
    dependentRequired: kept(
      RUN,
      (value, holder) => check.dependents(value, holder) ?? check.noPrototype(value, holder),
    ),
    format: kept(
      `at run time: ${check.FORMATS.join(', ')}; an int64 is a bigint, and each schema that types its value must have this format; the domain of an email must have a dot; punycode in a hostname is not decoded`,
      check.format,
    ),
    default: kept(
      'filled in where a request lacks a parameter or a member of an object; the request must be valid with it too',
    ),
    readOnly: kept('for a member of an object; requests must not have the member', check.marker),
    writeOnly: kept('for a member of an object; replies must not have the member', check.marker),
    discriminator: one(
      'Discriminator',
      'beside oneOf or anyOf; each branch must require the property, and fix its values by const or enum',
    ),
    ...shown('title', 'description', '$comment', 'deprecated', 'example', 'examples', 'externalDocs', 'xml'),
    ...shown('contentEncoding', 'contentMediaType', 'contentSchema'),
    nullable: refused('write a list of types: type: [string, "null"]'),
    'x-pattern-message': kept(
      'the message to a client whose string does not match the pattern beside it',
      (value, holder) =>
        check.text(value, holder) ?? (holder['pattern'] === undefined ? 'must stand beside a pattern' : undefined),
    ),
    'x-error-numbers': kept(
      'the meaning of each number; the type allows only these; `contract:check` compares them',
      check.meanings,
    ),
  },
  Discriminator: {
    propertyName: kept(RUN, check.text),
    mapping: kept('each branch must allow only the values that are mapped to it', check.mapping),
  },
};

/** OpenAPI ignores header parameters with these names (OpenAPI 3.1, section 4.8.12). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

export function isIgnored({ in: location, name }: { readonly in?: unknown; readonly name?: unknown }): boolean {
  return location === 'header' && IGNORED_HEADERS.includes(String(name).toLowerCase());
}

export const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json(?:; ?charset=utf-8)?$/;
/** A media type whose bodies are texts or bytes: none with parts, of a form or a stream, and no range such as image/*. */
export const OTHER_TYPE =
  /^(?!multipart\/|application\/x-www-form-urlencoded|text\/event-stream|[^;]*[/+]json(?:;|$))[a-z0-9][a-z0-9.!#$&^_-]*\/[a-z0-9][a-z0-9.!#$&^_+-]*(?:; ?charset=utf-8)?$/;
