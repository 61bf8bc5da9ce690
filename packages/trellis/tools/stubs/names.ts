import { Script } from 'node:vm';

/** The names of the other files of the service, and of what `index.ts` imports; compared without their case. */
const TAKEN = [
  'index',
  'steps',
  'tables',
  'types',
  'service',
  'operations',
  'errorbody',
  'errornumber',
  'stub',
  'reply',
];

/** File systems take names of 255 bytes, some only paths of 260. */
const LONGEST = 80;

/** Names for the functions and the files of operations, whose ids may be any texts. */
export function namesOf(ids: readonly string[]): string[] {
  const taken = new Set(TAKEN);
  return ids.map((id) => nameOf(id, taken));
}

function nameOf(id: string, taken: Set<string>): string {
  const [first = '', ...others] = id.split(/[^A-Za-z0-9_$]+/).filter((word) => word !== '');
  const joined = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const whole = isName(joined) ? joined : `operation${joined.charAt(0).toUpperCase()}${joined.slice(1)}`;
  const base = whole.slice(0, LONGEST);
  const names = [base, ...Array.from({ length: taken.size }, (_, index) => `${base}${index + 2}`)];
  const name = names.find((each) => !taken.has(each.toLowerCase())) ?? base;
  // Some systems do not distinguish the case of file names.
  taken.add(name.toLowerCase());
  return name;
}

const GLOBAL = ['undefined', 'NaN', 'Infinity', 'URL'];

function isName(text: string): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(text) || GLOBAL.includes(text)) return false;
  try {
    // Compiles the name as code of a module, and runs nothing.
    new Script(`'use strict'; async () => { const ${text} = 1; }`);
    return true;
  } catch {
    return false;
  }
}
