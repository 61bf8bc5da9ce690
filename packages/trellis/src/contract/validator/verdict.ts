import type { Fault } from '../message/faults.ts';

/** Returns the faults of a message; undefined: it is valid. */
export type FindFaults = (message: object) => readonly Fault[] | undefined;

/**
 * Ajv copies its list of faults for each schema, so that describing costs the square of their number. A message that may
 * have more faults is described by its first one.
 */
const MAX_DESCRIBED = 2500;

/**
 * The verdict ends at the first fault. Only a refused message that can have few faults is judged again to find them all.
 *
 * @param find finds the first fault, or all
 * @param faults the largest number of faults of one value
 */
export function bounded(find: (all: boolean) => FindFaults, faults: number): FindFaults {
  const findFirst = find(false);
  return (message) => {
    const first = findFirst(message);
    if (first === undefined || !hasAtMost(MAX_DESCRIBED / faults, message)) return first;
    // Compiled on first use: a service whose messages are valid never needs it.
    return find(true)(message) ?? first;
  };
}

/** Whether a JSON value and all of its parts are at most so many values. */
function hasAtMost(values: number, root: unknown): boolean {
  let left = values;
  const visit = (value: unknown): boolean =>
    --left >= 0 && (typeof value !== 'object' || value === null || Object.values(value).every(visit));
  return visit(root);
}
