import { type AnySchema, locationOf, type OpenApiDocument, resolver } from '../src/contract/schema/document.ts';
import { ContractError } from '../src/contract/errors.ts';
import { type Example, misfits } from '../src/contract/validator/validator-eov.ts';
import { visitNodes } from './for-libraries.ts';

type Node = Readonly<Record<string, unknown>>;

/** @throws ContractError unless each example and default of the contract is valid in its place, as a message would be */
export function requireFittingExamples(document: OpenApiDocument): void {
  const found = misfits(examplesIn(document), document);
  if (found.length > 0) throw new ContractError(found.join('\n'));
}

function examplesIn(document: OpenApiDocument): Example[] {
  const resolve = resolver(document);
  const examples: Example[] = [];
  visitNodes(document, (node, type, name, direction) => {
    const add = (schema: unknown, holder: object, member: string, of: Example['direction']) => {
      const value = (holder as Node)[member];
      if (value === undefined) return;
      const name = member === 'default' ? 'default' : 'example';
      examples.push({ name, schema: schema as AnySchema, direction: of, value, location: locationOf(holder, member) });
    };
    if (type === 'Schema') {
      for (const member of ['default', 'example']) add(node, node, member, 'example');
      const listed = Array.isArray(node['examples']) ? node['examples'] : [];
      for (const index of listed.keys()) add(node, listed, String(index), 'example');
    } else if (node['schema'] !== undefined && (type !== 'MediaType' || /[/+]json\b/.test(name))) {
      add(node['schema'], node, 'example', direction);
      for (const each of Object.values((node['examples'] ?? {}) as Record<string, object>))
        add(node['schema'], resolve(each), 'value', direction);
    }
  });
  return examples;
}
