import { isDeepStrictEqual } from 'node:util';
import { exactJson } from '../../src/contract/int64.ts';
import { targetOf } from '../../src/contract/document.ts';

export type Node = Readonly<Record<string, unknown>>;

export interface Documents {
  readonly was: object;
  readonly is: object;
}

/** Members for people, which no program reads. */
const PROSE =
  /^(x-(?!error-numbers$|max-body-bytes$).*|title|summary|description|examples?|externalDocs|deprecated|tags|\$comment)$/;
/** The members of these have arbitrary names: a property may be called `description`. */
const MAPS = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', '$defs', 'mapping'],
  ...['content', 'headers', 'links', 'callbacks', 'webhooks'],
]);
/** The members of these are values, not parts of the contract. */
const VALUES = new Set(['enum', 'const', 'default']);

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The names of all members except prose. */
export function namesOf(was: Node, is: Node): string[] {
  return allNames(was, is).filter((name) => !PROSE.test(name));
}

export function allNames(was: Node, is: Node): string[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])];
}

/** Follows a reference; outside of schemas, OpenAPI ignores the members beside `$ref`. */
export function followed(value: unknown, document: object): unknown {
  if (!isNode(value) || typeof value['$ref'] !== 'string') return value;
  return followed(targetOf(document, value['$ref']), document);
}

/**
 * Whether only prose has changed, including the targets of references.
 *
 * @param keyword the keyword that holds the two values, if it is in MAPS or VALUES
 */
export function unchanged(was: unknown, is: unknown, documents: Documents, keyword = '', seen = new Set<string>()) {
  const kind = kindOf(keyword);
  const before = withoutProse(was, kind);
  if (!isDeepStrictEqual(before, withoutProse(is, kind))) return false;
  return referencesIn(before).every((reference): boolean => {
    if (seen.has(reference)) return true;
    seen.add(reference);
    return unchanged(targetOf(documents.was, reference), targetOf(documents.is, reference), documents, '', seen);
  });
}

type Kind = 'node' | 'map' | 'value';

function kindOf(keyword: string): Kind {
  return VALUES.has(keyword) ? 'value' : MAPS.has(keyword) ? 'map' : 'node';
}

export function withoutProse(value: unknown, kind: Kind = 'node'): unknown {
  if (kind === 'value') return value;
  if (Array.isArray(value)) return value.map((each) => withoutProse(each, kind));
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => kind === 'map' || !PROSE.test(name))
      .map(([name, each]) => [name, withoutProse(each, kind === 'map' ? 'node' : kindOf(name))]),
  );
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
    name === '$ref' && typeof each === 'string' ? [each] : referencesIn(each),
  );
}

export function change(was: unknown, is: unknown): string {
  const [before, after] = [show(was), show(is)];
  return before === after ? 'changed' : `${before} → ${after}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'none';
  const text = exactJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
