/** npm and terminals deliver one signal twice: only a later one is meant as a second one, in milliseconds. */
const IMPATIENCE_MS = 1000;

/**
 * Aborts at SIGINT, SIGTERM and SIGHUP, with the signal's name for its reason, until it is disposed of.
 *
 * @param onImpatience called at a second one that is meant as such
 */
export function stopped(
  onImpatience: () => void = () => process.exit(1),
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let first: number | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    first ??= performance.now();
    controller.abort(name);
    if (performance.now() - first > IMPATIENCE_MS) onImpatience();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
