import { type AnySchema, locationOf, type OpenApiDocument, resolver } from '../src/schema/document.ts';
import { isLarge } from '../src/schema/exact.ts';
import type { Attempt } from '../src/schema/findings.ts';
import type { Examined } from '../src/load.ts';
import { type Example, requireFitting } from '../src/validator/examples.ts';
import { type KnownObject, nodesIn } from '../src/rules/objects.ts';
import type { ObjectKind } from '../src/rules/vocabulary.ts';
import type { Direction } from '../src/validator/place.ts';

type Node = Readonly<Record<string, unknown>>;

/** @param found gets each example and default of the contract that is not valid in its place, as a message would be */
export function requireFittingExamples({ document, schemas, found, compilers }: Examined): void {
  const isJudged = ({ schema }: Example) =>
    typeof schema !== 'object' || (schemas.has(schema) && found.isSound(schema));
  requireFitting(examplesIn(document, found.attempt).filter(isJudged), document, found.attempt, compilers);
}

/** An example with the object or list that has its value, and the name or index of the value there. */
export interface PlacedExample extends Example {
  readonly holder: object;
  readonly member: string;
}

const DIRECTIONS: Partial<Record<ObjectKind, Direction>> = {
  Parameter: 'request',
  'Request Body': 'request',
  Response: 'reply',
  Header: 'reply',
};

/** The direction of the message that an object describes; `example` outside messages. */
const directionOf = (found: KnownObject | undefined): Direction =>
  found === undefined ? 'example' : (DIRECTIONS[found.kind] ?? directionOf(found.within));

/** Each example and default of a contract. */
export function examplesIn(document: OpenApiDocument, attempt: Attempt): PlacedExample[] {
  const resolve = resolver(document);
  const examples: PlacedExample[] = [];
  for (const found of nodesIn(document)) {
    const { node, kind, name } = found;
    const add = (schema: unknown, holder: object, member: string, of: Example['direction']) => {
      const value = (holder as Node)[member];
      if (value === undefined) return;
      const name = member === 'default' ? 'default' : 'example';
      const location = locationOf(holder, member);
      examples.push({ name, schema: schema as AnySchema, direction: of, value, location, holder, member });
    };
    if (kind === 'Schema') {
      for (const member of ['default', 'example']) add(node, node, member, 'example');
      const listed = Array.isArray(node['examples']) ? node['examples'] : [];
      for (const index of listed.keys()) add(node, listed, String(index), 'example');
    } else if (node['schema'] !== undefined && (kind !== 'Media Type' || /[/+]json\b/.test(name))) {
      const direction = directionOf(found);
      add(node['schema'], node, 'example', direction);
      for (const each of Object.values(node['examples'] ?? {}).filter((one: unknown) => isLarge(one)))
        attempt(() => {
          add(node['schema'], resolve(each), 'value', direction);
        });
    }
  }
  return examples;
}
