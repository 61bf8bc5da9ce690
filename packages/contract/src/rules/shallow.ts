import { ContractError } from '../contract-error.ts';
import { type Follow, locationOf, type Schema } from '../schema/document.ts';
import type { Findings } from '../schema/findings.ts';
import { behind, IN_PLACE, isSchema } from '../schema/subschemas.ts';

/** The readers of schemas, and the validator, nest a call for each schema of a value within or behind another. */
const MAX_APPLIED = 100;

/** @param found gets a refusal of the first chain that is too long; nothing that depends on such a chain is checked */
export function requireShallow(schemas: Iterable<Schema>, follow: Follow, found: Findings): void {
  const heights = new Map<Schema, number>();
  const heightOf = (schema: Schema, depth = 1): number => {
    if (depth > MAX_APPLIED) return Infinity;
    const known = heights.get(schema);
    if (known !== undefined) return known;
    // A schema that leads back to itself is refused elsewhere.
    heights.set(schema, 0);
    const next = found.isSound(schema) ? behind(schema, IN_PLACE, follow).filter(isSchema) : [];
    const height = 1 + next.reduce((most, each) => Math.max(most, heightOf(each, depth + 1)), 0);
    heights.set(schema, height);
    return height;
  };
  let isTold = false;
  for (const schema of schemas) {
    if (heightOf(schema) <= MAX_APPLIED) continue;
    const what =
      `more than ${MAX_APPLIED} schemas apply to one value here, each within or behind the one before: ` +
      'refer to the last one directly';
    if (!isTold) found.add(new ContractError(what, locationOf(schema)));
    found.spoil(schema);
    isTold = true;
  }
}
