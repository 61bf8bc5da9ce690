import { canBeEmpty, type Group, isCharacter, lettersOf, type PatternNode, nodesOf, setOf } from './pattern-nodes.ts';

// A pattern is read as an automaton. JavaScript follows one path through it after the other, and goes back where one
// fails: here the paths of the worst text are counted. budget.ts cannot bound them, as nothing stops a match under way.

/** The largest number of paths to a character of a text. */
const MAX_PATHS = 20;
/** The same for its first FEW characters, which cost little however they are tried: one of many words, an IPv4 address. */
const MAX_PATHS_OF_FEW = 100;
const FEW = 16;
/** A pattern that has more states than this, or combinations of states, is refused. */
const MAX_STATES = 10_000;
const MAX_COMBINATIONS = 5000;
const MAX_REPEATED = 1000;

/** A state of the automaton: `read` takes one character, the others none. `loop` may go to `again` first. */
type PatternState =
  | Read
  | { readonly is: 'either'; readonly to: readonly PatternState[] }
  | { readonly is: 'loop'; again: PatternState; readonly then: PatternState }
  | { readonly is: 'start'; readonly then: PatternState }
  | { readonly is: 'end' };
interface Read {
  readonly is: 'read';
  readonly source: string;
  readonly set: RegExp;
  readonly then: PatternState;
}
/** The state behind the pattern: nothing can fail there. */
const ACCEPT: PatternState = { is: 'end' };
/** The end of what is counted, such as the end of a text or of a lookahead. */
const END: PatternState = { is: 'end' };

/** How many paths have led to each state that is the next to read. */
type Paths = ReadonlyMap<Read, number>;

/** What to assume of a pattern, to find the cure for it. */
interface Assumed {
  readonly isAnchored?: boolean;
  /** The largest number of repetitions. */
  readonly bound?: number;
  /** More repetitions count as any number of them, which allows no fewer paths. */
  readonly repeated?: number;
}

/** Thrown at the first text that has too many paths. */
class TooManyPaths extends Error {
  readonly sources: readonly string[];
  constructor(sources: readonly string[] = []) {
    super('too many paths');
    this.sources = sources;
  }
}

/**
 * The work of a match is the number of paths at each character. They are counted for all texts at once: those that lead to
 * the same states in the same numbers are one.
 *
 * @returns the parts of a pattern that can read the same character on too many paths; undefined: no text has so many
 */
export function findBacktracking(root: PatternNode, assumed: Assumed = {}): readonly string[] | undefined {
  let found: readonly string[] = [];
  // Most patterns need no exact numbers, which can take a hundred times as long to follow.
  for (const repeated of [4, MAX_REPEATED]) {
    try {
      countPaths(root, { repeated, ...assumed });
      return undefined;
    } catch (error) {
      if (!(error instanceof TooManyPaths)) throw error;
      if (error.sources.length > 0) found = error.sources;
    }
  }
  return found;
}

/** @throws TooManyPaths */
function countPaths(root: PatternNode, assumed: Assumed): void {
  const letters = lettersOf(root);
  const start = automatonOf(root, assumed);
  // A search begins anew at each character.
  const search: Read = { is: 'read', source: '', set: /^/u, then: assumed.isAnchored ? END : start };
  const known = new Map<Read, Paths>();
  const after = (read: Paths): Paths => {
    const next = new Map([[search, 1]]);
    for (const [each, count] of read)
      for (const [then, more] of known.getOrInsertComputed(each, () => readsFrom(each.then)))
        next.set(then, (next.get(then) ?? 0) + count * more);
    return next;
  };
  const numbers = new Map<Read, number>();
  const keyOf = (paths: Paths) =>
    Array.from(paths, ([read, n]) => `${numbers.getOrInsertComputed(read, () => numbers.size)}:${n}`)
      .sort()
      .join();

  const seen = new Set<string>();
  let level: readonly Paths[] = [new Map([...readsFrom(start, true), [search, 1]])];
  for (let length = 1; level.length > 0; length++) {
    const next = new Map<string, Paths>();
    for (const waiting of level) {
      for (const letter of letters) {
        const read = new Map([...waiting].filter(([{ set }]) => set.test(letter)));
        requireFew(read, search, length > FEW ? MAX_PATHS : MAX_PATHS_OF_FEW);
        const key = keyOf(read);
        if (seen.has(key) || next.has(key)) continue;
        // Within the first FEW characters a longer text that leads to the same states is judged again, by MAX_PATHS.
        if (length > FEW) seen.add(key);
        next.set(key, after(read));
        if (seen.size + next.size > MAX_COMBINATIONS) throw new TooManyPaths();
      }
    }
    level = [...next.values()];
  }
}

function requireFew(read: Paths, search: Read, most: number): void {
  const counted = [...read].filter(([each]) => each !== search);
  if (counted.reduce((sum, [, count]) => sum + count, 0) <= most) return;
  const largest = counted.sort(([, one], [, other]) => other - one);
  throw new TooManyPaths([...new Set(largest.map(([{ source }]) => source))]);
}

/** What can read the next character from here, and by how many paths. */
function readsFrom(from: PatternState, isStart = false): Paths {
  const found = new Map<Read, number>();
  let paths = 0;
  const visit = (state: PatternState, begun: readonly PatternState[]): void => {
    if (++paths > MAX_STATES) throw new TooManyPaths();
    if (state.is === 'read') found.set(state, (found.get(state) ?? 0) + 1);
    else if (state.is === 'either') for (const each of state.to) visit(each, begun);
    else if (state.is === 'start' && isStart) visit(state.then, begun);
    // JavaScript takes back a repetition that has read nothing.
    else if (state.is === 'loop' && !begun.includes(state)) {
      visit(state.again, [...begun, state]);
      visit(state.then, begun);
    }
  };
  visit(from, []);
  return found;
}

/** @returns the state in which a match begins @throws TooManyPaths */
function automatonOf(root: PatternNode, { bound = Infinity, repeated = MAX_REPEATED }: Assumed): PatternState {
  const groups = nodesOf(root).filter((each): each is Group => each.type === 'group' && each.behavior === 'normal');
  /** The groups around the node. */
  const within: PatternNode[] = [];
  let states = 0;
  return stateOf(root, ACCEPT);

  function stateOf(node: PatternNode, then: PatternState): PatternState {
    if (++states > MAX_STATES) throw new TooManyPaths();
    switch (node.type) {
      case 'alternative':
        return sequence(node.body, then);
      case 'disjunction':
        return { is: 'either', to: node.body.map((each) => stateOf(each, then)) };
      case 'anchor':
        if (node.kind === 'end') return END;
        // Not `then` itself, which may be ACCEPT: a boundary can fail.
        return node.kind === 'start' ? { is: 'start', then } : { is: 'either', to: [then] };
      case 'quantifier':
        return quantified(node, then);
      case 'reference':
        return again(node, then);
      case 'group': {
        // A lookbehind counts as if it read forwards: patterns.ts refuses one that reads more than a few characters.
        if (/look/i.test(node.behavior)) return { is: 'either', to: [sequence(node.body, END), then] };
        within.push(node);
        const state = sequence(node.body, then);
        within.pop();
        return state;
      }
      default:
        return { is: 'read', source: node.raw, set: setOf(node), then };
    }
  }

  function sequence(nodes: readonly PatternNode[], then: PatternState): PatternState {
    return nodes.reduceRight((rest, each) => stateOf(each, rest), then);
  }

  function quantified(
    { body: [body], min, max = Infinity }: Extract<PatternNode, { type: 'quantifier' }>,
    then: PatternState,
  ): PatternState {
    // A character that need not be read is read once if nothing behind it can fail: JavaScript takes no such step back.
    const most = then === ACCEPT && isCharacter(body) ? min : Math.min(max, Math.max(bound, min));
    const isLoop = most > repeated;
    let rest = then;
    if (isLoop) {
      const loop = { is: 'loop' as const, again: then, then };
      loop.again = stateOf(body, loop);
      rest = loop;
    } else for (let count = min; count < most; count++) rest = { is: 'either', to: [stateOf(body, rest), then] };
    // A repetition that `min` demands may read nothing, on each of its paths.
    const least = isLoop && !canBeEmpty(body) ? Math.min(min, 1) : min;
    for (let count = 0; count < least; count++) rest = stateOf(body, rest);
    return rest;
  }

  /** A text that a group has read is one of those that the group can read. */
  function again(node: Extract<PatternNode, { type: 'reference' }>, then: PatternState): PatternState {
    const group = groups.find((each, index) =>
      node.name === undefined ? node.matchIndex === index + 1 : each.name?.value === node.name.value,
    );
    // Within itself a group has read nothing yet.
    if (group === undefined || within.includes(group)) return then;
    return { is: 'either', to: [stateOf(group, then), then] };
  }
}
