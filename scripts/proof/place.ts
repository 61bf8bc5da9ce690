import type { Judge, Keywords, Schema } from './judge.ts';
import type { Json } from './values.ts';

/** Schemas that all apply to the same value. */
export type Place = readonly Schema[];
/**
 * The schemas that apply at a place when one branch of each `anyOf`, `oneOf`, `if`, `not` and `dependentSchemas` is
 * chosen.
 */
export type Way = readonly Keywords[];

/** A proposed value, valid or not, with the schema that it is made for. */
export interface Candidate {
  readonly value: Json;
  readonly schema: Keywords;
}

export interface Supply {
  readonly judge: Judge;
  of(place: Place): readonly Candidate[];
  /** The candidates that all schemas of the place allow. */
  valid(place: Place): readonly Json[];
  fits(place: Place, value: Json): boolean;
}
