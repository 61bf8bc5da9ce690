import { exactJson } from '../../src/contract/schema/int64.ts';
import type { ObjectKind } from '../../src/contract/rules/vocabulary.ts';
import type { Draft } from './edits.ts';
import { basePathOf, invalidShown, isFieldRefused, isSlow } from './reading.ts';
import { isNode, memberOf, type Tree, nodesIn } from './tree.ts';

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

/** A question whose only answer is to leave members out. */
export function leavingOut(key: string, what: string, means: string, spotsIn: (draft: Draft) => Spot[]): Question {
  return {
    key,
    ask: (draft) => {
      const spots = spotsIn(draft);
      return asked(what, spots, leaveOut(spots, means));
    },
  };
}

export const leaveOut = (spots: readonly Spot[], means: string): Choice => ({
  name: 'leave-out',
  means,
  apply: () => {
    for (const { node, member = '' } of spots) Reflect.deleteProperty(node, member);
  },
});

/** The fields that are refused by themselves, but for those of references. */
function refusedIn(document: Tree, isAsked: (name: string, kind: ObjectKind) => boolean): Spot[] {
  return nodesIn(document).flatMap(({ node, kind }) => {
    const isReference = typeof node['$ref'] === 'string' && kind !== 'Schema';
    const names = isReference ? [] : Object.keys(node).filter((name) => node[name] !== undefined);
    return names
      .filter((name) => isAsked(name, kind) && (isFieldRefused(node, kind, name) || isSlow(name, node)))
      .map((member) => {
        const value = exactJson(node[member]).slice(0, 60);
        return { node, member, name: `${kind} Object: ${member}: ${value}` };
      });
  });
}

/** What can be asked before references are followed. */
export const QUESTIONS: readonly Question[] = [
  leavingOut(
    'formats',
    'formats that nobody checks',
    'the format is not checked; a pattern in its place would be',
    ({ document }) => refusedIn(document, (name, kind) => kind === 'Schema' && name === 'format'),
  ),
  leavingOut(
    'patterns',
    'patterns that do not compile, or whose time may grow faster than a text',
    'the text is not checked; a pattern that you write in its place would be',
    ({ document }) => refusedIn(document, (name, kind) => kind === 'Schema' && name === 'pattern'),
  ),
  leavingOut(
    'fields',
    'fields that the service does not keep, or values that they cannot have',
    'the document does not say it any more',
    ({ document }) => refusedIn(document, (name, kind) => NOT_LEFT_OUT[kind]?.test(name) !== true),
  ),
  leavingOut(
    'shown',
    'what is only shown, and no valid OpenAPI',
    'the document does not show it any more',
    ({ document }) => invalidShown(document),
  ),
  {
    key: 'servers',
    ask: ({ document }) => {
      const all = Array.isArray(document['servers']) ? document['servers'].filter(isNode) : [];
      const list = all.filter(({ url }) => typeof url === 'string');
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
