import { type Follow, follower, type Schema, targetOf } from '../../src/schema/document.ts';
import { exactJson } from '../../src/schema/int64.ts';
import { forbids } from '../../src/rules/declared.ts';
import { joined, listed, typesOf } from '../../src/schema/subschemas.ts';
import type { Edit } from './edits.ts';
import type { Spot } from './spots.ts';
import { nodesIn } from '../../src/rules/objects.ts';
import { added, holdersIn, isNode, memberOf, type Tree } from './tree.ts';

/** A branch beside a discriminator, which is a component, and the values of the property that lead to it. */
interface PinnedBranch {
  readonly node: Tree;
  readonly $ref: string;
  readonly values: readonly unknown[];
  /** Whether the branch itself requires the property, and allows these values alone. */
  readonly isFixed: boolean;
}

const COMPONENT = /^#\/components\/schemas\/([^/]+)$/;
const MAX_NAMES = 100;

/** A value as a mapping writes it. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : exactJson(value));
const isSame = (some: readonly unknown[], others: readonly unknown[]) =>
  new Set(some.map(exactJson)).symmetricDifference(new Set(others.map(exactJson))).size === 0;
const areApart = (lists: readonly (readonly unknown[])[]) => {
  const all = lists.flat().map(exactJson);
  return new Set(all).size === all.length;
};

/**
 * The values that lead to each branch: those that its own schema fixes. Where two branches fix the same ones, since they
 * share a schema, only those that the mapping gives to the branch.
 *
 * @returns undefined: a branch is no component, or forbids the property, or two have the same value
 */
function branchesOf({ discriminator, oneOf, anyOf = [] }: Schema, follow: Follow): readonly PinnedBranch[] | undefined {
  const { propertyName = '', mapping = {} } = discriminator ?? {};
  const found = (oneOf ?? anyOf).map((node) => {
    const $ref = typeof node === 'object' ? node.$ref : undefined;
    const name = COMPONENT.exec($ref ?? '')?.[1];
    if ($ref === undefined || name === undefined || !isNode(follow($ref))) return undefined;
    const schemas = joined([node], follow);
    const values = schemas.flatMap(({ properties = {} }) => joined([properties[propertyName] ?? true], follow));
    const isForbidden = schemas.some((each) => forbids(each, propertyName, follow));
    const mapped = Object.keys(mapping).filter((value) => [$ref, name].includes(mapping[value] ?? ''));
    const fixed = values.flatMap((each) => listed(each) ?? []);
    const own = values.some((each) => listed(each) !== undefined)
      ? fixed.filter((each) => values.every((schema) => listed(schema)?.some((one) => isSame([one], [each])) ?? true))
      : undefined;
    const isRequired = schemas.some(({ required = [] }) => required.includes(propertyName));
    const said = mapped.length > 0 ? mapped : [name];
    const isListed = (only: readonly unknown[]) => values.some((each) => isSame(listed(each) ?? [], only));
    const types = new Set(values.flatMap(({ type = [] }) => type));
    return isForbidden ? undefined : { node: node as Tree, $ref, own, isRequired, isListed, said, types };
  });
  const known = found.filter((each) => each !== undefined);
  if (known.length < found.length || known.length === 0) return undefined;
  const owns = known.flatMap(({ own }) => (own === undefined ? [] : [own]));
  const areOwn = owns.length === known.length && owns.every((own) => own.length > 0) && areApart(owns);
  const branches = known.flatMap(({ node, $ref, own, isRequired, isListed, said, types }) => {
    const common = own?.filter((each) => said.includes(textOf(each))) ?? [];
    const values = own === undefined ? typedAs(said, types) : areOwn || common.length === 0 ? own : common;
    const isFixed = isRequired && own !== undefined && isSame(own, values) && isListed(values);
    return values.length === 0 ? [] : [{ node, $ref, values: unique(values), isFixed }];
  });
  return branches.length === known.length && areApart(branches.map(({ values }) => values)) ? branches : undefined;
}

const unique = (values: readonly unknown[]) => [...new Map(values.map((each) => [exactJson(each), each])).values()];

/** The names of a mapping as values of the property: `"1"` as 1 for an integer. None, if one has no such value. */
function typedAs(texts: readonly string[], types: ReadonlySet<string>): readonly unknown[] {
  if (types.size === 0 || types.has('string')) return texts;
  const read = (text: string): unknown =>
    types.has('boolean') && /^(?:true|false)$/.test(text)
      ? text === 'true'
      : (types.has('integer') || types.has('number')) && String(Number(text)) === text
        ? Number(text)
        : undefined;
  const values = texts.map(read);
  return values.includes(undefined) ? [] : values;
}

/**
 * Writes the values of the branches into the mapping, unless it says them.
 *
 * @param before what referred to the branches so far
 * @returns whether it has changed
 */
function map(
  { discriminator = { propertyName: '' } }: Schema,
  branches: readonly PinnedBranch[],
  before: readonly string[] = [],
): boolean {
  const { mapping = {} } = discriminator;
  const nameOf = ($ref: string) => COMPONENT.exec($ref)?.[1] ?? '';
  const isSaid = branches.every(({ $ref, values }) => {
    const mapped = Object.keys(mapping).filter((value) => [$ref, nameOf($ref)].includes(mapping[value] ?? ''));
    return isSame(mapped.length > 0 ? mapped : [nameOf($ref)], values.map(textOf));
  });
  if (isSaid) return false;
  const gone = [...before, ...branches.map(({ $ref }) => $ref)].flatMap(($ref) => [$ref, nameOf($ref)]);
  const others = Object.entries(mapping).filter(([, target]) => !gone.includes(target));
  const own = branches.flatMap(({ $ref, values }) => values.map((value) => [textOf(value), $ref]));
  Object.assign(discriminator, { mapping: Object.fromEntries([...others, ...own]) as object });
  return true;
}

/** Whether a schema requires the property, and lists the values that it may have. */
function fixes(schema: Tree, property: string, follow: Follow): boolean {
  const schemas = joined([schema], follow);
  const values = schemas.flatMap(({ properties = {} }) => joined([properties[property] ?? true], follow));
  return (
    values.some((each) => listed(each) !== undefined) &&
    schemas.some(({ required = [] }) => required.includes(property))
  );
}

export const MAPPINGS: readonly Edit[] = [
  {
    // A mapping leads to schemas with a name: without one, clients would not consider the branch (OpenAPI 3.1, 4.8.25).
    what: 'a branch beside a discriminator, which fixes its values, became a component',
    of: 'Schema',
    change: (node, { document, follow }) => {
      const { discriminator, oneOf, anyOf } = node as Schema;
      const branches = (oneOf ?? anyOf) as unknown[] | undefined;
      if (!isNode(discriminator) || !Array.isArray(branches)) return false;
      const { propertyName } = discriminator;
      const inline = branches.filter((each) => !isNode(each) || typeof each['$ref'] !== 'string');
      if (!inline.every((each) => isNode(each) && fixes(each, propertyName, follow))) return false;
      for (const branch of inline as Tree[]) {
        const { title } = branch;
        const own = (typeof title === 'string' ? title : capital(propertyName)).replaceAll(/[^\w.-]/g, '') || 'Branch';
        const names = Array.from({ length: MAX_NAMES }, (_, index) => `${own}${index === 0 ? '' : index + 1}`);
        branches[branches.indexOf(branch)] = { $ref: added(document, 'schemas', names, branch) };
      }
      return (inline as Tree[]).map((each) => ({ node: each }));
    },
  },
  {
    what: 'a value of a mapping that leads to no branch was removed: the branches decide',
    of: 'Schema',
    change: (node, { document }) => {
      const { discriminator, oneOf, anyOf = [] } = node as Schema;
      const mapping = memberOf(discriminator, 'mapping') ?? {};
      const targets = (oneOf ?? anyOf).flatMap((each) => (typeof each === 'object' ? [each.$ref ?? ''] : []));
      const isStray = (target: unknown) =>
        targets.length > 0 &&
        COMPONENT.test(String(target)) &&
        !targets.includes(String(target)) &&
        isNode(targetOf(document, String(target)));
      const stray = Object.keys(mapping).filter((value) => isStray(mapping[value]));
      for (const value of stray) Reflect.deleteProperty(mapping, value);
      return stray.map((member) => ({ node: mapping, member, name: member }));
    },
  },
  {
    what: 'the mapping of a discriminator says the values that its branches fix',
    of: 'Schema',
    member: 'discriminator',
    change: (node, { follow }) => {
      const branches = isNode(node['discriminator']) ? branchesOf(node, follow) : undefined;
      return branches?.every(({ isFixed }) => isFixed) === true && map(node, branches);
    },
  },
];

/**
 * Lets each branch beside a discriminator require, by `const`, the value that leads to it. A component that has other
 * uses, such as beside another discriminator, stays as it is: the branch becomes a component of its own, which refers to it.
 *
 * @returns the branches that require a value now; undefined: nothing has changed, as no value can be written
 */
export function pin(union: Tree, document: Tree): Spot[] | undefined {
  const follow = follower(document);
  const branches = branchesOf(union, follow);
  if (branches === undefined) return undefined;
  const { propertyName = '' } = (union as Schema).discriminator ?? {};
  const references = nodesIn(document).filter(
    ({ node, kind }) => kind === 'Schema' && typeof node['$ref'] === 'string',
  );
  const unions = nodesIn(document).filter(({ node, kind }) => kind === 'Schema' && isNode(node['discriminator']));
  const pinnedAlike = new Map(
    unions.flatMap(({ node }) =>
      (node['discriminator'] as Tree)['propertyName'] === propertyName
        ? (branchesOf(node, follow) ?? []).map((each) => [each.node, each.values] as const)
        : [],
    ),
  );
  const before = branches.map(({ $ref }) => $ref);
  const repeated = repeatedIn(document);
  const spots: Spot[] = [];
  const pinned = branches.map((branch): PinnedBranch => {
    const { node, $ref, values, isFixed } = branch;
    if (isFixed) return branch;
    const name = COMPONENT.exec($ref)?.[1] ?? '';
    spots.push({
      node: follow($ref) as Tree,
      name: `${name} requires ${propertyName}: ${values.map(textOf).join(', ')}`,
    });
    const only = values.length === 1 ? { const: values[0] } : { enum: values };
    const uses = references.filter((each) => each.node['$ref'] === $ref);
    const target = follow($ref);
    const isAlone = uses.every((each) => isSame(pinnedAlike.get(each.node) ?? [], values));
    if (isAlone && isNode(target) && ![target, target['properties']].some((each) => repeated.has(each))) {
      demand(target, propertyName, only, typesOf(target, follow));
      return branch;
    }
    const own = `${name}As${values.map((each) => capital(textOf(each))).join('Or')}`.replaceAll(/[^\w.-]/g, '');
    const schema = {
      type: 'object',
      allOf: [{ $ref }],
      required: [propertyName],
      properties: { [propertyName]: only },
    };
    const names = Array.from({ length: MAX_NAMES }, (_, index) => `${own}${index === 0 ? '' : index + 1}`);
    const schemas = memberOf(memberOf(document, 'components'), 'schemas') ?? {};
    const same = names.find((each) => Object.hasOwn(schemas, each) && exactJson(schemas[each]) === exactJson(schema));
    node['$ref'] = same === undefined ? added(document, 'schemas', names, schema) : `#/components/schemas/${same}`;
    return { ...branch, $ref: String(node['$ref']) };
  });
  map(union, pinned, before);
  return spots;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The objects that stand in several places, by aliases of YAML. */
function repeatedIn(document: Tree): ReadonlySet<unknown> {
  const [seen, repeated] = [new Set<unknown>(), new Set<unknown>()];
  for (const holder of holdersIn(document))
    for (const each of (Object.values(holder) as unknown[]).filter(isNode))
      if (seen.has(each)) repeated.add(each);
      else seen.add(each);
  return repeated;
}

function demand(target: Tree, propertyName: string, only: object, types: ReadonlySet<string>): void {
  const properties = memberOf(target, 'properties') ?? {};
  const { const: _, enum: __, ...said } = memberOf(properties, propertyName) ?? {};
  if (!types.isSubsetOf(new Set(['object']))) target['type'] ??= 'object';
  target['properties'] = Object.assign(properties, { [propertyName]: { ...said, ...only } });
  const required = Array.isArray(target['required']) ? (target['required'] as unknown[]) : [];
  target['required'] = [...new Set([...required, propertyName])];
}
