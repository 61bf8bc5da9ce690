import { Overspent } from '../schema/budget.ts';
import type { Fault } from '../message/faults.ts';

/**
 * Returns the faults of a message; undefined: it is valid.
 *
 * @param work the work that the verdict may take; undefined: as much as the length of the message allows
 * @throws Overspent
 */
export type FindFaults = (message: object, work?: number) => readonly Fault[] | undefined;

/** Finds all faults, or the first one alone, which compiles half as much. */
export interface Finder extends FindFaults {
  readonly first: FindFaults;
}

/** The work to find all faults: enough for about 2,500, as Ajv copies its list of them for each schema. */
const DESCRIBING = 100_000;

/**
 * The verdict ends at the first fault. Only a refused message is checked again to find all faults, and the client is
 * told the first one alone if that takes too much work.
 *
 * @param find finds the first fault, or all
 */
export function described(find: (all: boolean) => FindFaults): Finder {
  const findFirst = find(false);
  const findAll: FindFaults = (message, work) => {
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
  return Object.assign(findAll, { first: findFirst });
}
