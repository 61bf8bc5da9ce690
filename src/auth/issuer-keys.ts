import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, customFetch, type JWTHeaderParameters, type RemoteJWKSet } from 'jose';
import type { Logger } from 'pino';
import { fetchKeys, type IssuerSettings } from './issuer.ts';
import { invalidToken, uncheckable } from './refusals.ts';

/** When the service asks an issuer for its keys, in milliseconds. */
export const PACE = {
  /** The least time between two fetches, whatever tokens come. */
  cooldown: 1000,
  /** How long the service waits for the issuer's answer. */
  timeout: 5000,
  /** The time between two fetches in the background. */
  refresh: 10 * 60_000,
  /** The same after a fetch that failed. */
  retry: 5000,
  /** For how long the keys are used while the issuer does not answer. */
  maxAge: 60 * 60_000,
};

/** How many requests may wait for the issuer: tokens that name made-up keys must not take the place of others. */
const MAX_WAITING = 256;

/** The keys of an issuer, fetched in the background, and when a token names a key that is not among them. */
export class IssuerKeys {
  /** The keys that were fetched; called as a function, jose's set finds the key of a token among them. */
  readonly keySet: RemoteJWKSet;
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  /** Aborts when the issuer publishes other keys. */
  private withdrawal = new AbortController();
  /** The keys as text, to see whether the issuer has changed them. */
  private published = '';
  private kids: ReadonlySet<unknown> = new Set();
  /** The fetch under way, which all requests share. */
  private fetching: Promise<void> | undefined;
  private askedAt = -Infinity;
  private fetchedAt = -Infinity;
  private isAway = false;
  private waiting = 0;
  /** How many fetches have failed. */
  failures = 0;

  /** Begins to fetch the keys, and does not wait for them. */
  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.logger = logger;
    // jose requires a URL, which the fetch below ignores: fetchKeys finds the URL of the keys.
    this.keySet = createRemoteJWKSet(new URL(settings.issuer), {
      cacheMaxAge: pace.maxAge,
      timeoutDuration: pace.timeout,
      // jose refuses tokens of a new key during its cooldown, and starts none after a failure: sleep() replaces it.
      cooldownDuration: Infinity,
      [customFetch]: async (_url, options) => {
        const signal = AbortSignal.any([options.signal, this.closing.signal]);
        await sleep(Math.max(0, this.askedAt + pace.cooldown - performance.now()), undefined, { signal });
        this.askedAt = performance.now();
        return fetchKeys(settings, { ...options, signal });
      },
    });
    void this.fetchForever(pace);
  }

  /** The milliseconds since the keys were fetched; Infinity: they never were. */
  get age(): number {
    return performance.now() - this.fetchedAt;
  }

  /**
   * Asks the issuer for its keys unless the key that a token names is known. A token that the keys then verify is valid
   * until the returned signal aborts.
   *
   * @throws Refusal `tokenInvalid`; `tokenUncheckable` if the issuer must be asked and does not answer
   */
  async ensureKeyKnown({ kid }: JWTHeaderParameters): Promise<AbortSignal> {
    if (typeof kid !== 'string') throw invalidToken('kid is missing');
    if (!this.keySet.fresh || !this.kids.has(kid)) {
      if (this.waiting >= MAX_WAITING) throw uncheckable;
      this.waiting++;
      await this.fetchOnce().finally(() => this.waiting--);
    }
    return this.withdrawal.signal;
  }

  close(): void {
    this.closing.abort();
  }

  private async fetchForever({ refresh, retry }: typeof PACE): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      // A request that needs the keys gets the failure.
      await this.fetchOnce().catch(() => undefined);
      await sleep(this.isAway ? retry : refresh, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  private fetchOnce(): Promise<void> {
    this.fetching ??= this.updateKeys().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async updateKeys(): Promise<void> {
    try {
      await this.keySet.reload();
      if (this.keySet.jwks()?.keys.length === 0) throw new Error('the set of keys is empty');
    } catch (error) {
      this.failures++;
      if (!this.isAway && !this.closing.signal.aborted) {
        this.logger.error({ err: error }, 'the keys of the token issuer cannot be fetched');
      }
      this.isAway = true;
      throw uncheckable;
    }
    this.fetchedAt = performance.now();
    const { keys = [] } = this.keySet.jwks() ?? {};
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
