import { ContractError } from '../contract-error.ts';
import { type AnySchema, type Follow, locationOf, type Schema } from '../schema/document.ts';
import { isLarge } from '../schema/exact.ts';
import { isSchema, joined } from '../schema/subschemas.ts';

/** @returns each branch beside a discriminator with the values of the property that lead to it @throws ContractError */
export function pinnedBranches(schema: Schema, branches: readonly AnySchema[], follow: Follow) {
  const { propertyName = '', mapping = {} } = schema.discriminator ?? {};
  const targets = branches.filter(isSchema).flatMap(({ $ref }) => [$ref, nameOf($ref)]);
  for (const [value, target] of Object.entries(mapping))
    if (!targets.includes(target))
      throw new ContractError(
        `${value} leads to ${target}, which is no branch here: add the branch, or remove the value`,
        locationOf(mapping, value),
      );
  const pins = branches.map((branch) => ({ branch, values: pinnedValues(schema, branch, follow) }));
  const all = pins.flatMap(({ values }) => values);
  if (new Set(all).size < all.length)
    throw new ContractError(
      `two branches have the same value of ${propertyName}: give each its own`,
      locationOf(schema.discriminator),
    );
  return pins;
}

function nameOf(reference = ''): string {
  return reference.replace(/^.*\//, '');
}

/** How a mapping names a value: its names are texts, whereas values may be integers, booleans or null. */
const named = (value: unknown) => (isLarge(value) ? undefined : String(value));

/**
 * The branch itself must demand these values: a discriminator does not affect validity (OpenAPI 3.1, 4.8.25).
 *
 * @throws ContractError
 */
function pinnedValues({ discriminator }: Schema, branch: AnySchema, follow: Follow): readonly unknown[] {
  const { propertyName = '', mapping = {} } = discriminator ?? {};
  const refuse = (what: string): never => {
    throw new ContractError(what, locationOf(discriminator));
  };
  const reference = typeof branch === 'object' ? branch.$ref : undefined;
  if (reference === undefined) return refuse('beside a discriminator, each branch must be a $ref');
  const name = nameOf(reference);
  const mapped = Object.entries(mapping).filter(([, target]) => target === reference || target === name);
  const names = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
  const schemas = joined([branch], follow);
  const pinned = schemas
    .flatMap(({ properties = {} }) => joined([properties[propertyName] ?? true], follow))
    .map((each) => ('const' in each ? [each.const] : each.enum))
    .find((each) => each !== undefined && new Set(names).symmetricDifference(new Set(each.map(named))).size === 0);
  if (pinned !== undefined && schemas.some(({ required = [] }) => required.includes(propertyName))) return pinned;
  const value = names.length === 1 ? `const: ${names.join()}` : `enum: [${names.join(', ')}]`;
  return refuse(`${reference} must require ${propertyName}, and allow only ${value} for it, as the discriminator says`);
}
