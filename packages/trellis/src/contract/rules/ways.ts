import { canBeEmpty, type Group, isCharacter, lettersOf, type PatternNode, nodesOf, setOf } from './pattern-nodes.ts';

/** The largest number of ways in which a text may be matched. */
const MAX_WAYS = 20;
/** The same for its first FEW characters, which cost little however they are tried: one of many words, an IPv4 address. */
const MAX_WAYS_OF_FEW = 100;
const FEW = 16;
/** A pattern that has more places than this, or combinations of places, is refused. */
const MAX_PLACES = 10_000;
const MAX_COMBINATIONS = 5000;
const MAX_REPEATED = 1000;

/** A place in a pattern: `read` takes one character, the others none. `loop` may go to `again` first. */
type PatternPlace =
  | Read
  | { readonly is: 'either'; readonly to: readonly PatternPlace[] }
  | { readonly is: 'loop'; again: PatternPlace; readonly then: PatternPlace }
  | { readonly is: 'start'; readonly then: PatternPlace }
  | { readonly is: 'end' };
interface Read {
  readonly is: 'read';
  readonly source: string;
  readonly set: RegExp;
  readonly then: PatternPlace;
}
/** The place behind the pattern: nothing can fail there. */
const ACCEPT: PatternPlace = { is: 'end' };
/** The end of what is counted, such as the end of a text or of a lookahead. */
const END: PatternPlace = { is: 'end' };

/** In how many ways each place can be the next to read. */
type Ways = ReadonlyMap<Read, number>;

/** What to assume of a pattern, to find the cure for it. */
interface Assumed {
  readonly isAnchored?: boolean;
  /** The largest number of repetitions. */
  readonly bound?: number;
  /** More repetitions count as any number of them, which allows no fewer ways. */
  readonly repeated?: number;
}

/** Thrown at the first text that has too many ways. */
class Crowd extends Error {
  readonly sources: readonly string[];
  constructor(sources: readonly string[] = []) {
    super('too many ways');
    this.sources = sources;
  }
}

/**
 * JavaScript tries one way after the other to match a text, so that its work is the number of ways at each character. They
 * are counted here for all texts at once: those that lead to the same places in the same numbers are one.
 *
 * @returns the parts of a pattern that can read the same character in too many ways; undefined: no text has so many
 */
export function tooManyWays(root: PatternNode, assumed: Assumed = {}): readonly string[] | undefined {
  let found: readonly string[] = [];
  // Most patterns need no exact numbers, which can take a hundred times as long to follow.
  for (const repeated of [4, MAX_REPEATED]) {
    try {
      countWays(root, { repeated, ...assumed });
      return undefined;
    } catch (error) {
      if (!(error instanceof Crowd)) throw error;
      if (error.sources.length > 0) found = error.sources;
    }
  }
  return found;
}

/** @throws Crowd */
function countWays(root: PatternNode, assumed: Assumed): void {
  const letters = lettersOf(root);
  const start = new Builder(root, assumed).place(root, ACCEPT);
  // A search begins anew at each character.
  const search: Read = { is: 'read', source: '', set: /^/u, then: assumed.isAnchored ? END : start };
  const known = new Map<Read, Ways>();
  const after = (read: Ways): Ways => {
    const next = new Map([[search, 1]]);
    for (const [each, count] of read)
      for (const [then, more] of known.getOrInsertComputed(each, () => readsFrom(each.then)))
        next.set(then, (next.get(then) ?? 0) + count * more);
    return next;
  };
  const numbers = new Map<Read, number>();
  const keyOf = (ways: Ways) =>
    Array.from(ways, ([read, n]) => `${numbers.getOrInsertComputed(read, () => numbers.size)}:${n}`)
      .sort()
      .join();

  const seen = new Set<string>();
  let level: readonly Ways[] = [new Map([...readsFrom(start, true), [search, 1]])];
  for (let length = 1; level.length > 0; length++) {
    const next = new Map<string, Ways>();
    for (const waiting of level) {
      for (const letter of letters) {
        const read = new Map([...waiting].filter(([{ set }]) => set.test(letter)));
        requireFew(read, search, length > FEW ? MAX_WAYS : MAX_WAYS_OF_FEW);
        const key = keyOf(read);
        if (seen.has(key) || next.has(key)) continue;
        // Within the first FEW characters a longer text that leads to the same places is judged again, by MAX_WAYS.
        if (length > FEW) seen.add(key);
        next.set(key, after(read));
        if (seen.size + next.size > MAX_COMBINATIONS) throw new Crowd();
      }
    }
    level = [...next.values()];
  }
}

function requireFew(read: Ways, search: Read, most: number): void {
  const counted = [...read].filter(([each]) => each !== search);
  if (counted.reduce((sum, [, count]) => sum + count, 0) <= most) return;
  const largest = counted.sort(([, one], [, other]) => other - one);
  throw new Crowd([...new Set(largest.map(([{ source }]) => source))]);
}

/** What can read the next character from here, and in how many ways. */
function readsFrom(from: PatternPlace, isStart = false): Ways {
  const found = new Map<Read, number>();
  let ways = 0;
  const visit = (place: PatternPlace, begun: readonly PatternPlace[]): void => {
    if (++ways > MAX_PLACES) throw new Crowd();
    if (place.is === 'read') found.set(place, (found.get(place) ?? 0) + 1);
    else if (place.is === 'either') for (const each of place.to) visit(each, begun);
    else if (place.is === 'start' && isStart) visit(place.then, begun);
    // JavaScript takes back a repetition that has read nothing.
    else if (place.is === 'loop' && !begun.includes(place)) {
      visit(place.again, [...begun, place]);
      visit(place.then, begun);
    }
  };
  visit(from, []);
  return found;
}

class Builder {
  private places = 0;
  private readonly bound: number;
  private readonly repeated: number;
  private readonly groups: readonly Group[];
  /** The groups around the node. */
  private readonly within: PatternNode[] = [];

  constructor(root: PatternNode, { bound = Infinity, repeated = MAX_REPEATED }: Assumed) {
    [this.bound, this.repeated] = [bound, repeated];
    this.groups = nodesOf(root).filter((each): each is Group => each.type === 'group' && each.behavior === 'normal');
  }

  place(node: PatternNode, then: PatternPlace): PatternPlace {
    if (++this.places > MAX_PLACES) throw new Crowd();
    switch (node.type) {
      case 'alternative':
        return this.sequence(node.body, then);
      case 'disjunction':
        return { is: 'either', to: node.body.map((each) => this.place(each, then)) };
      case 'anchor':
        if (node.kind === 'end') return END;
        // Not `then` itself, which may be ACCEPT: a boundary can fail.
        return node.kind === 'start' ? { is: 'start', then } : { is: 'either', to: [then] };
      case 'quantifier':
        return this.quantified(node, then);
      case 'reference':
        return this.again(node, then);
      case 'group': {
        // A lookbehind counts as if it read forwards: patterns.ts refuses one that reads more than a few characters.
        if (/look/i.test(node.behavior)) return { is: 'either', to: [this.sequence(node.body, END), then] };
        this.within.push(node);
        const place = this.sequence(node.body, then);
        this.within.pop();
        return place;
      }
      default:
        return { is: 'read', source: node.raw, set: setOf(node), then };
    }
  }

  private sequence(nodes: readonly PatternNode[], then: PatternPlace): PatternPlace {
    return nodes.reduceRight((rest, each) => this.place(each, rest), then);
  }

  private quantified(
    { body: [body], min, max = Infinity }: Extract<PatternNode, { type: 'quantifier' }>,
    then: PatternPlace,
  ): PatternPlace {
    // A character that need not be read is read once if nothing behind it can fail: JavaScript takes no such step back.
    const most = then === ACCEPT && isCharacter(body) ? min : Math.min(max, Math.max(this.bound, min));
    const isLoop = most > this.repeated;
    let rest = then;
    if (isLoop) {
      const loop = { is: 'loop' as const, again: then, then };
      loop.again = this.place(body, loop);
      rest = loop;
    } else for (let count = min; count < most; count++) rest = { is: 'either', to: [this.place(body, rest), then] };
    // A repetition that `min` demands may read nothing, in each of its ways.
    const least = isLoop && !canBeEmpty(body) ? Math.min(min, 1) : min;
    for (let count = 0; count < least; count++) rest = this.place(body, rest);
    return rest;
  }

  /** A text that a group has read is one of those that the group can read. */
  private again(node: Extract<PatternNode, { type: 'reference' }>, then: PatternPlace): PatternPlace {
    const group = this.groups.find((each, index) =>
      node.name === undefined ? node.matchIndex === index + 1 : each.name?.value === node.name.value,
    );
    // Within itself a group has read nothing yet.
    if (group === undefined || this.within.includes(group)) return then;
    return { is: 'either', to: [this.place(group, then), then] };
  }
}
