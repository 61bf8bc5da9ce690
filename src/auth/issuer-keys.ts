import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, type JWTHeaderParameters, type RemoteJWKSet } from 'jose';
import type { Logger } from 'pino';
import { invalidToken, uncheckable } from './caller.ts';
import { fetchKeys, type IssuerSettings } from './issuer.ts';

/** When an issuer is asked for its keys, in milliseconds. */
export const PACE = {
  /** For at least how long it is not asked again, whatever tokens come. */
  cooldown: 1000,
  /** For how long its answer is waited for. */
  timeout: 5000,
  /** After how long it is asked again in the background. */
  refresh: 10 * 60_000,
  /** For how long the keys count if it does not answer. */
  maxAge: 60 * 60_000,
};

/** How many requests may wait for the issuer: those with tokens of made-up keys must not take the place of others. */
const MAX_WAITING = 256;

/** The keys of an issuer: fetched in the background, and when a token names one that is not among them. */
export class IssuerKeys {
  /** Finds the key of a token among those that are known. */
  readonly find: RemoteJWKSet;
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout;
  /** Aborts when the issuer publishes other keys. */
  private withdrawal = new AbortController();
  /** The keys as text, to see whether the issuer has changed them. */
  private published = '';
  private kids: ReadonlySet<unknown> = new Set();
  private renewal: Promise<void> | undefined;
  private askedAt = -Infinity;
  private isAway = false;
  private waiting = 0;

  /** Begins to fetch the keys, and waits for nothing. */
  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.logger = logger;
    this.find = createRemoteJWKSet(new URL(settings.jwksUrl ?? settings.issuer), {
      cacheMaxAge: pace.maxAge,
      timeoutDuration: pace.timeout,
      // jose refuses tokens of a new key during its cooldown, and starts none after a failure: the pause below is ours.
      cooldownDuration: Infinity,
      [customFetch]: async (_url, options) => {
        const signal = AbortSignal.any([options.signal, this.closing.signal]);
        await sleep(Math.max(0, this.askedAt + pace.cooldown - performance.now()), undefined, { signal });
        this.askedAt = performance.now();
        return fetchKeys(settings, { ...options, signal });
      },
    });
    const refresh = () => {
      // A request that needs the keys gets the failure.
      this.renew().catch(() => undefined);
    };
    this.timer = setInterval(refresh, pace.refresh).unref();
    refresh();
  }

  /**
   * Asks the issuer unless the key that a token names is known. What the keys then verify counts until the result aborts.
   *
   * @throws Refusal `tokenInvalid`; `tokenUncheckable` if the issuer must be asked and does not answer
   */
  async prepare({ kid }: JWTHeaderParameters): Promise<AbortSignal> {
    if (typeof kid !== 'string') throw invalidToken('kid is missing');
    if (!this.find.fresh || !this.kids.has(kid)) {
      if (this.waiting >= MAX_WAITING) throw uncheckable;
      this.waiting++;
      await this.renew().finally(() => this.waiting--);
    }
    return this.withdrawal.signal;
  }

  close(): void {
    clearInterval(this.timer);
    this.closing.abort();
  }

  private renew(): Promise<void> {
    this.renewal ??= this.reload().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  private async reload(): Promise<void> {
    try {
      await this.find.reload();
    } catch (error) {
      if (!this.isAway && !this.closing.signal.aborted) {
        this.logger.error({ err: error }, 'the keys of the token issuer cannot be fetched');
      }
      this.isAway = true;
      throw uncheckable;
    }
    const { keys = [] } = this.find.jwks() ?? {};
    const published = JSON.stringify(keys);
    const isNew = published !== this.published;
    if (isNew) {
      this.published = published;
      this.kids = new Set(keys.map(({ kid }) => kid));
      this.withdrawal.abort();
      this.withdrawal = new AbortController();
    }
    if (isNew || this.isAway) this.logger.info({ keys: [...this.kids] }, 'the keys of the token issuer were fetched');
    this.isAway = false;
  }
}
