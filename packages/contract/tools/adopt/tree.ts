import { METHODS, resolver } from '../../src/schema/document.ts';
import { isLarge } from '../../src/schema/exact.ts';
import { objectsIn } from '../../src/rules/objects.ts';

/** An object of a document under edit. */
export type Tree = Record<string, unknown>;

export function isNode(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member, if it is an object. */
export function memberOf(node: unknown, name: string): Tree | undefined {
  const member = isNode(node) && Object.hasOwn(node, name) ? node[name] : undefined;
  return isNode(member) ? member : undefined;
}

/** All objects and lists of a tree, except data; also those of callbacks, which the service does not read. */
export function holdersIn(tree: unknown): Set<object> {
  return new Set(objectsIn(tree).map(({ node }) => node));
}

/**
 * All objects and lists of a tree, data too, each once and without recursion: aliases of YAML share objects, and may nest
 * beyond the depth of the stack.
 */
export function partsOf(tree: unknown): Set<object> {
  const parts = new Set([tree].filter(isLarge));
  // The iteration of a Set includes what is added meanwhile.
  for (const part of parts) for (const each of Object.values(part) as unknown[]) if (isLarge(each)) parts.add(each);
  return parts;
}

export interface OperationNode {
  readonly node: Tree;
  readonly item: Tree;
  readonly method: string;
  readonly path: string;
}

export function operationsIn(document: Tree): OperationNode[] {
  const resolve = resolver(document);
  return Object.entries(memberOf(document, 'paths') ?? {}).flatMap(([path, each]) => {
    const item = isNode(each) && path.startsWith('/') ? safely(() => resolve(each)) : undefined;
    return METHODS.flatMap((method) => {
      const node = memberOf(item, method);
      return item === undefined || node === undefined ? [] : [{ node, item, method, path }];
    });
  });
}

/** The schemas of all messages, with the part of the message that each describes. */
export function schemasOfMessages(document: Tree) {
  const resolve = resolver(document);
  const resolved = (node: unknown) => (isNode(node) ? safely(() => resolve(node)) : undefined);
  const valuesOf = (node: unknown, name: string) => Object.values(resolved(node)?.[name] ?? {}) as unknown[];
  const holders = operationsIn(document).flatMap(({ node, item }) => {
    const replies = valuesOf(node, 'responses');
    return [
      ...[item, node].flatMap((each) => valuesOf(each, 'parameters')).map((each) => ['parameter', each] as const),
      ...valuesOf(node['requestBody'], 'content').map((each) => ['body', each] as const),
      ...replies
        .flatMap((each) => [...valuesOf(each, 'content'), ...valuesOf(each, 'headers')])
        .map((each) => ['reply', each] as const),
    ];
  });
  return holders.flatMap(([of, holder]) => {
    const schema = memberOf(resolved(holder), 'schema');
    return schema === undefined ? [] : [{ of, schema }];
  });
}

/** The replies that operations declare, each with what stands behind its reference, if anything does. */
export function repliesIn(document: Tree) {
  const resolve = resolver(document);
  return operationsIn(document).flatMap(({ node, method, path }) => {
    const responses = memberOf(node, 'responses') ?? {};
    return Object.entries(responses).flatMap(([status, declared]) => {
      const reply = isNode(declared) ? safely(() => resolve(declared)) : undefined;
      const where = `${method} ${path}, response ${status}`;
      return isNode(declared) ? [{ declared, reply, status, responses, where }] : [];
    });
  });
}

export function safely<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

const renamed = new WeakMap<Tree, Map<string, string>>();

/** The name that a member has now. */
export const nameNow = (node: Tree, name: string): string => renamed.get(node)?.get(name) ?? name;

/** Gives a member another name and value, in its place. */
export function rename(node: Tree, from: string, to: string, value: unknown): void {
  renamed.set(node, new Map(renamed.get(node)).set(from, to));
  const members = Object.entries(node).filter(([name]) => name !== to || from === to);
  for (const name of Object.keys(node)) Reflect.deleteProperty(node, name);
  for (const [name, each] of members) node[name === from ? to : name] = name === from ? value : each;
}

/** Gives a tree the members of another one. An object that both have stays the same object, whose line is known. */
export function assign(tree: object, other: object): void {
  const [to, from] = [tree as Tree, other as Tree];
  for (const name of Object.keys(to)) if (!Object.hasOwn(from, name)) Reflect.deleteProperty(to, name);
  for (const [name, value] of Object.entries(from)) {
    const own = to[name];
    const isSame = typeof own === 'object' && own !== null && typeof value === 'object' && value !== null;
    if (isSame && Array.isArray(own) === Array.isArray(value)) assign(own, value);
    else to[name] = value;
  }
}

/** The object that a member holds; a missing member gets `ifNone`. */
export function childOf(node: Tree, name: string, ifNone: Tree = {}): Tree {
  node[name] ??= ifNone;
  return node[name] as Tree;
}

/** Adds a component under the first name that is free. @returns its reference */
export function added(document: Tree, section: string, names: readonly string[], value: unknown): string {
  const all = childOf(childOf(document, 'components'), section);
  const name = names.find((each) => !Object.hasOwn(all, each)) ?? '';
  all[name] = value;
  return `#/components/${section}/${name}`;
}
