import { ContractError } from '../contract-error.ts';
import { Refusal } from '../refusal.ts';
import { inWords } from '../message/faults.ts';
import { parseJson } from '../message/json.ts';
import { Overspent } from '../schema/budget.ts';
import { explained } from '../schema/overspent.ts';
import { type AnySchema, type Follow, follower, type OpenApiDocument } from '../schema/document.ts';
import type { Attempt } from '../schema/findings.ts';
import { exactJson } from '../schema/int64.ts';
import { Position } from '../schema/positions.ts';
import { compiles, compilersOf } from './operations.ts';
import { type Direction, OF_MEMBER } from './place.ts';
import { Translation } from './translation.ts';
import { requestCompiler } from './validator-eov.ts';
import type { FindFaults } from './verdict.ts';

/** An example or a default of the contract, with the schema of its place. */
export interface Example {
  readonly name: 'example' | 'default';
  readonly schema: AnySchema;
  readonly direction: Direction;
  readonly value: unknown;
  readonly location: string;
}

/** Most examples are small, and fit: to compile the schemas of many as one takes a fraction of the time. */
const AT_ONCE = 64;

/** Refuses each value that a message could not have in its place. */
export function requireFitting(
  examples: readonly Example[],
  document: OpenApiDocument,
  attempt: Attempt,
  compilers = compilersOf(document, false),
): void {
  const follow = follower(document);
  for (const [direction, listed] of Map.groupBy(examples, ({ direction: each }) => each)) {
    const { translation, compile } = direction === 'example' ? compilerOfExamples(follow) : compilers[direction];
    const trials = listed.flatMap((example) => {
      const { name, schema } = example;
      const shown = attempt(() => [translation.schema(schema, OF_MEMBER)]) ?? [];
      return shown.map((each) => ({
        ...example,
        shown: each,
        component: translation.component({ properties: { [name]: each } }),
      }));
    });
    const groups = Map.groupBy(trials.entries(), ([index]) => Math.floor(index / AT_ONCE));
    const together = Array.from(groups.values(), (group) => ({
      group,
      component: translation.component({
        properties: Object.fromEntries(group.map(([index, { shown }]) => [String(index), shown])),
      }),
    }));
    const judge = (find: FindFaults, { value, schema, location }: Example, name: string) =>
      compiles(location, () => unfit(find, name, value, new Position(schema, follow)));
    for (const { group, component } of together) {
      const find = tried(() => compile(component));
      for (const [index, trial] of group)
        attempt(() => {
          const { name, location } = trial;
          if (find !== undefined && tried(() => judge(find.first, trial, String(index)) === undefined) === true) return;
          const wrong = judge(
            compiles(location, () => compile(trial.component)),
            trial,
            name,
          );
          if (wrong !== undefined) throw new ContractError(wrong, location);
        });
    }
  }
}

function compilerOfExamples(follow: Follow) {
  const translation = new Translation('example', follow);
  return { translation, compile: requestCompiler(translation, false) };
}

/** @returns undefined if it fails: each example is then judged alone, and its refusal told */
function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function unfit(find: FindFaults, name: string, value: unknown, position: Position): string | undefined {
  try {
    // Read as from a message: with the digits of an int64.
    const read = { [name]: parseJson(exactJson(value), position) };
    const faults = find(read) ?? (position.fillIn(read[name]) ? find(read) : undefined);
    return faults && inWords(faults);
  } catch (error) {
    if (error instanceof Overspent) return explained(error);
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}
