import type { Declared } from '../message/operation.ts';
import { type AnySchema, type Follow, locationOf } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import type { Attempt } from '../schema/findings.ts';
import { joined, membersOf } from '../schema/subschemas.ts';
import { placesIn } from '../schema/positions.ts';
import { OF_MEMBER } from './place.ts';
import type { Translation } from './translation.ts';
import { countFilledIn } from './weights.ts';

/** Each level of defaults within defaults may double the number of values. */
const MAX_FILLED_IN = 10_000;

/**
 * The defaults that a start checks: each default by all schemas that always apply to its place, and `{}` with the
 * defaults of each object where `{}` alone is valid. request.ts refuses a default that is wrong in some requests only.
 *
 * @returns for each object, the trial of each default, and that of all. If the component of a trial accepts the member
 *   `name` with `sent`, it must accept it with `filled`
 * @throws ContractError for a default that contains itself, or too many others
 */
export function trialsOfDefaults(
  operations: readonly Declared[],
  requests: Translation,
  follow: Follow,
  attempt: Attempt,
) {
  const contents = operations.flatMap(({ values, body }) => [values, ...(body?.types.values() ?? [])]);
  const schemas = contents.filter(({ position }) => position !== undefined).map(({ schema }) => schema);
  const trial = (name: string, schemas: readonly AnySchema[], sent: unknown, fill: () => unknown) => {
    const location = locationOf(schemas.find((each) => typeof each === 'object'));
    const shown = { allOf: schemas.map((each) => requests.schema(each, OF_MEMBER)) };
    const component = requests.component({ properties: { [name]: shown } });
    return { name, component, sent, filled: filledBy(fill, location), location };
  };
  const places = attempt(() => placesIn(schemas, follow)) ?? [];
  return [...places].flatMap((place) => {
    if (place.defaults.length === 0) return [];
    const tried = attempt(() => {
      if (countFilledIn(place) > MAX_FILLED_IN)
        throw new ContractError(
          `defaults fill {} with more than ${MAX_FILLED_IN} values: let fewer defaults have defaults within`,
          locationOf(place.roots.find((each) => typeof each === 'object')),
        );
      const always = joined(place.roots, follow);
      const ofEach = place.defaults.map(({ name, value, position }) =>
        trial('default', membersOf(always, name), undefined, () => position.filled(value)),
      );
      return [{ ofEach, ofAll: trial('{} with its defaults', place.roots, {}, () => place.filled({})) }];
    });
    return tried ?? [];
  });
}

function filledBy(fill: () => unknown, location: string): unknown {
  try {
    return fill();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ContractError('a default must not contain itself', location);
  }
}
