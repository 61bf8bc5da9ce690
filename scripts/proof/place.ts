import type { Judge, Keywords, Schema } from './judge.ts';
import type { Json } from './values.ts';

/** Schemas that apply to one value together. */
export type Place = readonly Schema[];
/** The same without what applies in place: one way of all in which a value may fit them. */
export type Way = readonly Keywords[];

/** A value that may be valid or not, and the schema that it is made for. */
export interface Candidate {
  readonly value: Json;
  readonly schema: Keywords;
}

/** Where arrays and objects get their items and members from. */
export interface Supply {
  readonly judge: Judge;
  of(place: Place): readonly Candidate[];
  /** The candidates that all schemas of a place allow. */
  valid(place: Place): readonly Json[];
  fits(place: Place, value: Json): boolean;
}
