import { safely } from './tree.ts';

function compiles(pattern: string, flags = ''): boolean {
  return safely(() => new RegExp(pattern, flags)) !== undefined;
}

/**
 * Without the flag `u`, an escaped mark is the mark, and a brace that bounds nothing a brace (ECMA-262, annex B.1.2).
 *
 * @returns the pattern without these escapes if only they keep it from compiling with the flag; otherwise the same
 * pattern
 */
export function withoutEscapes(pattern: string): string {
  if (compiles(pattern, 'u') || !compiles(pattern)) return pattern;
  let isClass = false;
  const plain = pattern.replace(/\\.|[\s\S]/gu, (each) => {
    if (each.length > 1 && each.startsWith('\\')) {
      const mark = each.slice(1);
      const isNeeded = /[\w^$\\.*+?()[\]{}|/]/.test(mark) && mark !== '_';
      return isNeeded || (isClass && mark === '-') ? each : mark;
    }
    if (each === '[') isClass = true;
    else if (each === ']' && isClass) isClass = false;
    return each;
  });
  return compiles(plain, 'u') ? plain : pattern;
}
