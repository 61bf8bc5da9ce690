import { TYPES } from '../schema/subschemas.ts';
import {
  follower,
  locationOf,
  METHODS,
  type OpenApiDocument,
  type Schema,
  type Server,
  targetOf,
} from '../schema/document.ts';
import { ContractError } from '../errors.ts';
import { isLarge, isObject, NUMBER_FORMATS } from '../schema/exact.ts';
import { SILENT_FORMATS, STRING_FORMATS } from '../schema/formats.ts';
import type { Findings } from '../schema/findings.ts';
import { urlOf, variablesOf } from './addresses.ts';
import { requireShallow } from './depth.ts';
import { Position } from '../schema/positions.ts';

/** OpenAPI's names of its objects. */
export type ObjectKind =
  | ('OpenAPI' | 'Info' | 'Server' | 'Components' | 'Path Item' | 'Operation' | 'Parameter' | 'Request Body')
  | ('Media Type' | 'Response' | 'Header' | 'Security Scheme' | 'Security Requirement' | 'Schema' | 'Discriminator');

/** One field of OpenAPI 3.1 or one keyword of JSON Schema 2020-12; packages/trellis/docs/contract.md shows it as a row of a table. */
export interface VocabularyRow {
  /** `kept`: the service or the compiler enforces the field. `shown`: documentation. `refused`: the start fails. */
  readonly is: 'kept' | 'shown' | 'refused';
  /** How the service enforces the field; for a refused field, the cure. */
  readonly how: string;
  readonly value?: ValueCheck;
  /** The kind of the object, or of the objects in a list or a map, that is the field's value. */
  readonly holds?: { readonly kind: ObjectKind; readonly in?: 'list' | 'map' };
}

/** @returns what is wrong with a value: a sentence whose subject is the field's name */
type ValueCheck = (value: unknown, holder: Readonly<Record<string, unknown>>) => string | undefined;

const must =
  (what: string, isValid: (value: unknown) => boolean): ValueCheck =>
  (value) =>
    isValid(value) ? undefined : `must be ${what}`;

const text = must('a string', (value) => typeof value === 'string');
const flag = must('true or false', (value) => typeof value === 'boolean');
const marker: ValueCheck = (value, holder) =>
  holder['readOnly'] === true && holder['writeOnly'] === true
    ? 'must not be combined with its opposite: the member could never be sent'
    : flag(value, holder);
const count = must('an integer of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0);
const isNumber = (value: unknown) => typeof value === 'bigint' || Number.isFinite(value);
const number = must('a number', isNumber);
const positive = must('a number above 0', (value) => isNumber(value) && Number(value) > 0);
/** document.ts reads integers beyond ±9007199254740991 as bigints, which only the format int64 allows. */
const ofInt64 =
  (check: ValueCheck): ValueCheck =>
  (value, holder) =>
    holder['format'] !== 'int64' && holdsBigint(value) ? ROUNDED : check(value, holder);
const ROUNDED = 'goes beyond ±9007199254740991, where numbers are rounded: add format: int64';
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const names = must('a list of strings', isNames);
const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;
const oneOf = (...allowed: readonly unknown[]) => must(allowed.join(' or '), (value) => allowed.includes(value));

const types: ValueCheck = (value) => {
  const listed = [value].flat();
  if (listed.includes(null)) return 'must have "null" in quotes, which make it a string';
  const different = new Set<unknown>(listed);
  const areTypes = listed.length > 0 && different.size === listed.length && different.isSubsetOf(TYPES);
  return areTypes ? undefined : `must be one or more of ${[...TYPES].join(', ')}`;
};

const FORMATS = [...Object.keys(NUMBER_FORMATS), ...Object.keys(STRING_FORMATS), ...SILENT_FORMATS];

const format: ValueCheck = (value, { type }) => {
  if (!FORMATS.includes(String(value))) return `${String(value)} is not supported: use one of ${FORMATS.join(', ')}`;
  if (value !== 'int64' || [type].flat().includes('integer')) return undefined;
  return 'int64 must stand beside type: integer';
};

const mapOf = (what: string, isEntry: (entry: readonly [string, unknown]) => boolean) =>
  must(`a map of ${what}`, (value) => isObject(value) && Object.entries(value).every(isEntry));
const meanings = mapOf(
  'numbers to their meanings',
  ([number, meaning]) => /^\d+$/.test(number) && typeof meaning === 'string',
);
const dependents = mapOf('names to lists of names', ([, value]) => isNames(value));
const mapping = mapOf('values to schemas', ([, value]) => typeof value === 'string');

const pattern: ValueCheck = (value) => {
  try {
    new RegExp(String(value), 'u');
    return typeof value === 'string' ? undefined : 'must be a string';
  } catch (error) {
    return `does not compile: ${String(error)}`;
  }
};

const patterns: ValueCheck = (value, holder) =>
  Object.keys(value as object)
    .map((each) => pattern(each, holder))
    .find((wrong) => wrong !== undefined);

/** Ajv generates object literals, in which this member would set the prototype. */
const PROTOTYPE = '__proto__';
const noPrototype = must(
  `without ${PROTOTYPE}`,
  (value) => !(Array.isArray(value) ? value : Object.keys(value as object)).includes(PROTOTYPE),
);

const style: ValueCheck = (value, { in: location }) => {
  const styles = location === 'query' ? ['form', 'deepObject'] : ['simple'];
  return styles.includes(String(value))
    ? undefined
    : `${String(value)} is not supported in ${String(location)}: use ${styles.join(' or ')}`;
};

const serverUrl: ValueCheck = (url, { variables }) => {
  if (typeof url !== 'string') return text(url, {});
  const [name] = variablesOf(urlOf({ url, variables } as Server));
  return name === undefined ? undefined : `has {${name}} without a default: add variables: { ${name}: { default: … } }`;
};

/** RFC 9110, section 5.6.2. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Browsers, proxies and libraries set these, or read a meaning of their own into them. */
const SENT_BY_CLIENTS =
  /^(?:(?:accept|access-control|content|if|proxy|sec|upgrade|x-forwarded)(?:-.*)?|baggage|cache-control|connection|cookie2?|date|dnt|expect|forwarded|from|host|keep-alive|max-forwards|origin|pragma|priority|range|referer|set-cookie|te|trace(?:parent|state)|trailer|transfer-encoding|user-agent|via|x-real-ip|x-request-id)$/i;
const header: ValueCheck = (value) => {
  const name = String(value);
  if (/^authorization$/i.test(name)) return 'must not be Authorization: write type: http and scheme: bearer';
  if (TOKEN.test(name) && !SENT_BY_CLIENTS.test(name)) return noPrototype([name], {});
  return `must be that of a header field which clients do not send by themselves, unlike ${name}: X-API-Key, say`;
};

const kept = (how: string, value?: ValueCheck): VocabularyRow => ({ is: 'kept', how, ...(value && { value }) });
const one = (kind: ObjectKind, how: string): VocabularyRow => ({ ...kept(how), holds: { kind } });
const list = (kind: ObjectKind, how: string): VocabularyRow => ({ ...kept(how), holds: { kind, in: 'list' } });
const map = (kind: ObjectKind, how: string, value?: ValueCheck): VocabularyRow => ({
  ...kept(how, value),
  holds: { kind, in: 'map' },
});
const refused = (how: string): VocabularyRow => ({ is: 'refused', how });
const shown = (...fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, { is: 'shown', how: '' }] as const));

const RUN = 'at run time';
const BOTH = 'in the types and at run time';
const SECURITY = `${RUN}; beside others, \`{}\` makes a token optional: one that is sent is checked`;
export const ONE_FILE = 'bundle all files into one: `npx redocly bundle`';
const DIALECT = 'leave it out: all schemas have the dialect of OpenAPI 3.1';
const TOKENS = 'the service checks only tokens: write type: http and scheme: bearer, or type: apiKey and in: header';
const NO_NAMES = 'leave it out, and refer to a schema by its path, `#/components/schemas/…`';

export const VOCABULARY: Readonly<Record<ObjectKind, Readonly<Record<string, VocabularyRow>>>> = {
  OpenAPI: {
    openapi: kept('3.1.x', text),
    info: one('Info', '`contract:check` compares `version`'),
    jsonSchemaDialect: refused(DIALECT),
    servers: list('Server', 'the service mounts the operations at the path of the first one; the others are listed'),
    paths: map('Path Item', 'each operation needs a handler; if two templates match a request, the first one applies'),
    components: one('Components', 'parts that operations refer to'),
    security: list('Security Requirement', SECURITY),
    ...shown('webhooks', 'tags', 'externalDocs'),
  },
  Info: {
    ...shown('summary', 'description', 'title', 'termsOfService', 'contact', 'license'),
    version: kept('', text),
  },
  Server: {
    url: kept('of the first server, only its path matters', serverUrl),
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
    $ref: kept('to a path item within the document; nothing but summary and description may stand beside it', text),
    ...Object.fromEntries(METHODS.map((method) => [method, one('Operation', BOTH)])),
    servers: refused('move servers to the top level of the document'),
    parameters: list('Parameter', BOTH),
  },
  Operation: {
    ...shown('summary', 'description', 'tags', 'externalDocs', 'deprecated', 'callbacks'),
    operationId: kept('any text: the key of the handler in `operations`', text),
    parameters: list('Parameter', BOTH),
    requestBody: one('Request Body', `${BOTH}; an operation without one refuses a body`),
    responses: map(
      'Response',
      `${BOTH}; failures that the service itself answers must be declared, with messages of up to 32768 characters`,
    ),
    security: list('Security Requirement', SECURITY),
    servers: refused('move servers to the top level of the document'),
    'x-max-body-bytes': kept(
      'the largest body in bytes, as sent and after decompression: by default 65536, at most 1048576; the check of a request may take 300,000 steps and five for each byte: 40099 beyond',
      count,
    ),
    'x-allow-unknown-query-parameters': refused('declare each query parameter: others are refused'),
  },
  Parameter: {
    name: kept(BOTH, (value, holder) => text(value, holder) ?? noPrototype([value], holder)),
    in: kept(
      'path, query, header',
      must('path, query or header: cookies are not read', (value) =>
        ['path', 'query', 'header'].includes(String(value)),
      ),
    ),
    required: kept(BOTH, flag),
    allowEmptyValue: refused('let the schema allow an empty string'),
    style: kept('`simple` in path and header; `form`, `deepObject` in query', style),
    explode: kept(RUN, flag),
    allowReserved: kept('no effect: reserved characters are always allowed', flag),
    schema: one('Schema', 'a string, number, integer or boolean, or an array or an object of these'),
    content: refused('describe the parameter by a schema'),
    ...shown('description', 'deprecated', 'example', 'examples'),
  },
  'Request Body': {
    ...shown('description'),
    content: map('Media Type', 'application/json, application/….+json'),
    required: kept(BOTH, flag),
  },
  'Media Type': {
    schema: one('Schema', BOTH),
    ...shown('example', 'examples'),
    encoding: refused('leave it out: a JSON body has no parts'),
  },
  Response: {
    ...shown('description', 'links'),
    headers: map(
      'Header',
      `${BOTH}; those of HTTP and of the service are refused: Content-Length, Connection, Date, Access-Control-… and their like`,
    ),
    content: map('Media Type', 'one media type: application/json, application/….+json'),
  },
  Header: {
    required: kept(BOTH, flag),
    style: kept('`simple`', oneOf('simple')),
    explode: kept('no effect: a header has one value', flag),
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
      oneOf('http', 'oauth2', 'openIdConnect', 'apiKey'),
    ),
    scheme: kept(
      '`bearer`',
      must(`bearer: ${TOKENS}`, (value) => /^bearer$/i.test(String(value))),
    ),
    in: kept(
      '`header`',
      must(`header: logs keep urls, and pages of others send cookies: ${TOKENS}`, (value) => value === 'header'),
    ),
    name: kept('not that of a header which clients or proxies send by themselves', header),
    ...shown('description', 'bearerFormat', 'flows', 'openIdConnectUrl'),
  },
  'Security Requirement': {},
  Schema: {
    $ref: kept(
      `also beside other keywords; \`generate\` refuses a place other than \`#/components/schemas/…\`; ${ONE_FILE}`,
      text,
    ),
    $defs: map('Schema', `${RUN}; \`generate\` refuses a $ref to one: move it to components/schemas`),
    $schema: refused(DIALECT),
    $id: refused(NO_NAMES),
    $anchor: refused(NO_NAMES),
    $dynamicRef: refused('write $ref'),
    $dynamicAnchor: refused(NO_NAMES),
    $vocabulary: refused(DIALECT),
    allOf: list('Schema', BOTH),
    anyOf: list('Schema', BOTH),
    oneOf: list('Schema', BOTH),
    not: one('Schema', RUN),
    if: one('Schema', RUN),
    then: one('Schema', RUN),
    else: one('Schema', RUN),
    dependentSchemas: map('Schema', RUN),
    properties: map('Schema', BOTH),
    patternProperties: map('Schema', BOTH, patterns),
    additionalProperties: one('Schema', BOTH),
    unevaluatedProperties: one('Schema', RUN),
    propertyNames: one('Schema', RUN),
    items: one('Schema', BOTH),
    prefixItems: list('Schema', BOTH),
    contains: one('Schema', RUN),
    unevaluatedItems: refused('describe all items by items and prefixItems'),
    type: kept(`${BOTH}; \`generate\` refuses members in a request without \`type: object\``, types),
    enum: kept(`${BOTH}; an int64 is compared exactly`, ofInt64(must('a list of at least one value', isFilled))),
    const: kept(
      `${BOTH}; an int64 is compared exactly`,
      ofInt64(() => undefined),
    ),
    multipleOf: kept('at run time, in decimal arithmetic', ofInt64(positive)),
    maximum: kept('at run time; an int64 is compared exactly', ofInt64(number)),
    exclusiveMaximum: kept('at run time; an int64 is compared exactly', ofInt64(number)),
    minimum: kept('at run time; an int64 is compared exactly', ofInt64(number)),
    exclusiveMinimum: kept('at run time; an int64 is compared exactly', ofInt64(number)),
    maxLength: kept('at run time, in code points', count),
    minLength: kept('at run time, in code points', count),
    pattern: kept(
      'at run time, as a JavaScript regular expression with the flag u; one whose time may grow faster than the text is refused',
      pattern,
    ),
    maxItems: kept(RUN, count),
    minItems: kept(RUN, count),
    uniqueItems: kept('at run time; numbers are compared by value, objects by their members', flag),
    maxContains: kept(RUN, count),
    minContains: kept(RUN, count),
    maxProperties: kept(RUN, count),
    minProperties: kept(RUN, count),
    required: kept(BOTH, (value, holder) => names(value, holder) ?? noPrototype(value, holder)),
    dependentRequired: kept(RUN, (value, holder) => dependents(value, holder) ?? noPrototype(value, holder)),
    format: kept(
      `at run time: ${FORMATS.join(', ')}; an int64 is a bigint, and each schema that types its value must have this format; the domain of an email must have a dot; punycode in a hostname is not decoded`,
      format,
    ),
    default: kept(
      'filled in where a request lacks a parameter or a member of an object; the request must be valid with it too',
    ),
    readOnly: kept('for a member of an object; requests must not have the member', marker),
    writeOnly: kept('for a member of an object; replies must not have the member', marker),
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
        text(value, holder) ?? (holder['pattern'] === undefined ? 'must stand beside a pattern' : undefined),
    ),
    'x-error-numbers': kept(
      'the meaning of each number; the type allows only these; `contract:check` compares them',
      meanings,
    ),
  },
  Discriminator: {
    propertyName: kept(RUN, text),
    mapping: kept('each branch must allow only the values that are mapped to it', mapping),
  },
};

/**
 * Copies an object of OpenAPI.
 *
 * @param change gets each object that one of its fields holds, with its kind, the name of the field, and its key there
 */
export function mapParts(
  value: object,
  kind: ObjectKind,
  change: (part: unknown, kind: ObjectKind, at: readonly [name: string, ...key: string[]]) => unknown,
): object {
  const rows = VOCABULARY[kind];
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const holds = Object.hasOwn(rows, name) ? rows[name]?.holds : undefined;
    if (holds === undefined) return [name, member];
    if (holds.in === undefined || !isLarge(member)) return [name, change(member, holds.kind, [name])];
    const parts = Object.entries(member).map(
      ([key, each]: [string, unknown]) => [key, change(each, holds.kind, [name, key])] as const,
    );
    return [name, Array.isArray(member) ? parts.map(([, each]) => each) : Object.fromEntries(parts)];
  });
  return Object.fromEntries(members) as object;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(holdsBigint);
}

/** Whether a default has an integer that would lose digits as a number. */
function isRounded(value: unknown, position: Position): boolean {
  if (Array.isArray(value)) return value.some((each, index) => isRounded(each, position.item(index)));
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' && !position.int64;
  return Object.entries(value).some(([name, each]) => isRounded(each, position.member(name)));
}

/** Maps in which OpenAPI allows extensions (`x-…`). */
const EXTENSIBLE = ['paths', 'responses'];

/** OpenAPI ignores header parameters with these names (OpenAPI 3.1, section 4.8.12). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

export function isIgnored({ in: location, name }: { readonly in?: unknown; readonly name?: unknown }): boolean {
  return location === 'header' && IGNORED_HEADERS.includes(String(name).toLowerCase());
}

export const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json(?:; ?charset=utf-8)?$/;

/** No edit of words cures these: only the author knows what shall stand in place of another medium, or of a cookie. */
const DECISIONS: readonly string[] = [
  'Media Type',
  'Parameter in',
  'Security Scheme type',
  'Security Scheme scheme',
  'Security Scheme in',
  'Security Scheme name',
];

/**
 * @param found gets the first refusal of each object, with line, column and cure
 * @returns all schemas of the document
 */
export function requireKept(document: OpenApiDocument, found: Findings): ReadonlySet<Schema> {
  const defaults: Schema[] = [];
  const refused = new Set<object>();
  const seen = Object.fromEntries(Object.keys(VOCABULARY).map((kind) => [kind, new Set()])) as Record<
    ObjectKind,
    Set<unknown>
  >;
  /** The operation that is visited, unless a reference has led out of it. */
  let where = '';
  const refuse = (node: object, field: string, what: string, subject = '') => {
    if (refused.has(node)) return;
    refused.add(node);
    const isDecision = DECISIONS.includes(subject);
    const place = `${locationOf(node, field)}${isDecision ? where : ''}`;
    found.add(new ContractError(what, place, isDecision ? 'decision' : 'edit'), node);
  };
  /** What references lead to, for later: calls cannot nest as deep as references may. */
  const referred: (() => void)[] = [];
  const visitWithin = (around: string, visiting: () => void) => {
    const before = where;
    where = around;
    visiting();
    where = before;
  };
  const visit = (value: unknown, kind: ObjectKind, holder: object, field: string): void => {
    if (kind === 'Schema' && typeof value === 'boolean') return;
    if (!isObject(value)) {
      refuse(holder, field, `${field} must be ${named(kind)}`);
      return;
    }
    found.depends(holder, value);
    if (kind === 'Media Type' && !JSON_TYPE.test(field)) {
      const forms = 'write application/json or application/….+json, in lower case';
      refuse(holder, field, `the media type ${field} is not JSON: ${forms}`, kind);
    }
    if (seen[kind].has(value)) return;
    seen[kind].add(value);
    if (typeof value['$ref'] === 'string') {
      const target = targetOf(document, value['$ref']);
      if (target === undefined)
        refuse(value, '$ref', `$ref leads to ${value['$ref']}, which is not in the document: ${ONE_FILE}`);
      else
        referred.push(() => {
          // What is behind the reference of a path is of that path.
          visit(target, kind, value, kind === 'Path Item' ? field : '$ref');
        });
      if (kind !== 'Schema') {
        const ignored = Object.keys(value).find((each) => !['$ref', 'summary', 'description'].includes(each));
        if (ignored !== undefined) refuse(value, ignored, `OpenAPI ignores ${ignored} beside $ref: leave it out`);
        return;
      }
    }
    if (kind === 'Parameter' && isIgnored(value)) return;
    if (kind === 'Schema' && holdsBigint(value['default'])) defaults.push(value);
    // A field that is not known may belong to a value of another one, as `in` does to `type: apiKey`.
    const isKnown = ([name]: readonly [string, unknown]) => Number(Object.hasOwn(VOCABULARY[kind], name));
    const fields = Object.entries(value).sort((one, other) => isKnown(other) - isKnown(one));
    for (const [name, member] of fields)
      visitWithin(kind === 'Path Item' ? `, ${name} ${field}` : where, () => {
        visitField(value, kind, name, member);
      });
    if (kind !== 'Path Item') return;
    for (const operation of METHODS.map((method) => value[method]).filter(isObject)) {
      if (Array.isArray(value['parameters'])) found.depends(operation, value['parameters']);
      if (refused.has(value)) found.spoil(operation);
    }
  };
  const visitField = (
    node: Readonly<Record<string, unknown>>,
    kind: ObjectKind,
    name: string,
    member: unknown,
  ): void => {
    const rows = VOCABULARY[kind];
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row === undefined) {
      if (kind === 'Security Requirement' || (name.startsWith('x-') && !name.startsWith('x-eov-'))) return;
      refuse(node, name, `the field ${name} of ${named(kind)} is not supported: leave it out`);
      return;
    }
    if (row.is === 'refused') {
      refuse(node, name, `${name} is not supported: ${row.how}`);
      return;
    }
    const { holds } = row;
    const isHolder = typeof member === 'object' && member !== null && Array.isArray(member) === (holds?.in === 'list');
    if (holds?.in !== undefined && !isHolder) {
      refuse(node, name, `${name} must be a ${holds.in} of ${holds.kind} Objects`);
      if (typeof member === 'object' && member !== null) found.spoil(member);
      return;
    }
    const wrong = row.value?.(member, node);
    if (wrong !== undefined) refuse(node, name, `${name} ${wrong}`, `${kind} ${name}`);
    if (holds === undefined) return;
    if (holds.in === undefined || !isHolder) {
      visit(member, holds.kind, node, name);
      return;
    }
    found.depends(node, member);
    for (const [key, each] of Object.entries(member)) {
      if (key === PROTOTYPE) refuse(member, key, `${name} must be without ${PROTOTYPE}`);
      if (key.startsWith('x-') && EXTENSIBLE.includes(name) && kind !== 'Components') continue;
      visit(each, holds.kind, member, key);
    }
  };
  visit(document, 'OpenAPI', document, 'the document');
  for (const visitNext of referred) visitNext();
  requireShallow(seen.Schema as ReadonlySet<Schema>, follower(document), found);
  // Last, when it is known which references lead somewhere.
  for (const schema of defaults)
    if (found.isSound(schema) && isRounded(schema.default, new Position(schema, follower(document))))
      refuse(schema, 'default', `default ${ROUNDED}`);
  return seen.Schema as ReadonlySet<Schema>;
}

function named(kind: ObjectKind): string {
  return `${/^[IO]/.test(kind) ? 'an' : 'a'} ${kind} Object`;
}
