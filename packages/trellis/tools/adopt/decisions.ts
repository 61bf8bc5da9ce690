import { locationOf } from '../../src/contract/schema/document.ts';
import type { Draft } from './edits.ts';

/** What only the author can say: it narrows, widens, leaves out or renames. One answer is for all its places. */
export interface Question {
  readonly key: string;
  /** @returns undefined: nothing is to be asked */
  readonly ask: (draft: Draft) => Doubt | undefined;
}

export interface Doubt {
  readonly what: string;
  /** The places, and what stands there. */
  readonly spots: readonly string[];
  /** The first one is what most take. */
  readonly choices: readonly Choice[];
}

interface Spot {
  readonly node: object;
  readonly member?: string;
  /** What stands there. */
  readonly name: string;
}

export interface Choice {
  readonly name: string;
  readonly means: string;
  readonly apply: () => void;
}

/** @returns undefined unless there are places */
export function asked(what: string, spots: readonly Spot[], ...choices: readonly Choice[]): Doubt | undefined {
  const places = spots.map(({ node, member, name }) => `${locationOf(node, member)} ${name}`);
  return spots.length === 0 ? undefined : { what, spots: places, choices };
}
