/** The seed of all random choices: the one in the variable TESTS_SEED, which repeats an earlier run; `other` if it is unset. */
export function seedOr(other: number): number {
  const seed = Number(process.env['TESTS_SEED'] ?? other);
  if (!Number.isSafeInteger(seed)) throw new Error('TESTS_SEED must be an integer');
  return seed;
}
