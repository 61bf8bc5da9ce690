import { hash } from 'node:crypto';

/** The seed of all random choices, which the names of the tests show: TESTS_SEED repeats the choices of another run. */
export const SEED = Number(process.env['TESTS_SEED'] ?? 20_260_100);

/** A generator of pseudorandom numbers from 0 to below 1. */
export function random(seed: number): () => number {
  let count = 0;
  return () => Number.parseInt(hash('sha256', `${seed} ${count++}`).slice(0, 8), 16) / 2 ** 32;
}
