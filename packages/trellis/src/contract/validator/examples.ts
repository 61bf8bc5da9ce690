import { ContractError, Refusal } from '../errors.ts';
import { inWords } from '../message/faults.ts';
import { parseJson } from '../message/json.ts';
import { Overspent } from '../schema/budget.ts';
import { type AnySchema, follower, type OpenApiDocument } from '../schema/document.ts';
import type { Attempt } from '../schema/findings.ts';
import { exactJson } from '../schema/int64.ts';
import { Position } from '../schema/positions.ts';
import { compiles } from './operations.ts';
import { type Direction, OF_MEMBER } from './place.ts';
import { Translation } from './translation.ts';
import { requestCompiler } from './validator-eov.ts';
import { explained, type FindFaults } from './verdict.ts';

/** An example or a default of the contract, with the schema of its place. */
export interface Example {
  readonly name: 'example' | 'default';
  readonly schema: AnySchema;
  readonly direction: Direction;
  readonly value: unknown;
  readonly location: string;
}

/** Refuses each value that a message could not have in its place. */
export function requireFitting(examples: readonly Example[], document: OpenApiDocument, attempt: Attempt): void {
  const follow = follower(document);
  for (const [direction, listed] of Map.groupBy(examples, ({ direction: each }) => each)) {
    const translation = new Translation(direction, follow);
    const trials = listed.flatMap((example) => {
      const { name } = example;
      const shown = attempt(() => [translation.schema(example.schema, OF_MEMBER)]) ?? [];
      return shown.map((schema) => ({
        ...example,
        component: translation.component({ properties: { [name]: schema } }),
      }));
    });
    const compile = requestCompiler(translation, false);
    for (const { name, schema, value, location, component } of trials)
      attempt(() => {
        const wrong = compiles(location, () => unfit(compile(component), name, value, new Position(schema, follow)));
        if (wrong !== undefined) throw new ContractError(wrong, location);
      });
  }
}

function unfit(find: FindFaults, name: string, value: unknown, position: Position): string | undefined {
  try {
    // Read as from a message: with the digits of an int64.
    const read = { [name]: parseJson(exactJson(value), position) };
    const faults = find(read) ?? (position.fillIn(read[name]) ? find(read) : undefined);
    return faults && inWords(faults);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Overspent)) throw error;
    return error instanceof Overspent ? explained(error) : error.message;
  }
}
