import { isatty } from 'node:tty';
import { exitCodeOf } from '../exit-codes.ts';
import type { Io } from '../terminal/io.ts';

/** npm and terminals deliver each signal twice, so a second signal counts only after this time. */
const SECOND_AFTER_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Returns an AbortSignal that aborts at SIGNALS, with the signal's name as its reason, until it is disposed of. SIGHUP
 * means that the terminal is gone. It has no effect where stdin is no terminal: under systemd, and under nohup, whose
 * request to ignore SIGHUP is undone by Node.
 */
export function watchSignals(
  io: Pick<Io, 'on' | 'off' | 'exit'>,
  onSecond: (signal: NodeJS.Signals) => unknown = (signal) => io.exit(exitCodeOf(signal)),
): { readonly signal: AbortSignal } & Disposable {
  // Asked now, and not in the handler: a terminal that has hung up no longer counts as one.
  const hasTerminal = isatty(0);
  const controller = new AbortController();
  let firstAt: number | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    if (name === 'SIGHUP' && !hasTerminal) return;
    firstAt ??= performance.now();
    controller.abort(name);
    if (performance.now() - firstAt > SECOND_AFTER_MS) onSecond(name);
  };
  for (const name of SIGNALS) io.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) io.off(name, onSignal);
    },
  };
}
