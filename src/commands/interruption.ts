/** npm and terminals deliver one signal twice: only a later one is meant as a second one, in milliseconds. */
const IMPATIENCE_MS = 1000;

/** Tells of SIGINT and SIGTERM, until it is disposed of. A second one, meant as such, ends the process at once. */
export function stopped(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let first: number | undefined;
  const onSignal = () => {
    first ??= performance.now();
    controller.abort();
    if (performance.now() - first > IMPATIENCE_MS) process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
