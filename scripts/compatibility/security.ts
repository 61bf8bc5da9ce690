import { isDeepStrictEqual } from 'node:util';
import type { Resolve } from '../../src/contract/document.ts';
import { listOf, type Node, nodeOf, withoutProse } from './nodes.ts';
import type { RuleName } from './rules.ts';

/** A scheme as clients see it (its name is for the document only), and the scopes that are asked for. */
interface Demand {
  readonly scheme: unknown;
  readonly scopes: readonly unknown[];
}

/** What an operation demands of its callers: each alternative is a way in. */
export interface Security {
  readonly declared: unknown;
  readonly alternatives: readonly (readonly Demand[])[];
}

export function securityOf(operation: Node, document: Node, resolve: Resolve): Security {
  const declared = operation['security'] ?? document['security'] ?? [];
  const schemes = nodeOf(nodeOf(document['components'])['securitySchemes']);
  const alternatives = listOf(declared).map((each) =>
    Object.entries(nodeOf(each)).map(([name, scopes]) => {
      // A hint for people, by OpenAPI's words.
      const { bearerFormat: _, ...scheme } = nodeOf(withoutProse(resolve(nodeOf(schemes[name]))));
      return { scheme, scopes: listOf(scopes) };
    }),
  );
  return { declared, alternatives: alternatives.length === 0 ? [[]] : alternatives };
}

export function judgeSecurity(was: Security, is: Security): RuleName | undefined {
  if (!everyWayLeadsInto(was, is)) return 'security demanded or changed';
  return everyWayLeadsInto(is, was) ? undefined : 'security lifted or another way in added';
}

/** Whether whoever has the credentials for an alternative of the one has all that some alternative of the other demands. */
function everyWayLeadsInto(one: Security, other: Security): boolean {
  return one.alternatives.every((held) =>
    other.alternatives.some((demanded) =>
      demanded.every((each) => held.some((credential) => serves(credential, each))),
    ),
  );
}

function serves(held: Demand, demanded: Demand): boolean {
  return (
    isDeepStrictEqual(held.scheme, demanded.scheme) && demanded.scopes.every((scope) => held.scopes.includes(scope))
  );
}
