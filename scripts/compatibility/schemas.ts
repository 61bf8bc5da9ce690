import { targetOf } from '../../src/contract/document.ts';
import { KEYWORDS, judgeListedValues, listedValues } from './keywords.ts';
import { allNames, change, type Documents, isNode, listOf, namesOf, type Node, nodeOf, unchanged } from './nodes.ts';
import type { Difference, RuleName, Side } from './rules.ts';

/** Judged together below. */
const JUDGED = new Set('enum const properties required additionalProperties items allOf anyOf'.split(' '));
/** What these say of a value depends on what the schemas within and beside them have said of it. */
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'];

/** One for all, as schemas that have been compared are known by their identity. */
const ANYTHING: Node = {};

/**
 * Compares two schemas of JSON Schema 2020-12. Each keyword narrows down what is valid, as do the schemas within, so
 * that each difference can be judged where it stands; where that is not so, any difference counts as breaking.
 */
export class SchemaComparison {
  readonly differences: Difference[] = [];
  private readonly seen = new Map<object, Set<object>>();
  private readonly documents: Documents;
  private readonly side: Side;
  private readonly where: string;

  constructor(documents: Documents, side: Side, where: string) {
    this.documents = documents;
    this.side = side;
    this.where = where;
  }

  /** `path` is a place within the value, such as `children[].name`. */
  compare(before: unknown, after: unknown, path: string): void {
    const was = followed(before, this.documents.was);
    const is = followed(after, this.documents.is);
    if (was === ANYTHING && is === ANYTHING) return;
    if (isNode(was) && isNode(is)) {
      if (!this.isNew(was, is)) return;
      this.compareNodes(withReferenceInAllOf(was), withReferenceInAllOf(is), path);
    } else if (was !== is) {
      this.report(was === false ? 'values added' : 'values removed', path, change(before, after));
    }
  }

  /** Schemas may contain themselves. What they say of each other is said the first time. */
  private isNew(was: object, is: object): boolean {
    const partners = this.seen.get(was) ?? new Set();
    if (partners.has(is)) return false;
    this.seen.set(was, partners.add(is));
    return true;
  }

  private compareNodes(was: Node, is: Node, path: string): void {
    if (UNEVALUATED.some((name) => name in was || name in is)) {
      if (!unchanged(was, is, this.documents)) this.report('anything else', path, 'changed, beside unevaluated…');
      return;
    }
    for (const name of namesOf(was, is)) {
      if (JUDGED.has(name)) continue;
      const judge = KEYWORDS.get(name);
      const rule = judge ? judge(was[name], is[name]) : this.unknown(was[name], is[name], name);
      if (rule) this.report(rule, member(path, name), change(was[name], is[name]));
    }
    const [before, after] = [listedValues(was), listedValues(is)];
    const rule = judgeListedValues(before, after);
    if (rule) this.report(rule, member(path, 'enum' in was || 'enum' in is ? 'enum' : 'const'), change(before, after));
    this.compareProperties(was, is, path);
    this.compareRequired(was, is, path);
    this.compareAdditional(was['additionalProperties'] ?? true, is['additionalProperties'] ?? true, path);
    this.compare(was['items'] ?? true, is['items'] ?? true, `${path}[]`);
    this.compareBranches('allOf', listOf(was['allOf']), listOf(is['allOf']), path);
    this.compareAnyOf(was['anyOf'], is['anyOf'], path);
  }

  private compareProperties(was: Node, is: Node, path: string): void {
    const [before, after] = [nodeOf(was['properties']), nodeOf(is['properties'])];
    const [requiredBefore, requiredAfter] = [listOf(was['required']), listOf(is['required'])];
    const patterns = 'patternProperties' in was || 'patternProperties' in is;
    for (const name of allNames(before, after)) {
      const place = member(path, name);
      if (!Object.hasOwn(after, name)) {
        this.report('property removed', place, 'property removed');
      } else if (Object.hasOwn(before, name)) {
        this.compare(before[name], after[name], place);
      } else if (patterns) {
        this.report('anything else', place, 'property added, beside patternProperties');
      } else {
        const required = requiredAfter.includes(name) && !requiredBefore.includes(name);
        const rule = required ? 'required property added' : 'optional property added';
        this.report(rule, place, rule);
        // An open object took it already, with any value or with some.
        const additional = was['additionalProperties'] ?? true;
        if (additional !== false) this.compare(additional, after[name], place);
      }
    }
  }

  private compareRequired(was: Node, is: Node, path: string): void {
    const [before, after] = [listOf(was['required']), listOf(is['required'])];
    const [properties, propertiesAfter] = [nodeOf(was['properties']), nodeOf(is['properties'])];
    for (const name of new Set([...before, ...after].map(String))) {
      if (before.includes(name) === after.includes(name)) continue;
      // One that has come with its property, or gone with it, has been reported as such.
      const come = Object.hasOwn(propertiesAfter, name) && !Object.hasOwn(properties, name);
      const gone = Object.hasOwn(properties, name) && !Object.hasOwn(propertiesAfter, name);
      if (after.includes(name) ? come : gone) continue;
      const rule = after.includes(name) ? 'became required' : 'became optional';
      this.report(rule, member(path, name), rule);
    }
  }

  private compareAdditional(was: unknown, is: unknown, path: string): void {
    if (was === false && is !== false)
      this.report('object opened', member(path, 'additionalProperties'), change(was, is));
    else if (is === false && was !== false)
      this.report('object closed', member(path, 'additionalProperties'), change(was, is));
    else this.compare(was, is, member(path, '*'));
  }

  private compareAnyOf(was: unknown, is: unknown, path: string): void {
    if (was !== undefined && is !== undefined) this.compareBranches('anyOf', listOf(was), listOf(is), path);
    else if (was !== is)
      this.report(was === undefined ? 'values removed' : 'values added', member(path, 'anyOf'), change(was, is));
  }

  /** Of schemas of which all, or any, must be fulfilled. Their order means nothing. */
  private compareBranches(
    keyword: 'allOf' | 'anyOf',
    was: readonly unknown[],
    is: readonly unknown[],
    path: string,
  ): void {
    const gone = was.filter((each) => !is.some((other) => unchanged(each, other, this.documents)));
    const come = is.filter((each) => !was.some((other) => unchanged(other, each, this.documents)));
    const place = member(path, keyword);
    if (gone.length === come.length) {
      gone.forEach((each, index) => {
        this.compare(each, come[index], `${place}[${is.indexOf(come[index])}]`);
      });
    } else if (gone.length > 0 && come.length > 0) {
      this.report('anything else', place, change(was, is));
    } else {
      const more = come.length > 0;
      this.report(more === (keyword === 'anyOf') ? 'values added' : 'values removed', place, change(was, is));
    }
  }

  private unknown(was: unknown, is: unknown, keyword: string): RuleName | undefined {
    return unchanged(was, is, this.documents, keyword) ? undefined : 'anything else';
  }

  private report(rule: RuleName, path: string, what: string): void {
    this.differences.push({ where: this.where + (path && `, ${path}`), what, rule, side: this.side });
  }
}

function member(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Where a reference alone leads to, as an object unless nothing fits it. */
function followed(schema: unknown, document: object): unknown {
  if (schema === true) return ANYTHING;
  if (!isNode(schema) || typeof schema['$ref'] !== 'string') return schema;
  return namesOf(schema, {}).length > 1 ? schema : followed(targetOf(document, schema['$ref']), document);
}

/** A reference with keywords beside it is one more schema to fulfil. */
function withReferenceInAllOf(schema: Node): Node {
  const { $ref, ...beside } = schema;
  return $ref === undefined ? schema : { ...beside, allOf: [{ $ref }, ...listOf(beside['allOf'])] };
}
