import { canBeEmpty, type Group, isCharacter, lettersOf, type PatternNode, nodesOf, setOf } from './pattern-nodes.ts';

// This file reads a pattern as an automaton, of which JavaScript tries one path after another, and counts the paths of
// the worst text: the budget of budget.ts cannot bound them, as nothing stops a match under way.

/** The largest number of paths to a character of a text. */
const MAX_PATHS = 20;
/** The same for the first FEW characters, which cost little: a choice among words or an IPv4 address has more paths. */
const MAX_PATHS_OF_FEW = 100;
const FEW = 16;
/** A pattern with more states than this, or with more combinations of states, is refused. */
const MAX_STATES = 10_000;
const MAX_COMBINATIONS = 5000;
const MAX_REPEATED = 1000;

/** A state of the automaton: `read` takes one character, the others none. `loop` goes to `again`, or to `then`. */
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
/** The state after the whole pattern: a match that arrives there cannot fail. */
const ACCEPT: PatternState = { is: 'end' };
/** The end of the counted part, such as the end of a text or of a lookahead. */
const END: PatternState = { is: 'end' };

/**
 * For `^(a+)+$`, "aaa" reaches one state on four paths. So this has each state that may read the next character, with the
 * number of paths that lead to it; NOWHERE has the paths that read no more.
 */
type Paths = ReadonlyMap<Read, number>;

/**
 * Where a path ends at any character: behind a repetition that has read nothing, or at an END. JavaScript tries these paths
 * too: eight of `(?:|()|)` in a loop have 6,561, which took 50 µs for each character.
 */
const NOWHERE: Read = { is: 'read', source: '', set: /^/u, then: { is: 'either', to: [] } };

/** Changes to assume in a pattern, to find out which one would cure it. */
interface Assumed {
  readonly isAnchored?: boolean;
  /** The largest number of repetitions. */
  readonly bound?: number;
  /** More repetitions than this count as any number of them, which allows at least as many paths. */
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
 * Counts the paths of `Paths`, which are the work of a match at each character, for all texts at once: of two texts after
 * which each state has the same number of paths, one is enough.
 *
 * @returns the parts of a pattern that can read the same character on too many paths, '' for paths that read none;
 *   undefined: no text has so many
 */
export function findBacktracking(root: PatternNode, assumed: Assumed = {}): readonly string[] | undefined {
  let found: readonly string[] = [];
  // Most patterns pass although 5 repetitions or more count as any number: exact numbers can take 100 times as long.
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
  const sources = new Set(largest.map(([{ source }]) => source));
  if (sources.size > 1) sources.delete(NOWHERE.source);
  throw new TooManyPaths([...sources]);
}

/** The states that can read the next character from here, with the number of paths to each. */
function readsFrom(from: PatternState, isStart = false): Paths {
  const found = new Map<Read, number>();
  let paths = 0;
  const visit = (state: PatternState, begun: readonly PatternState[]): void => {
    if (++paths > MAX_STATES) throw new TooManyPaths();
    // JavaScript undoes a repetition that has read nothing.
    const isOver = state === END || (state.is === 'loop' && begun.includes(state));
    const read = isOver ? NOWHERE : state;
    if (read.is === 'read') found.set(read, (found.get(read) ?? 0) + 1);
    else if (state.is === 'either') for (const each of state.to) visit(each, begun);
    else if (state.is === 'start' && isStart) visit(state.then, begun);
    else if (state.is === 'loop') {
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
        // A boundary can fail, so that it must not be ACCEPT itself, which cannot.
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
    // If nothing after it can fail, JavaScript never comes back to an optional character, which then adds no path.
    const most = then === ACCEPT && isCharacter(body) ? min : Math.min(max, Math.max(bound, min));
    const isLoop = most > repeated;
    let rest = then;
    if (isLoop) {
      const loop = { is: 'loop' as const, again: then, then };
      loop.again = stateOf(body, loop);
      rest = loop;
    } else for (let count = min; count < most; count++) rest = { is: 'either', to: [stateOf(body, rest), then] };
    // Each repetition that `min` demands adds paths if the body can be empty; otherwise one before the loop is enough.
    const least = isLoop && !canBeEmpty(body) ? Math.min(min, 1) : min;
    for (let count = 0; count < least; count++) rest = stateOf(body, rest);
    return rest;
  }

  /** A back reference counts as any text that its group can read. */
  function again(node: Extract<PatternNode, { type: 'reference' }>, then: PatternState): PatternState {
    const group = groups.find((each, index) =>
      node.name === undefined ? node.matchIndex === index + 1 : each.name?.value === node.name.value,
    );
    // A reference within its own group reads nothing.
    if (group === undefined || within.includes(group)) return then;
    return { is: 'either', to: [stateOf(group, then), then] };
  }
}
