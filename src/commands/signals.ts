import { constants } from 'node:os';

/** How many milliseconds later a signal is taken for a second one: npm and terminals deliver one signal twice. */
const SECOND_AFTER_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The exit code by which shells, and those who read it, know that a signal has ended a process. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Aborts at the signals that tell a process to stop, with the signal's name for its reason, until it is disposed of.
 *
 * @param onSecond called when a second signal comes
 */
export function watchSignals(
  onSecond: (signal: NodeJS.Signals) => void = (signal) => process.exit(exitCodeOf(signal)),
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    firstAt ??= performance.now();
    controller.abort(name);
    if (performance.now() - firstAt > SECOND_AFTER_MS) onSecond(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
