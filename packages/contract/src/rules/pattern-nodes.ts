import { createRequire } from 'node:module';
import type * as Parser from 'regjsparser';

const require = createRequire(import.meta.url);
const FEATURES = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true } as const;

export type PatternNode = Parser.AstNode<typeof FEATURES>;
export type Group = Extract<PatternNode, { type: 'group'; behavior: 'normal' }>;

export function parsePattern(pattern: string): PatternNode {
  // Loaded only here, as loading it delays every start.
  return (require('regjsparser') as typeof Parser).parse(pattern, 'u', FEATURES);
}

export function canBeEmpty(node: PatternNode): boolean {
  switch (node.type) {
    case 'alternative':
      return node.body.every(canBeEmpty);
    case 'disjunction':
      return node.body.some(canBeEmpty);
    case 'group':
      return /look/i.test(node.behavior) || node.body.every(canBeEmpty);
    case 'quantifier':
      return node.min === 0 || canBeEmpty(node.body[0]);
    default:
      return node.type === 'anchor' || node.type === 'reference';
  }
}

/** Whether the node reads exactly one character. */
export function isCharacter({ type }: PatternNode): boolean {
  return /^(?:value|dot|characterClass|.*Escape)$/.test(type);
}

/** The node and all within it, in the order of the pattern. */
export function nodesOf(node: PatternNode): PatternNode[] {
  return [node, ...('body' in node ? node.body.flatMap(nodesOf) : [])];
}

export function setOf(node: PatternNode): RegExp {
  // The parser leaves the backslash of `\\+` out.
  const source = node.type === 'value' ? `\\u{${node.codePoint.toString(16)}}` : node.raw;
  return new RegExp(`^${source}$`, 'u');
}

const LAST = 0x10ffff;

/** A pattern is read once for each cure that may be proposed, and a property takes a tenth of a second. */
const searched = new Map<string, readonly number[]>();

/** One character of each group of characters that the same nodes can read. */
export function lettersOf(root: PatternNode): string[] {
  const nodes = nodesOf(root);
  const sets = nodes.filter(isCharacter);
  const tests = Array.from(new Map(sets.map((each) => [each.raw, each])).values(), setOf);
  const letters = new Map<string, string>();
  for (const codePoint of new Set([0, ...nodes.flatMap(boundsOf)])) {
    const letter = String.fromCodePoint(Math.min(codePoint, LAST));
    letters.set(tests.map((test) => Number(test.test(letter))).join(''), letter);
  }
  return [...letters.values()];
}

/** The code points at which a set of characters begins, or has ended. */
function boundsOf(node: PatternNode): readonly number[] {
  switch (node.type) {
    case 'value':
      return [node.codePoint, node.codePoint + 1];
    case 'characterClassRange':
      return [node.min.codePoint, node.max.codePoint + 1];
    case 'dot':
    case 'characterClassEscape':
      return searched.getOrInsertComputed(node.raw, (raw) => searchedBounds(raw, 0xffff));
    case 'unicodePropertyEscape':
      // Above U+FFFF, only properties have bounds.
      return searched.getOrInsertComputed(node.raw, (raw) => searchedBounds(raw, LAST));
    default:
      return [];
  }
}

function searchedBounds(raw: string, last: number): number[] {
  const set = new RegExp(raw, 'u');
  const bounds: number[] = [];
  for (let codePoint = 0, was = false; codePoint <= last; codePoint++) {
    const is = set.test(String.fromCodePoint(codePoint));
    if (is !== was) bounds.push(codePoint);
    was = is;
  }
  return bounds;
}
