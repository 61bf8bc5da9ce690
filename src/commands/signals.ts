import { constants } from 'node:os';

/** npm and terminals deliver each signal twice, so a second signal counts only after this time. */
const SECOND_AFTER_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The exit code of shells for a process that a signal has ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Returns an AbortSignal that aborts at SIGNALS, with the signal's name as its reason, until it is disposed of. */
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
