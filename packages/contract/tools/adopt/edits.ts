import { STATUS_CODES } from 'node:http';
import { type Follow, METHODS, placedAt, resolver, writtenAs } from '../../src/schema/document.ts';
import { type ObjectKind, OTHER_TYPE, VOCABULARY } from '../../src/rules/vocabulary.ts';
import { variablesOf } from '../../src/rules/addresses.ts';
import { withoutEscapes } from './escapes.ts';
import type { Spot } from './spots.ts';
import { type KnownObject, nodesIn } from '../../src/rules/objects.ts';
import { isNode, memberOf, type Tree, operationsIn, rename, safely } from './tree.ts';

/** The document under edit. */
export interface Draft {
  readonly document: Tree;
  /** Whether it was OpenAPI 3.0. */
  readonly isOld: boolean;
  readonly follow: Follow;
}

/** A change that keeps what the document means. */
export interface Edit {
  readonly what: string;
  readonly of: ObjectKind;
  /** The member whose place is told, if it is not that of the object. */
  readonly member?: string;
  /** @returns whether it has changed the object, or what it has changed */
  readonly change: (node: Tree, draft: Draft, found: KnownObject) => boolean | readonly Spot[];
}

/** Fields that change nothing beside a `$ref`: 3.0 ignores them, and in 3.1 they only describe. */
const SAID_ONLY = /^(?:\$ref|title|description|summary|deprecated|externalDocs|xml|x-.*)$/;
/** Members without which a document would mean another thing, or which may be null: without `security` a service is open. */
const MEANS_MORE = new RegExp(
  `^(?:default|const|example|openapi|security|type|\\$ref|requestBody|schema|${METHODS.join('|')})$`,
);
/** Keywords that validate, and that OpenAPI 3.0 does not have. */
const SINCE_3_1 =
  /^(?:const|if|then|else|dependent(?:Schemas|Required)|patternProperties|propertyNames|prefixItems|(?:minC|maxC|c)ontains|unevaluatedProperties)$/;
/** `api.example.com/v1`, which is a relative path to clients. */
const HOST = /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?:\/[^?#]*)?$/i;
const NO_BODY = /^(?:20[45]|304)$/;

export const drop = (node: Tree, name: string): boolean => {
  const has = Object.hasOwn(node, name);
  if (has) Reflect.deleteProperty(node, name);
  return has;
};
/** Drops the members of some names. */
const dropped = (node: Tree, isDropped: (name: string) => boolean): Spot[] =>
  Object.keys(node).flatMap((member) =>
    isDropped(member) && drop(node, member) ? [{ node, member, name: member }] : [],
  );
const set = (node: Tree, name: string, value: unknown): boolean => {
  node[name] = value;
  return true;
};

export const VARIABLES: Edit = {
  what: 'a variable of a path is declared as a text',
  of: 'OpenAPI',
  change: (_, { document }) => {
    const resolve = resolver(document);
    const lacking = operationsIn(document).filter(({ node, item, path }) => {
      const lists = [item['parameters'] ?? [], node['parameters'] ?? []];
      if (!lists.every(Array.isArray)) return false;
      const listed = lists.flat() as unknown[];
      const names = listed.filter(isNode).map((each) => safely(() => resolve(each)['name']));
      const missing = variablesOf(path).filter((name) => !names.includes(name));
      const added = missing.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
      return added.length > 0 && set(node, 'parameters', [...((node['parameters'] ?? []) as unknown[]), ...added]);
    });
    return lacking;
  },
};

/** The edits that are made before references are followed. */
export const EDITS: readonly Edit[] = [
  {
    what: 'OpenAPI 3.0 became 3.1',
    of: 'OpenAPI',
    change: (node, { document }) => {
      if (!/^3\.0(?:\.\d+)?$/.test(String(node['openapi']))) return false;
      set(node, 'openapi', '3.1.0');
      const isNew = (name: string, value: unknown) =>
        SINCE_3_1.test(name) || (typeof value === 'number' && /^exclusiveM(?:in|ax)imum$/.test(name));
      const news = nodesIn(document).flatMap(({ node: schema, kind }) =>
        kind === 'Schema'
          ? Object.keys(schema)
              .filter((member) => isNew(member, schema[member]))
              .map((member) => ({ node: schema, member, name: `${member}, which 3.0 does not know, applies` }))
          : [],
      );
      return [{ node, member: 'openapi' }, ...news];
    },
  },
  {
    what: 'the version of OpenAPI has three numbers',
    of: 'OpenAPI',
    member: 'openapi',
    change: (node) => String(node['openapi']) === '3.1' && set(node, 'openapi', '3.1.0'),
  },
  {
    what: 'the version of the API became a text',
    of: 'Info',
    member: 'version',
    change: (node) => typeof node['version'] === 'number' && set(node, 'version', writtenAs(node, 'version')),
  },
  {
    what: 'a url of a server that begins with the name of a host begins with https://',
    of: 'Server',
    member: 'url',
    change: (node) => HOST.test(String(node['url'])) && set(node, 'url', `https://${String(node['url'])}`),
  },
  {
    what: 'fields that OpenAPI 3.0 ignores beside $ref were removed',
    of: 'Schema',
    change: (node, { isOld }) => {
      if (!isOld || typeof node['$ref'] !== 'string') return false;
      return dropped(node, (name) => !SAID_ONLY.test(name));
    },
  },
  ...(['Parameter', 'Request Body', 'Response', 'Header'] as const).map((of): Edit => ({
    what: 'fields that OpenAPI ignores beside $ref were removed',
    of,
    change: (node) =>
      typeof node['$ref'] === 'string' && dropped(node, (name) => !/^(?:\$ref|summary|description)$/.test(name)),
  })),
  {
    what: 'nullable became a list of types',
    of: 'Schema',
    member: 'nullable',
    change: (node) => {
      const { nullable, type } = node;
      if (nullable !== true || typeof type !== 'string') return false;
      node['type'] = [type, 'null'];
      return drop(node, 'nullable');
    },
  },
  {
    // It adds null to the type beside it, and to nothing (OpenAPI 3.0.3, Schema Object); 3.1 has no such keyword.
    what: 'nullable was removed where no single type stands beside it: it allows no null there',
    of: 'Schema',
    member: 'nullable',
    change: (node) => node['nullable'] === true && typeof node['type'] !== 'string' && drop(node, 'nullable'),
  },
  {
    what: 'nullable: false was removed, which is the default',
    of: 'Schema',
    member: 'nullable',
    change: (node) => node['nullable'] === false && drop(node, 'nullable'),
  },
  {
    what: 'null became "null" in a list of types',
    of: 'Schema',
    member: 'type',
    change: (node) => {
      const types: unknown[] = Array.isArray(node['type']) ? node['type'] : [];
      if (!types.includes(null)) return false;
      node['type'] = types.map((each) => each ?? 'null');
      return true;
    },
  },
  ...(['Minimum', 'Maximum'] as const).map((bound): Edit => {
    const exclusive = `exclusive${bound}`;
    const inclusive = bound.toLowerCase();
    return {
      what: `${exclusive} became a number`,
      of: 'Schema',
      member: exclusive,
      change: (node) => {
        if (typeof node[exclusive] !== 'boolean') return false;
        if (node[exclusive] && node[inclusive] !== undefined) {
          drop(node, exclusive);
          rename(node, inclusive, exclusive, node[inclusive]);
        } else drop(node, exclusive);
        return true;
      },
    };
  }),
  {
    what: 'example became examples',
    of: 'Schema',
    member: 'example',
    change: (node, { isOld }) => {
      if (!isOld || node['example'] === undefined || node['examples'] !== undefined) return false;
      rename(node, 'example', 'examples', placedAt([node['example']], node, 'example'));
      return true;
    },
  },
  {
    what: 'a map of examples became a list',
    of: 'Schema',
    member: 'examples',
    change: (node) => {
      const { examples } = node;
      if (!isNode(examples)) return false;
      // Some authors write `{ first: { value: 1 } }`, the form of `examples` beside a media type.
      const values = Object.values(examples).map((each) => (isNode(each) && 'value' in each ? each['value'] : each));
      return set(node, 'examples', placedAt(values, node, 'examples'));
    },
  },
  {
    what: 'a pattern lost escapes that have no effect',
    of: 'Schema',
    member: 'pattern',
    change: (node) => {
      const { pattern } = node;
      const plain = typeof pattern === 'string' ? withoutEscapes(pattern) : pattern;
      return plain !== pattern && set(node, 'pattern', plain);
    },
  },
  {
    what: 'fields without an effect on a scheme of HTTP were removed',
    of: 'Security Scheme',
    change: (node) => node['type'] === 'http' && dropped(node, (name) => /^(?:in|name)$/.test(name)),
  },
  {
    // An access token has a list of scopes, with spaces between them (RFC 6749, section 3.3).
    what: 'a scope with spaces became several',
    of: 'Security Requirement',
    change: (node) =>
      Object.entries(node).flatMap(([member, scopes]) => {
        if (!Array.isArray(scopes) || !scopes.some((each) => String(each).includes(' '))) return [];
        const parts = [...new Set(scopes.flatMap((each) => String(each).split(' ').filter(Boolean)))];
        // Without a scope, any token would do.
        if (parts.length === 0) return [];
        node[member] = parts;
        return [{ node, member, name: member }];
      }),
  },
  {
    what: 'a parameter of a path says that it is required',
    of: 'Parameter',
    change: (node) => node['in'] === 'path' && node['required'] === undefined && set(node, 'required', true),
  },
  {
    what: 'allowEmptyValue: false was removed, which is the default',
    of: 'Parameter',
    member: 'allowEmptyValue',
    change: (node) => node['allowEmptyValue'] === false && drop(node, 'allowEmptyValue'),
  },
  {
    what: 'a media type without a schema has one that allows any value',
    of: 'Media Type',
    change: (node, _, { name }) =>
      !OTHER_TYPE.test(name) && node['schema'] === undefined && node['$ref'] === undefined && set(node, 'schema', {}),
  },
  {
    what: 'encoding was removed, which has no effect on JSON',
    of: 'Media Type',
    member: 'encoding',
    change: (node, _, { name }) => name.includes('json') && drop(node, 'encoding'),
  },
  {
    what: 'a response has the name of its status as its description',
    of: 'Response',
    change: (node, _, { name }) =>
      node['$ref'] === undefined &&
      (node['description'] === undefined || node['description'] === null) &&
      // The name is the author's: it may be `constructor`.
      set(node, 'description', (Object.hasOwn(STATUS_CODES, name) ? STATUS_CODES[name] : undefined) ?? 'A reply'),
  },
  {
    what: 'a reply that has no body lost its content',
    of: 'Response',
    member: 'content',
    change: (node, _, { name }) => NO_BODY.test(name) && drop(node, 'content'),
  },
  {
    what: 'a header Content-Type was removed, which OpenAPI ignores',
    of: 'Response',
    change: ({ headers }) => isNode(headers) && dropped(headers, (name) => /^content-type$/i.test(name)),
  },
  ...Object.entries(VOCABULARY).map(([kind, rows]): Edit => ({
    what: 'a member without a value was removed',
    of: kind as ObjectKind,
    change: (node) =>
      dropped(node, (name) => Object.hasOwn(rows, name) && node[name] === null && !MEANS_MORE.test(name)),
  })),
  VARIABLES,
  {
    what: 'an operation that declares no reply may answer 200 with any value',
    of: 'Operation',
    change: (node) => {
      const responses = node['responses'] ?? {};
      const isEmpty = isNode(responses) && Object.keys(responses).length === 0;
      const any = { description: 'OK', content: { 'application/json': { schema: {} } } };
      return isEmpty && set(node, 'responses', { '200': any });
    },
  },
  {
    what: 'an operation that has only a default reply declares it as 200 too',
    of: 'Operation',
    member: 'responses',
    change: (node) => {
      const responses = memberOf(node, 'responses') ?? {};
      const { default: reply, ...others } = responses;
      // The same object, so that a fault in it has its line, and what is left out goes from both.
      return isNode(reply) && Object.keys(others).length === 0 && set(responses, '200', reply);
    },
  },
  {
    // An operationId that another operation has counts as missing: OpenAPI refuses it.
    what: 'an operation has an operationId of its own, by its method and path',
    of: 'OpenAPI',
    change: (_, { document }) => {
      const taken = new Set<unknown>();
      const lacking = operationsIn(document).filter(
        ({ node: { operationId: id } }) => id === undefined || taken.size === taken.add(id).size,
      );
      for (const { node, method, path } of lacking) {
        node['operationId'] = operationIdOf(method, path, taken);
        taken.add(node['operationId']);
      }
      return lacking.map(({ node }) => ({ node, name: String(node['operationId']) }));
    },
  },
];

/** `get /pets/{petId}` becomes `getPetsByPetId`. */
function operationIdOf(method: string, path: string, taken: ReadonlySet<unknown>): string {
  const words = path.replaceAll('{', ' by ').match(/[A-Za-z0-9]+/g) ?? ['root'];
  const name = method + words.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join('');
  let id = name;
  for (let count = 2; taken.has(id); count++) id = `${name}${count}`;
  return id;
}
