import type { Draft } from './edits.ts';
import type { Spot } from './spots.ts';

/** A decision for the author alone: it narrows, widens, leaves out or renames. One answer is for all its places. */
export interface Question {
  readonly key: string;
  /** @returns undefined: nothing is to be asked */
  readonly ask: (draft: Draft) => Doubt | undefined;
}

export interface Doubt {
  readonly what: string;
  readonly spots: readonly Spot[];
  /** The first one is the choice of most authors. */
  readonly choices: readonly Choice[];
  /** Set if the first one keeps what the document means: it is made, unless the author chooses another. */
  readonly made?: Made;
}

export interface Choice {
  readonly name: string;
  readonly means: string;
  readonly apply: () => void;
}

/** @returns undefined if there are no places */
export function asked(what: string, spots: readonly Spot[], ...choices: readonly Choice[]): Doubt | undefined {
  return spots.length === 0 ? undefined : { what, spots, choices };
}

/** What the first choice does to the document. */
export type Made = 'edit' | 'as written';

/** Makes the first choice of a doubt, unless the author chooses another. */
export function made(doubt: Doubt | undefined, how: Made = 'edit'): Doubt | undefined {
  return doubt && { ...doubt, made: how };
}
