import { locationOf } from '../../src/contract/schema/document.ts';
import type { Draft } from './edits.ts';

/** A decision for the author alone: it narrows, widens, leaves out or renames. One answer is for all its places. */
export interface Question {
  readonly key: string;
  /** @returns undefined: nothing is to be asked */
  readonly ask: (draft: Draft) => Doubt | undefined;
}

export interface Doubt {
  readonly what: string;
  /** The places, and what stands there. */
  readonly spots: readonly string[];
  /** The first one is the choice of most authors. */
  readonly choices: readonly Choice[];
}

interface Spot {
  readonly node: object;
  readonly member?: string;
  /** What stands at the place. */
  readonly name: string;
}

export interface Choice {
  readonly name: string;
  readonly means: string;
  readonly apply: () => void;
}

/** @returns undefined if there are no places */
export function asked(what: string, spots: readonly Spot[], ...choices: readonly Choice[]): Doubt | undefined {
  const places = spots.map(({ node, member, name }) => `${locationOf(node, member)} ${name}`);
  return spots.length === 0 ? undefined : { what, spots: places, choices };
}
