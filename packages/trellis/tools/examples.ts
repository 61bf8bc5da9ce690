import { type AnySchema, locationOf, type OpenApiDocument, resolver } from '../src/contract/schema/document.ts';
import { isLarge } from '../src/contract/schema/exact.ts';
import type { Attempt } from '../src/contract/schema/findings.ts';
import type { Examined } from '../src/contract/load.ts';
import { type Example, requireFitting } from '../src/contract/validator/examples.ts';
import type { ObjectKind } from '../src/contract/rules/vocabulary.ts';
import { isNode, memberOf, nodesIn, type Tree } from './adopt/tree.ts';

/** What has examples of the values in a message. */
const DIRECTIONS: Readonly<Partial<Record<ObjectKind, 'request' | 'reply'>>> = {
  Parameter: 'request',
  'Request Body': 'request',
  Response: 'reply',
  Header: 'reply',
};

/** @param found gets each example and default of the contract that is not valid in its place, as a message would be */
export function requireFittingExamples({ document, schemas, found }: Examined): void {
  const isJudged = ({ schema }: Example) =>
    typeof schema !== 'object' || (schemas.has(schema) && found.isSound(schema));
  requireFitting(examplesIn(document, found.attempt).filter(isJudged), document, found.attempt);
}

/** What has the value, as a member or an item. */
export interface PlacedExample extends Example {
  readonly holder: object;
  readonly member: string;
}

/** Each example and default of a contract. */
export function examplesIn(document: OpenApiDocument, attempt: Attempt): PlacedExample[] {
  const resolve = resolver(document);
  const examples: PlacedExample[] = [];
  const add = (schema: unknown, holder: object, member: string, direction: Example['direction']) => {
    const value = (holder as Tree)[member];
    if (value === undefined) return;
    const name = member === 'default' ? 'default' : 'example';
    const location = locationOf(holder, member);
    examples.push({ name, schema: schema as AnySchema, direction, value, location, holder, member });
  };
  for (const { node, kind } of nodesIn(document as object as Tree)) {
    const direction = DIRECTIONS[kind];
    if (kind === 'Schema') {
      for (const member of ['default', 'example']) add(node, node, member, 'example');
      const listed = Array.isArray(node['examples']) ? node['examples'] : [];
      for (const index of listed.keys()) add(node, listed, String(index), 'example');
    }
    if (direction === undefined) continue;
    const media = Object.entries(memberOf(node, 'content') ?? {}).filter(([type]) => /[/+]json\b/.test(type));
    for (const shown of [node, ...media.map(([, each]) => each)].filter(isNode)) {
      if (shown['schema'] === undefined) continue;
      add(shown['schema'], shown, 'example', direction);
      for (const each of Object.values(shown['examples'] ?? {}).filter((one: unknown) => isLarge(one)))
        attempt(() => {
          add(shown['schema'], resolve(each), 'value', direction);
        });
    }
  }
  return examples;
}
