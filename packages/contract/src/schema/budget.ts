// What a verdict spends and remembers stands in variables of modules: `budget` and `counted` here, `texts` of exact.ts. That is
// safe because each step of a verdict, from `begin` to `end`, is synchronous, so that no other verdict of its thread comes
// between. So no function that is called between them may be async.

/**
 * The unit of work is one schema that is applied to one value: up to 60 ns (`npm run test:attacks` has the figures). A
 * message of 64 KiB may cost 40 ms, one of 1 MiB 330 ms.
 */
const BASE_WORK = 300_000;
const WORK_PER_BYTE = 5;

/**
 * A verdict is the check of one message, one at a time. `left`: the work that it may still take, infinite between
 * verdicts, as values of the contract are compared too; `at`: the schema that spent last; `rest`: what was left at the end.
 */
export const budget: { left: number; rest: number; at: object | undefined } = {
  left: Infinity,
  rest: 0,
  at: undefined,
};

/** The verdict on a message takes more work than the length of the message allows. `explained` of overspent.ts words it. */
export class Overspent extends Error {
  override readonly name = 'Overspent';
  /** The schema that spent last. */
  readonly at = budget.at;

  constructor() {
    super('a verdict takes more work than the length of its message allows');
  }
}

/** The work that the verdict on a message of this length may take. */
export function workFor(bytes: number): number {
  return BASE_WORK + WORK_PER_BYTE * bytes;
}

/** More of the message is there, as its length is not known before. */
export function lengthen(bytes: number): void {
  budget.left += WORK_PER_BYTE * bytes;
}

/** Begins a step of the verdict on a message: to read it, to make it, or to judge it. @param work what is left for it */
export function begin(work: number): void {
  budget.left = work;
  budget.at = undefined;
}

/** Ends the step: `budget.rest` has what the next one may take. */
export function end(): void {
  budget.rest = budget.left;
  budget.left = Infinity;
  // What a client sent must not stay in memory.
  counted = {};
}

/** A count above this is kept: to count takes longer than to check the members, and many schemas may apply to them. */
const MANY = 100;
let counted: { readonly value?: object; readonly members?: number } = {};

/** The number of members of an object; 0 for any other value. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 0;
  if (counted.value === value) return counted.members ?? 0;
  // For a small object, V8 knows them: Object.keys() would make a list.
  let members = 0;
  for (const _ in value) members++;
  if (members > MANY) counted = { value, members };
  return members;
}

/** The number of members of an object, or of items of an array. */
export function countParts(value: unknown): number {
  return Array.isArray(value) ? value.length : countMembers(value);
}

/** @throws Overspent */
export function spend(work: number): void {
  budget.left -= work;
  if (budget.left < 0) requireMore();
}

/** @throws Overspent */
export function requireMore(): void {
  if (budget.left < 0) throw new Overspent();
}

/** What the verdict on a value of the contract may take. */
export function workOf(value: unknown): number {
  return workFor(lengthOf(value));
}

/** About the length of a value as JSON, and never more. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 2;
  if (Array.isArray(value)) for (const each of value) length += 1 + lengthOf(each);
  else for (const [name, each] of Object.entries(value)) length += name.length + 4 + lengthOf(each);
  return length;
}
