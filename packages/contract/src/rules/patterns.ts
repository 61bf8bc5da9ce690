import { locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import { type PatternNode, nodesOf, parsePattern } from './pattern-nodes.ts';
import { findBacktracking } from './backtracking.ts';
import { messageOf } from '../explained-error.ts';

/** The bound that cureOf tries. */
const BOUND = 10;
const FORMAT = 'or give a format in its place: docs/contract.md of trellis-contract lists them';

/**
 * JavaScript goes back and tries each path through a pattern: where their number grows with the text, 64 KiB can take
 * minutes. @throws ContractError for such a `pattern` or name of `patternProperties`
 */
export function requireLinearPatterns(schema: Schema): void {
  if (schema.pattern !== undefined) requireLinear(schema.pattern, locationOf(schema, 'pattern'));
  for (const each of Object.keys(schema.patternProperties ?? {}))
    requireLinear(each, locationOf(schema.patternProperties, each));
}

function requireLinear(pattern: string, place: string): void {
  const what = faultOf(pattern);
  if (what !== undefined) throw new ContractError(`the pattern ${pattern} ${what}`, place);
}

const TOO_LARGE = `is too large to tell how its time grows with a text: write it shorter, ${FORMAT}`;

function faultOf(pattern: string): string | undefined {
  try {
    return faultIn(pattern);
  } catch (error) {
    // Groups within groups, or many options one after another, need more nested calls than the stack holds.
    if (!(error instanceof RangeError)) throw error;
    return TOO_LARGE;
  }
}

function faultIn(pattern: string): string | undefined {
  let root: PatternNode;
  try {
    root = parsePattern(pattern);
  } catch (error) {
    return `cannot be read, so that its time is unknown: ${messageOf(error)}: write it in other words`;
  }
  if (nodesOf(root).some(looksFarBehind))
    return 'may read a text again and again: let a lookbehind have no quantifier and no backreference';
  const parts = findBacktracking(root);
  if (parts === undefined) return undefined;
  if (parts.length === 0) return TOO_LARGE;
  if (parts.join() === '')
    return `may take long for each character, as it can match nothing there in many ways: leave out parts that may be empty, such as (?:|a)*, ${FORMAT}`;
  const shown = parts.slice(0, 3).join(' and ');
  return `may take time that grows with the square of a text or faster, as ${shown} can read the same characters in many ways: ${cureOf(root)}`;
}

/** The first cure with which the pattern would pass. */
function cureOf(root: PatternNode): string {
  if (findBacktracking(root, { isAnchored: true }) === undefined) return `begin it with ^, ${FORMAT}`;
  if (findBacktracking(root, { bound: BOUND }) === undefined)
    return `give each * and + a bound such as {1,${BOUND}}, ${FORMAT}`;
  return `let neighbours such as \\d+ and \\w* have no character in common, as in ^\\d+(?:\\.\\d+)*$, ${FORMAT}`;
}

function looksFarBehind(node: PatternNode): boolean {
  if (node.type !== 'group' || !/lookbehind/i.test(node.behavior)) return false;
  return nodesOf(node).some(({ type }) => type === 'quantifier' || type === 'reference');
}

/** @returns the work of a linear pattern for each character of a text, in the unit of budget.ts */
export function timePerCharacter(pattern: string): number {
  let rest = pattern.replace(/\\.|\[(?:\\.|[^\\\]])*\]/gsu, '');
  const lookaheads = rest.split(/\(\?[=!]/).length - 1;
  while (/\([^()]*\)/.test(rest)) rest = rest.replace(/\([^()]*\)/g, '');
  // A pattern without ^ may begin at each character, and try as many paths there as backtracking.ts allows.
  if (!rest.startsWith('^') || rest.includes('|')) return 2;
  return ((1 + lookaheads) * (pattern.includes('|') ? 3 : 1)) / 4;
}
