/** Calls back when the tests of a file are over or, outside of tests, when the process ends. */
export function atEnd(callback: () => void): void {
  const { afterAll } = globalThis as { readonly afterAll?: (callback: () => void) => void };
  if (afterAll === undefined) process.once('exit', callback);
  else afterAll(callback);
}
