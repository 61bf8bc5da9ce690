import { resolver } from '../../src/schema/document.ts';
import { exactJson } from '../../src/schema/int64.ts';
import { withoutProse } from '../compatibility/prose.ts';
import { asked, type Choice, made, type Question } from './decisions.ts';
import type { Draft, Edit } from './edits.ts';
import type { Spot } from './spots.ts';
import { ownStatuses } from './reading.ts';
import {
  added,
  childOf,
  isNode,
  memberOf,
  type Tree,
  type OperationNode,
  operationsIn,
  repliesIn,
  safely,
} from './tree.ts';

/** The body of a failure that the document declares, and where. */
interface Shape {
  /** The body, by its media type. */
  readonly schema: Readonly<Record<string, { readonly schema: unknown }>>;
  readonly name: string;
  readonly spots: { readonly node: object; readonly name: string }[];
}

/** Whether `default` is a success: it says what 200 says. */
function isDefaultSuccess({ default: reply, 200: success }: Tree): boolean {
  return isNode(reply) && isNode(reply['content']) && exactJson(reply) === exactJson(success);
}

/** The statuses to add for failures of the service itself: ranges if `default` is a success, otherwise `default`. */
function missing({ node }: OperationNode, document: Tree): string[] {
  const responses = memberOf(node, 'responses') ?? {};
  const has = (status: string) => Object.hasOwn(responses, status);
  const security: unknown = node['security'] ?? document['security'];
  const isOpen = !Array.isArray(security) || security.length === 0;
  const statuses = ownStatuses(isOpen).filter((each) => !has(each) && !has(`${each.charAt(0)}XX`));
  if (statuses.length === 0) return [];
  if (!has('default')) return ['default'];
  return isDefaultSuccess(responses) ? [...new Set(statuses.map((each) => `${each.charAt(0)}XX`))] : [];
}

/** The operations that do not declare what the service itself answers. */
const lackingIn = (document: Tree) =>
  operationsIn(document).flatMap((each) => {
    const [{ node, method, path }, statuses] = [each, missing(each, document)];
    return statuses.length === 0
      ? []
      : [{ node, member: 'responses', statuses, name: `${method} ${path}: ${statuses.join(', ')}` }];
  });

function shapesIn({ document }: Draft): Shape[] {
  const shapes = new Map<string, Shape>();
  for (const { declared, reply, status, responses, where } of repliesIn(document)) {
    if (status === 'default' ? isDefaultSuccess(responses) : !/^[45]/.test(status)) continue;
    const content = memberOf(reply, 'content') ?? {};
    const [[type, media] = []] = Object.entries(content).filter(([each]) => /json/i.test(each));
    const { schema } = isNode(media) ? media : {};
    if (type === undefined || schema === undefined || (isNode(schema) && Object.keys(schema).length === 0)) continue;
    const reference = (schema as Tree)['$ref'] ?? declared['$ref'];
    const [name] = /[^/]+$/.exec(typeof reference === 'string' ? reference : '') ?? [];
    const key = `${type} ${exactJson(withoutProse(schema))}`;
    const shape = shapes.getOrInsertComputed(key, () => ({
      schema: { [type]: { schema } },
      name: name ?? `shape-${shapes.size + 1}`,
      spots: [],
    }));
    shape.spots.push({ node: declared, name: `${where}: ${shape.name}` });
  }
  return [...shapes.values()].sort((one, other) => other.spots.length - one.spots.length);
}

const OWN_BODY = {
  type: 'object',
  required: ['error', 'message'],
  properties: {
    error: { type: 'integer', format: 'int32', description: 'The status of the reply, and two digits.' },
    message: { type: 'string', description: 'What is wrong, and what to do about it.' },
  },
};

/**
 * Lets each operation declare what the service itself may answer.
 *
 * @param content of the failures; undefined: that of a service without an `errorBody`
 * @returns the operations that did not declare it
 */
function declare({ document }: Draft, content: unknown): Spot[] {
  const own = () => ({ $ref: added(document, 'schemas', ['Error', 'ServiceError', 'FailureOfService'], OWN_BODY) });
  const $ref = added(document, 'responses', ['Failure', 'ServiceFailure', 'FailureOfService'], {
    description: 'A failure that the service itself answers',
    content: content === undefined ? { 'application/json': { schema: own() } } : content,
  });
  const lacking = lackingIn(document);
  for (const { node, statuses } of lacking)
    for (const status of statuses) childOf(node, 'responses')[status] = { $ref };
  return lacking;
}

export const DECLARE: Edit = {
  what: 'each operation declares what the service itself answers',
  of: 'OpenAPI',
  change: (_, draft) => {
    const [shape, ...others] = shapesIn(draft);
    return others.length === 0 && lackingIn(draft.document).length > 0 && declare(draft, shape?.schema);
  },
};

export const ERROR_BODY: Question = {
  key: 'error-body',
  ask: (draft) => {
    const shapes = shapesIn(draft);
    const lacking = lackingIn(draft.document);
    if (shapes.length < 2 || lacking.length === 0) return undefined;
    const bases = baseOf(shapes);
    const choices = [...bases, ...shapes.filter(({ name }) => name !== bases[0]?.name)].map(
      ({ name, schema }): Choice => {
        const means = `failures that the service itself answers have this body where an operation does not declare them`;
        return { name, means, apply: () => declare(draft, schema) };
      },
    );
    const first = shapes.flatMap(({ spots }) => spots.slice(0, 1));
    return made(asked('failures have bodies of several shapes', [...first, ...lacking], ...choices));
  },
};

/** The component that all shapes refer to: in `allOf: [Failure, { status: 404 }]` and its like, `Failure`. */
function baseOf(shapes: readonly Shape[]): Pick<Shape, 'name' | 'schema'>[] {
  const schemas = shapes.map(({ schema }) => Object.entries(schema)[0]);
  const [first = [], ...others] = schemas.map((each) => {
    const { $ref, allOf } = (each?.[1].schema ?? {}) as Tree;
    const within = Array.isArray(allOf) ? allOf.filter(isNode).map((part) => part['$ref']) : [];
    return [$ref, ...within].filter((part) => typeof part === 'string');
  });
  const common = first.find(($ref) => others.every((each) => each.includes($ref)));
  const [type] = schemas[0] ?? [];
  const name = /[^/]+$/.exec(common ?? '')?.[0];
  return type === undefined || name === undefined ? [] : [{ name, schema: { [type]: { schema: { $ref: common } } } }];
}

/** A document with 422 and without 400 most likely means by 422 the requests that break the contract. */
export const STATUS_422: Question = {
  key: 'status-422',
  ask: ({ document }) => {
    const found = repliesIn(document)
      .filter(
        ({ status, responses }) => status === '422' && !['400', '4XX'].some((each) => Object.hasOwn(responses, each)),
      )
      .map(({ responses, status, where }) => ({ node: responses, member: status, name: where }));
    const each = (change: (responses: Tree) => void) => () => {
      for (const responses of new Set(found.map(({ node }) => node))) change(responses);
    };
    const both = {
      name: 'both',
      means: 'an operation may answer 422 too, by its own code',
      apply: each((responses) => {
        responses['400'] = responses['422'];
      }),
    };
    const only = {
      name: '400',
      means: 'the replies that are declared as 422 become 400',
      apply: each((responses) => {
        responses['400'] = responses['422'];
        Reflect.deleteProperty(responses, '422');
      }),
    };
    const what = '400 is declared beside 422: the service answers 400 to a request that breaks the contract';
    return made(asked(what, found, both, only));
  },
};

/** Header fields that the service sends with its own failures. */
const SENT = /^(?:x-request-id|www-authenticate|retry-after|ratelimit(?:-policy)?)$/i;

export const FAILURE_HEADERS: Question = {
  key: 'failure-headers',
  ask: ({ document }) => {
    const resolve = resolver(document);
    const isOwn = (status: string) => /^(?:[45]XX|default)$/.test(status) || ownStatuses(false).includes(status);
    const found = new Map<unknown, { readonly node: Tree; readonly member: string; readonly name: string }>();
    for (const { reply, where } of repliesIn(document).filter((each) => isOwn(each.status))) {
      const node = memberOf(reply, 'headers') ?? {};
      for (const [member, header] of Object.entries(node))
        if (isNode(header) && !SENT.test(member) && safely(() => resolve(header))?.['required'] === true)
          found.set(header, { node, member, name: `${where}: ${member}` });
    }
    const apply = () => {
      // A copy, as a success may have the same header.
      for (const [header, { node, member }] of found) node[member] = { ...resolve(header as Tree), required: false };
    };
    const means = 'a failure may lack the header: the service itself does not send it';
    return asked('headers that each failure must have', [...found.values()], { name: 'optional', means, apply });
  },
};
