import { targetOf } from '../../src/contract/document.ts';
import { canJudge, judge, judgeListedValues, listedValues } from './keywords.ts';
import { allNames, change, type Documents, isNode, listOf, namesOf, type Node, nodeOf, unchanged } from './nodes.ts';
import type { RuleName, Side } from './rules.ts';

/** Keywords that the methods below compare. */
const COMPARED = new Set([
  ...['enum', 'const', 'properties', 'required', 'readOnly', 'writeOnly', 'additionalProperties', 'items'],
  ...['allOf', 'anyOf', 'x-error-numbers'],
]);
/** `additionalProperties: false` beside these keywords forbids the properties that they describe. */
const BESIDE = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'];
/** Their meaning depends on the schemas inside and beside them. */
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'];

/** A single object, as isNew() compares schemas by identity. */
const ANYTHING: Node = {};

/**
 * Compares two schemas of JSON Schema 2020-12. Most keywords only restrict the valid values, so that a change of each
 * can be judged by itself. For all others, any change counts as breaking.
 */
export class SchemaComparison {
  private readonly seen = new Map<object, Set<object>>();
  private readonly documents: Documents;
  private readonly side: Side;
  private readonly report: (rule: RuleName, path: string, what: string) => void;

  constructor(documents: Documents, side: Side, report: (rule: RuleName, path: string, what: string) => void) {
    this.documents = documents;
    this.side = side;
    this.report = report;
  }

  /** @param path a place in the value, such as `children[].name` */
  compare(before: unknown, after: unknown, path: string): void {
    // If only one of two references has keywords beside it, both are compared as one schema of `allOf`.
    const isAlone = ![before, after].some((each) => isReference(each) && !standsAlone(each));
    const was = schemaOf(before, this.documents.was, isAlone);
    const is = schemaOf(after, this.documents.is, isAlone);
    if (was === ANYTHING && is === ANYTHING) return;
    if (isNode(was) && isNode(is)) {
      if (!this.isNew(was, is)) return;
      this.compareNodes(withReferenceInAllOf(was), withReferenceInAllOf(is), path);
    } else if (was !== is) {
      this.report(was === false ? 'values added' : 'schema became false', path, change(before, after));
    }
  }

  /** Schemas may contain themselves: each pair is compared once. */
  private isNew(was: object, is: object): boolean {
    const partners = this.seen.get(was) ?? new Set();
    if (partners.has(is)) return false;
    this.seen.set(was, partners.add(is));
    return true;
  }

  private compareNodes(was: Node, is: Node, path: string): void {
    if (UNEVALUATED.some((name) => name in was || name in is)) {
      if (!unchanged(was, is, this.documents))
        this.report('any other difference', path, 'changed, beside unevaluated…');
      return;
    }
    for (const name of namesOf(was, is)) {
      if (COMPARED.has(name)) continue;
      const rule = judge(name, was[name], is[name], this.documents);
      if (rule) this.report(rule, member(path, name), change(was[name], is[name]));
    }
    const [before, after] = [listedValues(was), listedValues(is)];
    const rule = judgeListedValues(before, after);
    if (rule) this.report(rule, member(path, 'enum' in was || 'enum' in is ? 'enum' : 'const'), change(before, after));
    this.compareErrorNumbers(nodeOf(was['x-error-numbers']), nodeOf(is['x-error-numbers']), path);
    this.compareProperties(was, is, path);
    if (closes(was, is) && BESIDE.some((name) => name in is)) this.reportClosed(path);
    else this.compareAdditional(additional(was), additional(is), path);
    this.compare(was['items'] ?? true, is['items'] ?? true, `${path}[]`);
    this.compareBranches('allOf', was['allOf'], is['allOf'], path);
    this.compareAnyOf(was['anyOf'], is['anyOf'], path);
  }

  private compareErrorNumbers(was: Node, is: Node, path: string): void {
    for (const number of allNames(was, is)) {
      const [before, after] = [was[number], is[number]];
      const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
      const place = member(path, `x-error-numbers.${number}`);
      if (before !== after) this.report(`error number ${what}`, place, change(before, after));
    }
  }

  private compareProperties(was: Node, is: Node, path: string): void {
    const [before, after] = [this.membersOf(was, this.documents.was), this.membersOf(is, this.documents.is)];
    for (const name of new Set(
      [before, after].flatMap((each) => [...Object.keys(each.properties), ...each.required]),
    )) {
      const place = member(path, name);
      const [declared, stillDeclared] = [before, after].map(({ properties }) => Object.hasOwn(properties, name));
      const [demanded, stillDemanded] = [before.required.includes(name), after.required.includes(name)];
      if (declared && !stillDeclared) this.report('property removed', place, 'property removed');
      else if (declared) this.compare(before.properties[name], after.properties[name], place);
      else if (stillDeclared) this.compareAdded(was, is, after.properties[name], stillDemanded && !demanded, place);
      // The reports 'required property added' and 'property removed' cover `required` too.
      const reported = declared !== stillDeclared && stillDeclared === stillDemanded;
      if (demanded === stillDemanded || reported) continue;
      const rule = stillDemanded ? 'became required' : 'became optional';
      this.report(rule, place, rule);
    }
  }

  /** Requests have no readOnly properties, replies no writeOnly ones. */
  private membersOf(schema: Node, document: object): { readonly properties: Node; readonly required: string[] } {
    const mark = this.side === 'request' ? 'readOnly' : 'writeOnly';
    const isBarred = (each: unknown): boolean =>
      isNode(each) && (each[mark] === true || isBarred(targetOf(document, String(each['$ref']))));
    const properties = nodeOf(schema['properties']);
    const sendable = Object.entries(properties).map(([name, each]) => [name, isBarred(each) ? false : each] as const);
    const required = listOf(schema['required']).map(String);
    return {
      properties: Object.fromEntries(sendable),
      required: required.filter((name) => !isBarred(properties[name])),
    };
  }

  private compareAdded(was: Node, is: Node, schema: unknown, required: boolean, place: string): void {
    if ('patternProperties' in was || 'patternProperties' in is) {
      this.report('any other difference', place, 'property added, beside patternProperties');
      return;
    }
    const rule = required ? 'required property added' : 'optional property added';
    this.report(rule, place, rule);
    // An open object allowed this property already, with the values of `additionalProperties`.
    if (additional(was) !== false) this.compare(additional(was), schema, place);
  }

  private compareAdditional(was: unknown, is: unknown, path: string): void {
    if (was === false && is !== false)
      this.report('object opened', member(path, 'additionalProperties'), change(was, is));
    else if (is === false && was !== false)
      this.report('object closed', member(path, 'additionalProperties'), change(was, is));
    else this.compare(was, is, member(path, '*'));
  }

  /**
   * `additionalProperties: false` also forbids properties that only `allOf`, `anyOf` or the other keywords of BESIDE
   * declare.
   */
  private reportClosed(path: string): void {
    this.report('any other difference', member(path, 'additionalProperties'), 'false, beside other schemas');
  }

  private compareAnyOf(was: unknown, is: unknown, path: string): void {
    if (was !== undefined && is !== undefined) this.compareBranches('anyOf', was, is, path);
    else if (was !== is) {
      // Branches that describe members may together forbid one, which this comparison cannot tell.
      const rule = listOf(is).every(isPlain) ? 'values removed' : 'any other difference';
      this.report(was === undefined ? rule : 'values added', member(path, 'anyOf'), change(was, is));
    }
  }

  /** The order of the branches has no meaning. */
  private compareBranches(keyword: 'allOf' | 'anyOf', before: unknown, after: unknown, path: string): void {
    const [was, is] = [listOf(before), listOf(after)];
    const gone = was.filter((each) => !is.some((other) => unchanged(each, other, this.documents)));
    const come = is.filter((each) => !was.some((other) => unchanged(other, each, this.documents)));
    const place = member(path, keyword);
    // A new branch of `allOf` is compared with `true`, which allows everything.
    if (gone.length === come.length || (gone.length === 0 && keyword === 'allOf')) {
      come.forEach((each, index) => {
        this.compareBranch(gone[index] ?? true, each, `${place}[${is.indexOf(each)}]`);
      });
    } else if (gone.length > 0 && come.length > 0) {
      this.report('any other difference', place, change(was, is));
    } else {
      const more = come.length > 0;
      this.report(more === (keyword === 'anyOf') ? 'values added' : 'values removed', place, change(was, is));
    }
  }

  private compareBranch(before: unknown, after: unknown, path: string): void {
    const [was, is] = [schemaOf(before, this.documents.was), schemaOf(after, this.documents.is)];
    if (closes(nodeOf(was), nodeOf(is))) this.reportClosed(path);
    this.compare(before, after, path);
  }
}

function additional(schema: Node): unknown {
  return schema['additionalProperties'] ?? true;
}

function closes(was: Node, is: Node): boolean {
  return additional(is) === false && additional(was) !== false;
}

/** Whether the schema restricts members by `required` only. */
function isPlain(schema: unknown): boolean {
  return isNode(schema) && namesOf(schema, {}).every((name) => canJudge(name) || /^(enum|const|required)$/.test(name));
}

function member(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Follows a reference without keywords beside it. Returns `false` for a schema that allows no value. */
function schemaOf(value: unknown, document: object, follows = true): unknown {
  if (value === true) return ANYTHING;
  if (follows && isReference(value) && standsAlone(value)) return schemaOf(targetOf(document, value.$ref), document);
  return isFalse(value, document) ? false : value;
}

function isReference(value: unknown): value is Node & { readonly $ref: string } {
  return isNode(value) && typeof value['$ref'] === 'string';
}

function standsAlone(reference: Node): boolean {
  return namesOf(reference, {}).length === 1;
}

/** Recognises `false`, `not: {}`, and both of them behind `$ref` and `allOf`. */
function isFalse(schema: unknown, document: object, seen = new Set<unknown>()): boolean {
  if (!isNode(schema) || seen.has(schema)) return schema === false;
  seen.add(schema);
  const { allOf, not } = schema;
  const all = [isReference(schema) ? targetOf(document, schema.$ref) : true, ...listOf(allOf)];
  const isAnything = not === true || (isNode(not) && namesOf(not, {}).length === 0);
  return isAnything || all.some((each) => isFalse(each, document, seen));
}

/** Moves the `$ref` of a schema into its `allOf`, and keeps the other keywords. The schema means the same as before. */
function withReferenceInAllOf(schema: Node): Node {
  const { $ref, ...beside } = schema;
  return $ref === undefined ? schema : { ...beside, allOf: [{ $ref }, ...listOf(beside['allOf'])] };
}
