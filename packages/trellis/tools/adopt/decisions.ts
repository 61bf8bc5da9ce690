import { targetOf } from '../../src/contract/schema/document.ts';
import { exactJson } from '../../src/contract/schema/int64.ts';
import type { ObjectKind } from '../../src/contract/rules/vocabulary.ts';
import type { Draft } from './edits.ts';
import { basePathOf, invalidShown, isFieldRefused, isSlow } from './reading.ts';
import { type TreePart, isNode, memberOf, type Tree, nodesIn, remove } from './tree.ts';

/** What only the author can say: it narrows, widens, leaves out or renames. One answer is for all its places. */
export interface Question {
  readonly key: string;
  /** @returns undefined: nothing is to be asked */
  readonly ask: (draft: Draft) => Doubt | undefined;
}

export interface Doubt {
  readonly what: string;
  readonly spots: readonly Spot[];
  /** The first one is what most take. */
  readonly choices: readonly Choice[];
}

export interface Spot {
  readonly node: object;
  readonly member?: string;
  /** What stands there. */
  readonly name: string;
}

export interface Choice {
  readonly name: string;
  readonly means: string;
  readonly apply: () => void;
}

/** @returns undefined unless there are places */
export function asked(what: string, spots: readonly Spot[], ...choices: readonly Choice[]): Doubt | undefined {
  return spots.length === 0 ? undefined : { what, spots, choices };
}

/** Fields without which an object says nothing, and those of other questions. */
const NOT_LEFT_OUT: Partial<Record<ObjectKind, RegExp>> = {
  OpenAPI: /^(?:openapi|info|paths)$/,
  Info: /^(?:title|version)$/,
  Server: /^url$/,
  Parameter: /^(?:name|in|schema|content)$/,
  'Path Item': /^\$ref$/,
  'Request Body': /^content$/,
  Operation: /^operationId$/,
  Schema: /^(?:format|pattern|nullable|\$ref)$/,
  'Security Scheme': /^/,
  'Security Requirement': /^/,
};

export const leaveOut = (spots: readonly Spot[], means: string): Choice => ({
  name: 'leave-out',
  means,
  apply: () => {
    for (const { node, member = '' } of spots) Reflect.deleteProperty(node, member);
  },
});

const fieldsOf = (found: readonly TreePart[], kind: ObjectKind, name: string): Spot[] =>
  found.flatMap(({ node, kind: own }) =>
    own === kind && Object.hasOwn(node, name) && isFieldRefused(node, kind, name)
      ? [{ node, member: name, name: String(node[name]) }]
      : [],
  );

/** What can be asked before references are followed. */
export const QUESTIONS: readonly Question[] = [
  {
    key: 'formats',
    ask: ({ document }) => {
      const spots = fieldsOf(nodesIn(document), 'Schema', 'format');
      const means = 'the format is not checked; a pattern in its place would be';
      return asked('formats that nobody checks', spots, leaveOut(spots, means));
    },
  },
  {
    key: 'patterns',
    ask: ({ document }) => {
      const found = nodesIn(document);
      const slow = found.flatMap(({ node, kind }) => {
        const { pattern } = node;
        if (kind !== 'Schema' || typeof pattern !== 'string' || isFieldRefused(node, kind, 'pattern')) return [];
        return isSlow(pattern) ? [{ node, member: 'pattern', name: pattern }] : [];
      });
      const spots = [...fieldsOf(found, 'Schema', 'pattern'), ...slow];
      const means = 'the text is not checked; a pattern that you write in its place would be';
      return asked(
        'patterns that do not compile, or whose time may grow faster than a text',
        spots,
        leaveOut(spots, means),
      );
    },
  },
  {
    key: 'cookies',
    ask: ({ document }) => {
      const found = nodesIn(document).filter(({ node, kind }) => kind === 'Parameter' && node['in'] === 'cookie');
      const names = new Set(found.map(({ node }) => node));
      const refers = (each: TreePart) =>
        each.kind === 'Parameter' &&
        typeof each.node['$ref'] === 'string' &&
        names.has(targetOf(document, each.node['$ref']) as Tree);
      const all = [...nodesIn(document).filter(refers), ...found];
      const apply = () => {
        for (const each of all) remove(each);
      };
      return asked(
        'parameters in cookies, which are not read',
        found.map(({ node }) => ({ node, name: String(node['name']) })),
        { name: 'leave-out', means: 'operations do not see the cookie', apply },
      );
    },
  },
  {
    key: 'fields',
    ask: ({ document }) => {
      const isReference = ({ node, kind }: TreePart) => typeof node['$ref'] === 'string' && kind !== 'Schema';
      const found = nodesIn(document).filter((each) => !isReference(each));
      const spots = found.flatMap(({ node, kind }) =>
        Object.keys(node)
          .filter((name) => NOT_LEFT_OUT[kind]?.test(name) !== true && node[name] !== undefined)
          .filter((name) => isFieldRefused(node, kind, name))
          .map((member) => ({ node, member, name: `${kind} Object: ${member}: ${shown(node[member])}` })),
      );
      return asked(
        'fields that the service does not keep, or values that they cannot have',
        spots,
        leaveOut(spots, 'the document does not say it any more'),
      );
    },
  },
  {
    key: 'shown',
    ask: ({ document }) => {
      const spots = invalidShown(document);
      return asked(
        'what is only shown, and no valid OpenAPI',
        spots,
        leaveOut(spots, 'the document does not show it any more'),
      );
    },
  },
  {
    key: 'servers',
    ask: ({ document }) => {
      const list = Array.isArray(document['servers']) ? document['servers'].filter(isNode) : [];
      const mounted = basePathOf({ servers: list });
      const paths = memberOf(document, 'paths') ?? {};
      const hidden = Object.keys(paths).find(
        (path) => basePathOf({ servers: list, paths: { [path]: {} } }) !== mounted,
      );
      const valid = [...new Set(list.map((each) => basePathOf({ servers: [each] })))].filter(
        (each) => each !== undefined,
      );
      // Below a path of their own, operations hide no page of the service.
      const others =
        mounted === undefined ? ['/'] : basePathOf({ servers: [{ url: '/api' }], paths }) === '/api' ? ['/api'] : [];
      if (mounted !== undefined && hidden === undefined) return undefined;
      const choices = (mounted === undefined && valid.length > 0 ? valid : others).map((path) => ({
        name: path || '/',
        means: `operations are mounted at ${path || '/'}; servers with other urls are left out`,
        apply: () => {
          const kept = list.filter((each) => basePathOf({ servers: [each] }) === path);
          document['servers'] = kept.length > 0 ? kept : [{ url: path || '/' }];
        },
      }));
      const spots = [...list.map((node) => ({ node, member: 'url', name: String(node['url']) }))];
      if (hidden !== undefined)
        spots.unshift({ node: paths, member: hidden, name: `${hidden}, a page of the service` });
      return choices.length === 0
        ? undefined
        : asked('operations need one path at which they are mounted', spots, ...choices);
    },
  },
];

const shown = (value: unknown) => exactJson(value).slice(0, 60);
