import type { ContractError } from '../../src/contract-error.ts';
import { locationOf, targetOf } from '../../src/schema/document.ts';
import { type ObjectKind, VOCABULARY } from '../../src/rules/vocabulary.ts';
import { examplesOf, isFieldRefused, isFitting } from './reading.ts';
import { nodesIn } from '../../src/rules/objects.ts';
import { holdersIn, isNode, memberOf, partsOf, type Tree } from './tree.ts';

/** The questions about refused parts that a document can do without: by key, the parts, and what holds without them. */
export const LEFT_OUT: Readonly<Record<string, readonly [what: string, means: string]>> = {
  references: [
    'references to what is not there',
    'a schema allows any value there, a reply has no body, and the service reads no such parameter and no such body',
  ],
  formats: ['formats that the service does not check', 'the format is not checked; a pattern in its place would be'],
  patterns: [
    'patterns that do not compile, or whose time may grow faster than a text',
    'the text is not checked; a pattern that you write in its place would be',
  ],
  defaults: [
    'defaults that only some requests would have, or that their own schemas refuse',
    'the document no longer has the default; operations may fill it in',
  ],
  discriminators: [
    'discriminators whose branches do not fix the value, or whose values the service cannot tell apart',
    'the branches alone decide: of a oneOf, a message that two of them allow is refused',
  ],
  parameters: [
    'parameters, and headers of replies, of a kind that the service does not keep',
    'the service does not read or send them; a variable of a path is any text',
  ],
  examples: ['examples that their own schemas refuse', 'the document no longer shows them'],
  fields: [
    'fields that the service does not keep, or whose value OpenAPI does not allow',
    'the document no longer has the field, and the service does not check what it says',
  ],
};

/** Something that can be left out, by the key of the question. */
export interface Part {
  readonly key: string;
  readonly node: Tree;
  /** undefined: the whole object goes, and what refers to it. */
  readonly member: string | undefined;
  /** Whether the service would enforce the part, such as a `type`, if it could. */
  readonly isEnforced: boolean;
}

/**
 * Fields without which an object means nothing, or something else: a parameter or a header is left out as a whole.
 * Fields that hold other objects are needed too, except those of schemas: without `security` a service is open.
 */
const NEEDED: Partial<Record<ObjectKind, RegExp>> = {
  OpenAPI: /^openapi$/,
  Info: /^(?:title|version)$/,
  Server: /^url$/,
  Parameter: /^(?:name|in|required|content|style|explode|allowReserved)$/,
  Header: /^(?:required|content|style|explode)$/,
  'Request Body': /^required$/,
  'Path Item': /^\$ref$/,
  Operation: /^operationId$/,
  'Security Scheme': /^(?:\$ref|type|scheme|in|name)$/,
  'Security Requirement': /^/,
};
const WHOLE: readonly ObjectKind[] = ['Parameter', 'Header'];
/** What may be right once others have gone: a value is filled with defaults, and a parameter has examples and a schema. */
const LATER = ['defaults', 'examples', 'parameters'];
const OWN_KEYS: Readonly<Record<string, string>> = {
  format: 'formats',
  pattern: 'patterns',
  default: 'defaults',
  discriminator: 'discriminators',
};

/** The parts that can be left out, by the place at which they are refused, of these places. */
function partsIn(document: Tree, places: ReadonlySet<string>): Map<string, Part> {
  const parts = new Map<string, Part>();
  const add = (place: string, key: string, node: Tree, member?: string, isEnforced = false) => {
    if (places.has(place)) parts.set(place, { key, node, member, isEnforced });
  };
  for (const { node, kind } of nodesIn(document)) {
    const isWhole = WHOLE.includes(kind);
    if (isWhole) add(locationOf(node), 'parameters', node);
    // Of an object in the query, only the member that the service cannot read, such as a list, is left out.
    const members = kind === 'Parameter' ? memberOf(node['schema'], 'properties') : undefined;
    for (const name of Object.keys(members ?? {})) add(locationOf(members, name), 'parameters', members ?? {}, name);
    for (const name of Object.keys(node)) {
      const place = locationOf(node, name);
      const ofSchema = kind === 'Schema' ? OWN_KEYS[name] : undefined;
      const isShown = VOCABULARY[kind][name]?.is === 'shown';
      // Most parts of a large document are refused nowhere, and to judge each takes long.
      if (!isShown && !places.has(place)) continue;
      // A path item is not left out, as its operations would be too.
      if (name === '$ref' && kind !== 'Path Item' && isDangling(node, document))
        add(place, 'references', node, /^(?:Schema|Response)$/.test(kind) ? name : undefined);
      else if (
        NEEDED[kind]?.test(name) === true ||
        (kind !== 'Schema' && VOCABULARY[kind][name]?.holds !== undefined)
      ) {
        if (isWhole) add(place, 'parameters', node);
      } else if (ofSchema !== undefined || isShown || isFieldRefused(node, kind, name)) {
        const key = ofSchema ?? (/^examples?$/.test(name) ? 'examples' : 'fields');
        // An item of a list begins where its first member does.
        if (isShown && place === locationOf(node)) continue;
        add(place, key, node, name, VOCABULARY[kind][name]?.is === 'kept');
        // In a part that is for readers only, such as an example, the innermost refused member is left out.
        for (const { holder, member } of isShown ? membersWithin(node[name]) : [])
          add(locationOf(holder, member), key, holder, member);
      }
    }
  }
  for (const example of examplesOf(document)) {
    const { holder, member, location } = example;
    if (!places.has(location)) continue;
    // A parameter may begin at its example, and both then have one location: the refusal there is of one of them.
    const isOfWhole = parts.get(location)?.key === 'parameters' && isFitting(document, example);
    if (member !== 'default' && !isOfWhole) add(location, 'examples', holder as Tree, member);
  }
  return parts;
}

function isDangling({ $ref }: Tree, document: Tree): boolean {
  return typeof $ref === 'string' && !isNode(targetOf(document, $ref));
}

function membersWithin(value: unknown): { readonly holder: Tree; readonly member: string }[] {
  return Array.from(partsOf(value), (holder) =>
    Object.keys(holder).map((member) => ({ holder: holder as Tree, member })),
  ).flat();
}

/**
 * The parts that some refusals are about, each once. Parts of LATER, which another answer may mend, come only when there
 * are no others.
 */
export function refusedParts(document: Tree, errors: readonly ContractError[]): Map<Part, ContractError> {
  const placeOf = ({ at = '' }: ContractError) => at.split(', ', 1)[0] ?? '';
  const places = new Set(errors.map(placeOf));
  // An object that an edit has made has no place.
  places.delete(locationOf(undefined));
  const parts = partsIn(document, places);
  const found = errors.flatMap((error) => {
    const part = parts.get(placeOf(error));
    return part === undefined ? [] : [[part, error] as const];
  });
  const ranks = Map.groupBy(found, ([{ key }]) => LATER.indexOf(key));
  const [rank = 0] = [...ranks.keys()].sort((one, other) => one - other);
  return new Map(ranks.get(rank));
}

/** Leaves parts out of a document, with what refers to them. */
export function leaveOut(document: Tree, parts: Iterable<Part>): void {
  const whole = new Set<unknown>();
  const items = new Map<unknown[], Set<unknown>>();
  for (const { node, member } of parts)
    if (member === undefined) whole.add(node);
    else if (Array.isArray(node)) items.getOrInsertComputed(node, () => new Set()).add(Number(member));
    else Reflect.deleteProperty(node, member);
  for (const [list, gone] of items) list.splice(0, Infinity, ...list.filter((_, index) => !gone.has(index)));
  for (const { node } of nodesIn(document))
    if (Array.isArray(node['examples']) && items.has(node['examples']) && node['examples'].length === 0)
      Reflect.deleteProperty(node, 'examples');
  if (whole.size > 0) removeFrom(document, whole);
}

function removeFrom(document: Tree, whole: ReadonlySet<unknown>): void {
  const holders = holdersIn(document);
  const isGone = (each: unknown, hops = 0): boolean =>
    whole.has(each) ||
    (isNode(each) &&
      typeof each['$ref'] === 'string' &&
      hops < 100 &&
      isGone(targetOf(document, each['$ref']), hops + 1));
  // All are found before the first is deleted, as references of others may lead through it.
  const gone = new Set<unknown>([...holders].filter((each) => isGone(each)));
  for (const holder of holders)
    if (Array.isArray(holder)) holder.splice(0, Infinity, ...(holder as unknown[]).filter((each) => !gone.has(each)));
    else for (const [name, each] of Object.entries(holder)) if (gone.has(each)) Reflect.deleteProperty(holder, name);
}
