import type { Follow, Schema } from '../../src/contract/schema/document.ts';
import { isNode, memberOf } from './tree.ts';

/**
 * Lets each branch require, by `const`, the value that the mapping says.
 *
 * @returns false: nothing has changed, as a branch is no component
 */
export function pin({ discriminator, oneOf, anyOf = [] }: Schema, follow: Follow): boolean {
  const { propertyName = '', mapping = {} } = discriminator ?? {};
  const references = (oneOf ?? anyOf).map((branch) => (typeof branch === 'object' ? branch.$ref : undefined));
  const targets = references.flatMap(($ref) => {
    const target: unknown = $ref === undefined ? undefined : follow($ref);
    return $ref !== undefined && isNode(target) ? [{ $ref, target }] : [];
  });
  if (targets.length < references.length) return false;
  for (const { $ref, target } of targets) {
    const name = $ref.replace(/^.*\//, '');
    const mapped = Object.entries(mapping).filter(([, each]) => each === $ref || each === name);
    const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
    const only = values.length === 1 ? { const: values[0] } : { enum: values };
    const properties = memberOf(target, 'properties') ?? {};
    const { const: _, enum: __, ...said } = memberOf(properties, propertyName) ?? {};
    target['properties'] = Object.assign(properties, { [propertyName]: { ...said, ...only } });
    const required = Array.isArray(target['required']) ? (target['required'] as unknown[]) : [];
    target['required'] = [...new Set([...required, propertyName])];
  }
  return true;
}
