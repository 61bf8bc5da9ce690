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
