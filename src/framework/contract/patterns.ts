import { createRequire } from 'node:module';
import type * as Detector from 'redos-detector';
import type * as Parser from 'regjsparser';
import { locationOf, type Schema } from './document.ts';
import { ContractError } from './errors.ts';

const require = createRequire(import.meta.url);

/** The largest number of ways in which a pattern may match the same text. */
const MAX_WAYS = 20;
/** After so many steps the detector gives up, within two seconds. */
const MAX_STEPS = 5000;

/**
 * JavaScript tries each way in which a pattern can match a text: where their number grows with the text, 64 KiB can take
 * minutes. @throws ContractError for such a `pattern` or name of `patternProperties`
 */
export function requireLinearPatterns(schemas: ReadonlySet<Schema>): void {
  // Not imported above, since loading it delays every start.
  const { isSafePattern } = require('redos-detector') as typeof Detector;
  const { parse } = require('regjsparser') as typeof Parser;
  const features = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true } as const;

  const requireLinear = (pattern: string, node: object): void => {
    const refuse = (cure: string) => {
      throw new ContractError(
        `${locationOf(node)}: the pattern ${pattern} may take time that grows with the square of a text or faster: ${cure}`,
      );
    };
    if (hasLateLookaround(parse(pattern, 'u', features)))
      refuse('write a lookahead directly after ^, and no lookbehind');
    const { safe } = isSafePattern(pattern, { unicode: true, maxScore: MAX_WAYS, maxSteps: MAX_STEPS });
    if (!safe)
      refuse(
        'begin it with ^, and let neighbours such as \\d+ and \\w* have no character in common; \\d+(?:\\.\\d+)* is an example',
      );
  };

  for (const schema of schemas) {
    if (schema.pattern !== undefined) requireLinear(schema.pattern, schema);
    for (const each of Object.keys(schema.patternProperties ?? {})) requireLinear(each, schema);
  }
}

/** @returns the work of a linear pattern for each character of a text, in the unit of work.ts */
export function timePerCharacter(pattern: string): number {
  let rest = pattern.replace(/\\.|\[(?:\\.|[^\\\]])*\]/gsu, '');
  const lookaheads = rest.split(/\(\?[=!]/).length - 1;
  for (let before = ''; before !== rest;) [before, rest] = [rest, rest.replace(/\([^()]*\)/g, '')];
  // Otherwise it may begin at each character, and try up to MAX_WAYS further ones there.
  return rest.startsWith('^') && !rest.includes('|') ? (1 + lookaheads) / 4 : 2;
}

type Node = Parser.AstNode<{ lookbehind: true; namedGroups: true; unicodePropertyEscape: true }>;

/** Whether the pattern looks around at more than one place of a text, which the detector does not count. */
function hasLateLookaround(root: Node): boolean {
  const [start, ...behind] = root.type === 'alternative' ? root.body : [root];
  if (start.type !== 'anchor' || start.kind !== 'start') return looksAround(root);
  const isLookahead = (node: Node) => node.type === 'group' && /lookahead/i.test(node.behavior);
  const first = behind.findIndex((node) => !isLookahead(node));
  const ahead = behind.splice(0, first === -1 ? behind.length : first);
  return behind.some(looksAround) || ahead.some((node) => 'body' in node && node.body.some(looksAround));
}

function looksAround(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return ('behavior' in node && /look/i.test(String(node.behavior))) || Object.values(node).some(looksAround);
}
