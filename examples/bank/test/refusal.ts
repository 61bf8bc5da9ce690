import { expect } from '@jest/globals';

/** The parts of a refusal that tests compare. */
export function refusal(error: number) {
  return expect.objectContaining({
    status: Math.floor(error / 100),
    body: { error: BigInt(error), message: expect.any(String) },
  });
}
