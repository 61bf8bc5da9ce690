import { setTimeout as sleep } from 'node:timers/promises';
import type * as framework from 'trellis';
import type { settings } from './settings.ts';
import type { tables } from './tables.ts';

type Setup = framework.Setup<typeof tables, typeof settings>;

const PAUSE_MS = 1000;
const PATIENCE_MS = 10_000;
const PORTION = 100;

/** Starts the loop that sends notices. It ends when the bank is to stop, and the next start goes on from there. */
export function resources(setup: Setup) {
  let bell = Promise.withResolvers<undefined>();
  const next = () => {
    bell = Promise.withResolvers<undefined>();
    return bell.promise;
  };
  const sent = setup.settings.NOTICE_URL === undefined ? Promise.resolve() : sendAll(setup, next);
  return {
    /** To be called when there is a new notice. */
    notify: () => {
      bell.resolve(undefined);
    },
    [Symbol.asyncDispose]: () => sent,
  };
}

/** @param next returns a promise that resolves once there is a new notice */
async function sendAll(setup: Setup, next: () => Promise<undefined>): Promise<void> {
  const { signal, log } = setup;
  const isStopping = () => signal.aborted;
  while (!isStopping()) {
    // Asked for before the table is read, so that no notice is missed in between.
    const rung = next();
    try {
      if ((await sendPortion(setup)) === PORTION) continue;
    } catch (error) {
      if (!isStopping()) log.warn({ err: error }, 'a notice was not delivered, and is sent again');
    }
    const pause = sleep(PAUSE_MS, undefined, { signal });
    await Promise.race([rung, pause]).catch(() => undefined);
  }
}

/** Sends the oldest notices, and deletes each that was accepted. After a kill in between, it is sent again. */
async function sendPortion({ database, settings, signal }: Setup): Promise<number> {
  const { NOTICE_URL: url, NOTICE_TOKEN: token } = settings;
  if (url === undefined) return 0;
  const due = await database.selectFrom('notices').select('transfer').orderBy('at').limit(PORTION).execute();
  for (const { transfer } of due) {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ transfer }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    await reply.body?.cancel();
    if (!reply.ok) throw new Error(`${url.href} answers ${reply.status}`);
    await database.deleteFrom('notices').where('transfer', '=', transfer).execute();
  }
  return due.length;
}
