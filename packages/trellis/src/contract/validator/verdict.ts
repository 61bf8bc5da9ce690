import { Overspent } from '../schema/budget.ts';
import { locationOf } from '../schema/document.ts';
import type { Fault } from '../message/faults.ts';

/**
 * Returns the faults of a message; undefined: it is valid.
 *
 * @param work what the verdict may cost; undefined: what the length of the message allows
 * @throws Overspent
 */
export type FindFaults = (message: object, work?: number) => readonly Fault[] | undefined;

/** What describing may cost: some 2,500 faults, as Ajv copies its list of them for each schema. */
const DESCRIBING = 100_000;

/**
 * The verdict ends at the first fault. Only a refused message is judged again to find them all, and told by its first
 * fault if that costs too much.
 *
 * @param find finds the first fault, or all
 */
export function described(find: (all: boolean) => FindFaults): FindFaults {
  const findFirst = find(false);
  return (message, work) => {
    const first = findFirst(message, work);
    if (first === undefined) return undefined;
    try {
      // Compiled on first use: a service whose messages are valid never needs it.
      return find(true)(message, DESCRIBING) ?? first;
    } catch (error) {
      if (!(error instanceof Overspent)) throw error;
      return first;
    }
  };
}

/** What to change in the contract. */
export function explained({ at }: Overspent): string {
  return (
    `${locationOf(at)}: the schemas that apply here take more work than the length of the message allows: use fewer ` +
    'branches, patterns and checks for one value, or choose between branches by a discriminator'
  );
}
