import { expect } from '@jest/globals';

/** What matters of an answer that is a refusal. */
export function refusal(error: number) {
  return expect.objectContaining({
    status: Math.floor(error / 100),
    body: { error: BigInt(error), message: expect.any(String) },
  });
}
