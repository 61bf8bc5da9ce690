import { locationOf } from '../../src/schema/document.ts';
import { namesIn } from '../../src/schema/yaml.ts';
import type { ContractError } from '../../src/contract-error.ts';
import { isSecurity } from './reading.ts';
import type { Spot } from './spots.ts';
import { holdersIn, isNode, memberOf, operationsIn, partsOf, type Tree } from './tree.ts';

/** The failures outside operations have this body. */
const OUTSIDE = 'schemas/Error';

export const UNUSED = {
  what: 'a component that nothing leads to was left out, where the service would refuse it',
};

/** Leaves the components out that nothing leads to, and that are refused. @returns their places */
export function leaveOutUnused(document: Tree, refusals: readonly ContractError[]): Spot[] {
  const { components, ...others } = document;
  const parts = new Map(
    Object.entries(isNode(components) ? components : {}).flatMap(([section, each]) =>
      Object.entries(isNode(each) ? each : {}).map(([name, part]) => [
        `${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        { holder: each as Tree, name, part },
      ]),
    ),
  );
  const reached = new Set([OUTSIDE, ...schemesIn(document), ...referencesOf(others)]);
  // The iteration of a Set includes what is added meanwhile.
  for (const key of reached) for (const each of referencesOf(parts.get(key)?.part)) reached.add(each);
  const places = new Set(refusals.map(({ at = '' }) => at.split(', ', 1)[0] ?? ''));
  // An object that an edit has made has no place.
  places.delete(locationOf(undefined));
  const unused = [...parts].filter(([key]) => !reached.has(key));
  const gone = new Set(
    unused.flatMap(([key, { holder, name, part }]) =>
      places.has(locationOf(holder, name)) || placesOf(part).some((each) => places.has(each)) ? [key] : [],
    ),
  );
  for (const key of gone) for (const [other, { part }] of unused) if (referencesOf(part).includes(key)) gone.add(other);
  return unused.flatMap(([key, { holder, name }]) => {
    if (!gone.has(key)) return [];
    const spot = { node: holder, member: name, told: `${locationOf(holder, name)} ${key}` };
    Reflect.deleteProperty(holder, name);
    return [spot];
  });
}

/** The components that a part refers to, also by the mapping of a discriminator. */
function referencesOf(part: unknown): string[] {
  return [...(holdersIn(part) as Set<Tree>)].flatMap((node) => {
    const mapped = Object.values(memberOf(memberOf(node, 'discriminator'), 'mapping') ?? {});
    return [node['$ref'], ...mapped].flatMap((each) => {
      if (typeof each !== 'string') return [];
      const [first, section, name] = namesIn(each) ?? [];
      if (first === 'components' && section !== undefined && name !== undefined)
        return `${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return mapped.includes(each) ? `schemas/${each}` : [];
    });
  });
}

function schemesIn(document: Tree): string[] {
  const holders = [document, ...operationsIn(document).map(({ node }) => node)];
  const lists = holders.map(({ security }) => (isSecurity(security) ? security : []));
  return lists.flat().flatMap((each) => Object.keys(each).map((name) => `securitySchemes/${name}`));
}

const placesOf = (part: unknown) =>
  [...partsOf(part)].flatMap((each) => [
    locationOf(each),
    ...Object.keys(each).map((member) => locationOf(each, member)),
  ]);
