import { jest } from '@jest/globals';

const now = performance.now.bind(performance);

/**
 * Runs a part of a test again if it fails, four times: one that holds the service to a time limit. A busy machine delays
 * some of the runs, and a fault of the service fails each. Each run needs a state of its own.
 *
 * @throws the error of the last run
 */
export async function inTime<T>(run: () => Promise<T>): Promise<T> {
  for (let left = 4; left > 0; left--) {
    try {
      return await run();
    } catch {
      continue;
    }
  }
  return await run();
}

/** How long work takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Slows the clock of `performance` down for the code in this process, so that what it waits for may take long on a busy
 * machine. Until it is disposed of, or the test file's mocks are restored.
 */
export function slowClock(): Disposable {
  const begun = now();
  return jest.spyOn(performance, 'now').mockImplementation(() => begun + (now() - begun) / 50);
}
