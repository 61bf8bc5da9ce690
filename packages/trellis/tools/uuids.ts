import type { Contract } from '../src/contract/contract.ts';
import { type AnySchema, follower, locationOf, type OpenApiDocument } from '../src/contract/schema/document.ts';
import { directly } from '../src/contract/schema/findings.ts';
import { beneath, inPlace, reachable } from '../src/contract/schema/subschemas.ts';
import { ContractError } from '../src/contract/errors.ts';
import { type Example, requireFitting } from '../src/contract/validator/examples.ts';

const SMALL = '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10';
const SPELLINGS = [SMALL, SMALL.toUpperCase()];

/** @returns a warning, with place and cure, for each UUID of a path or a body that clients may spell in two ways */
export function spelledUuids({ document, operations }: Contract): string[] {
  const follow = follower(document);
  const sent = operations.flatMap(({ parameters, body }): readonly (AnySchema | undefined)[] => [
    ...parameters.filter((each) => each.in === 'path').map(({ schema }) => schema),
    ...Array.from(body?.types.values() ?? [], ({ schema }) => schema),
  ]);
  const whole = sent.flatMap((each) => [each, ...reachable(each ?? true, follow).flatMap(beneath)]);
  const found = new Set<string>();
  for (const schema of new Set(whole)) {
    const uuid = inPlace([schema ?? true], follow).find(({ format }) => format === 'uuid');
    if (uuid === undefined || schema === undefined) continue;
    const location = locationOf(uuid, 'format');
    const examples = SPELLINGS.map((value) => ({
      name: 'example' as const,
      direction: 'request' as const,
      schema,
      value,
      location,
    }));
    if (!fit(examples, document)) continue;
    found.add(
      `${location}: format uuid allows capitals too: as a key of text, one UUID is then two keys; ` +
        "add pattern: '^[0-9a-f-]{36}$', which allows small letters alone",
    );
  }
  return [...found];
}

function fit(examples: readonly Example[], document: OpenApiDocument): boolean {
  try {
    requireFitting(examples, document, directly);
    return true;
  } catch (error) {
    if (error instanceof ContractError) return false;
    throw error;
  }
}
