/** The seed of all random choices, which the names of the tests show: TESTS_SEED repeats the choices of another run. */
export const SEED = Number(process.env['TESTS_SEED'] ?? 20_260_100);

/** A generator of pseudorandom numbers from 0 to below 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
