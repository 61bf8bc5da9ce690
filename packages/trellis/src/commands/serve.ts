import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import type { Socket } from 'node:net';
import { untestedValidator } from 'trellis-contract';
import { UnknownState } from '../exit-codes.ts';
import { keepContext, untestedNode } from '../http/node-http.ts';
import { createLog, type Log } from '../observability/log.ts';
import { currentPlace } from '../place.ts';
import { stubsIn } from '../stub.ts';
import { ThreadEnded } from '../storage/store-errors.ts';
import { makeFirstToken } from '../instance/first-token.ts';
import { openInstance } from '../instance/instance.ts';
import type { Job } from '../terminal/io.ts';
import { watchSignals } from '../instance/signals.ts';

/**
 * After this time a stopping process ends even if work is left: some time after GRACE_MS of instance.ts. This and
 * LOCK_TIMEOUT_MS of sqlite/connection.ts together must stay below 10 s.
 */
const END_MS = 5500;

export async function serve(job: Job, warnings: readonly string[]): Promise<void> {
  const log = createLog(job.config.LOG_LEVEL, job.io.stdout);
  for (const each of [...warnings, untestedNode(), untestedValidator()]) if (each !== undefined) log.logger.warn(each);
  const stubs = stubsIn(job.service);
  if (stubs.length > 0)
    log.logger.warn({ stubs }, 'these operations are stubs, which answer with an example: write them');
  let serving = false;
  let done = false;
  const unknown = new AbortController();
  const end = (message: string, error?: unknown) => {
    log.logger.fatal({ err: error }, message);
    void log.flush().then(() => {
      // `exit` would wait for each thread, and a thread cannot end within a query of SQLite.
      if (serving) job.io.kill(job.io.pid, 'SIGKILL');
      // The first process of a container cannot kill itself.
      job.io.exit(serving ? 137 : 1);
    });
  };
  const giveUp = () => {
    // A timer of the service's own code may keep the process alive.
    if (done) job.io.exit(unknown.signal.aborted ? new UnknownState().exitCode : 0);
    else end('stopped before all was done');
  };
  for (const event of ['uncaughtException', 'unhandledRejection'])
    job.io.on(event, (error: unknown) => {
      const place = currentPlace();
      if (!serving || error instanceof ThreadEnded) end('ended by an unforeseen failure', error);
      else if (place === undefined) {
        log.logger.fatal({ err: error }, 'something failed in an unknown place');
        unknown.abort();
      } else {
        // A failure in work for one client, or of one client's bytes, must not end the process for all.
        const { connection, ...named } = place;
        log.logger.error({ ...named, err: error }, 'something failed that no request awaits');
        connection?.deref()?.destroy();
      }
    });
  // Node calls the listeners of a socket without the place in which its server was made, such as the resources.
  const keep = (message: unknown) => keepContext((message as { readonly socket: Socket }).socket);
  subscribe('net.server.socket', keep);
  const stopRequest = watchSignals(job.io, giveUp).signal;
  const signal = AbortSignal.any([stopRequest, unknown.signal]);
  signal.addEventListener('abort', () => {
    log.logger.info(stopRequest.aborted ? { signal: stopRequest.reason as NodeJS.Signals } : {}, 'stopping');
    // Ends the process even if it hangs, at a locked store for example. No acknowledged write is lost.
    setTimeout(giveUp, END_MS).unref();
  });
  try {
    await run(job, log, signal, () => {
      serving = true;
    });
    log.logger.info('stopped');
    done = true;
    if (unknown.signal.aborted) throw new UnknownState();
  } finally {
    unsubscribe('net.server.socket', keep);
    await log.flush();
  }
}

async function run(job: Job, log: Log, stopSignal: AbortSignal, onListening: () => void): Promise<void> {
  const stopRequested = once(stopSignal, 'abort');
  await using stack = new AsyncDisposableStack();
  const instance = await openInstance(job, log, stopSignal, stack);
  if (instance === undefined) return;
  onListening();
  // A parent process cannot wait for the log, which LOG_LEVEL may silence.
  job.io.send?.('listening');
  const startup = instance.ready.then(async () => {
    const token = instance.hasIssuer
      ? undefined
      : await makeFirstToken(job, instance, stopSignal).catch((error: unknown) => {
          // Where stderr is closed, the line that every command prints of its failure is not seen.
          if (!stopSignal.aborted) log.logger.fatal({ err: error }, 'no first token could be created');
          throw error;
        });
    if (token !== undefined) log.logger.info({ token }, 'created the first token of the store');
    log.logger.info({ operations: instance.url + instance.contract.basePath }, 'ready');
    // Speeds up the next start even if this process is killed.
    flushCompileCache();
  });
  await Promise.race([stopRequested, startup.then(() => stopRequested)]);
}
