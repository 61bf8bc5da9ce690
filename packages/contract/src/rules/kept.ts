import { follower, locationOf, METHODS, type OpenApiDocument, type Schema, targetOf } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import { isLarge, isObject } from '../schema/exact.ts';
import type { Findings } from '../schema/findings.ts';
import { Position } from '../schema/positions.ts';
import { requireShallow } from './shallow.ts';
import { holdsBigint, PROTOTYPE, INEXACT } from './field-values.ts';
import { isIgnored, JSON_TYPE, type ObjectKind, OTHER_TYPE, ONE_FILE, VOCABULARY } from './vocabulary.ts';

/** Whether a default has an integer that would lose digits as a number. */
function isRounded(value: unknown, position: Position): boolean {
  if (Array.isArray(value)) return value.some((each, index) => isRounded(each, position.item(index)));
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' && !position.int64;
  return Object.entries(value).some(([name, each]) => isRounded(each, position.member(name)));
}

/** Maps in which OpenAPI allows extensions (`x-…`). */
const EXTENSIBLE = ['paths', 'responses'];

/** Only the author can decide what replaces these, such as a media type that is not JSON, or a cookie. */
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
  const seen = new Map<ObjectKind, Set<object>>();
  /** The operation that is visited, unless a reference has led out of it. */
  let where = '';
  const refuse = (node: object, field: string, what: string, subject = '') => {
    if (refused.has(node)) return;
    refused.add(node);
    const isDecision = DECISIONS.includes(subject);
    const place = `${locationOf(node, field)}${isDecision ? where : ''}`;
    found.add(new ContractError(what, place, isDecision ? 'decision' : 'edit'), node);
  };
  /** Visits of the targets of references, for later: calls cannot nest as deeply as references may. */
  const referred: (() => void)[] = [];
  const visit = (value: unknown, kind: ObjectKind, holder: object, field: string): void => {
    if (kind === 'Schema' && typeof value === 'boolean') return;
    if (!isObject(value)) {
      refuse(holder, field, `${field} must be ${named(kind)}: write a map of its fields there`);
      return;
    }
    found.depends(holder, value);
    if (kind === 'Media Type' && !JSON_TYPE.test(field) && !OTHER_TYPE.test(field)) {
      const cure = 'write application/json, application/….+json, or that of a text or of bytes, in lower case';
      const why = 'is not supported, as no range of types, form, parts or stream is';
      refuse(holder, field, `the media type ${field} ${why}: ${cure}`, kind);
    }
    const seenAlike = seen.getOrInsertComputed(kind, () => new Set());
    if (seenAlike.has(value)) return;
    seenAlike.add(value);
    if (typeof value['$ref'] === 'string') {
      const target = targetOf(document, value['$ref']);
      if (target === undefined)
        refuse(value, '$ref', `$ref leads to ${value['$ref']}, which is not in the document: ${ONE_FILE}`);
      else
        referred.push(() => {
          // Messages about the target of a path's `$ref` name the path.
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
    // Only the first refusal of an object is reported. Known fields come first, as a wrong value may explain unknown ones.
    const isKnown = ([name]: readonly [string, unknown]) => Number(Object.hasOwn(VOCABULARY[kind], name));
    const fields = Object.entries(value).sort((one, other) => isKnown(other) - isKnown(one));
    const around = where;
    for (const [name, member] of fields) {
      if (kind === 'Path Item') where = `, ${name} ${field}`;
      visitField(value, kind, name, member);
      where = around;
    }
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
      refuse(node, name, `the field ${name} of ${named(kind)} is not supported: correct its name, or leave it out`);
      return;
    }
    if (row.is === 'refused') {
      refuse(node, name, `${name} is not supported: ${row.how}`);
      return;
    }
    const { holds } = row;
    if (holds?.in !== undefined && !(isLarge(member) && Array.isArray(member) === (holds.in === 'list'))) {
      refuse(node, name, `${name} must be a ${holds.in} of ${holds.kind} Objects`);
      if (isLarge(member)) found.spoil(member);
      return;
    }
    const wrong = row.value?.(member, node);
    if (wrong !== undefined) refuse(node, name, `${name} ${wrong}`, `${kind} ${name}`);
    if (holds === undefined) return;
    if (holds.in === undefined || !isLarge(member)) {
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
  const schemas = (seen.get('Schema') ?? new Set()) as ReadonlySet<Schema>;
  requireShallow(schemas, follower(document), found);
  // This comes last, when it is known which references lead somewhere.
  for (const schema of defaults)
    if (found.isSound(schema) && isRounded(schema.default, new Position(schema, follower(document))))
      refuse(schema, 'default', `default ${INEXACT}`);
  return schemas;
}

function named(kind: ObjectKind): string {
  return `${/^[IO]/.test(kind) ? 'an' : 'a'} ${kind} Object`;
}
