import type { Follow, Schema } from '../../src/contract/schema/document.ts';
import { memberOf, type Tree } from './tree.ts';

/** Lets each branch that is a component require, by `const`, the value that the mapping says. */
export function pin({ discriminator, oneOf, anyOf = [] }: Schema, follow: Follow): void {
  const { propertyName = '', mapping = {} } = discriminator ?? {};
  for (const branch of oneOf ?? anyOf) {
    const $ref = typeof branch === 'object' ? branch.$ref : undefined;
    if ($ref === undefined) continue;
    const target = follow($ref) as Tree;
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
}
