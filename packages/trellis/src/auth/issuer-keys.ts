import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRemoteJWKSet,
  type CryptoKey,
  customFetch,
  errors,
  type JWK,
  type JWTHeaderParameters,
  type RemoteJWKSet,
} from 'jose';
import type { Logger } from 'pino';
import { fetchKeys, type IssuerSettings } from './issuer.ts';
import { invalidToken, uncheckable } from './refusals.ts';

/** Times of fetching the keys, in milliseconds. */
export const PACE = {
  cooldown: 1000,
  timeout: 5000,
  /** The time between two fetches in the background. */
  refresh: 10 * 60_000,
  /** The time before the next fetch after a failed one. */
  retry: 5000,
  /** How long the last keys stay valid if the issuer does not answer. */
  maxAge: 60 * 60_000,
};

/** Less than MAX_VERIFYING of jwt.ts, so that tokens with invented key ids cannot block tokens with known ones. */
const MAX_WAITING = 256;

/** Fetches the keys of an issuer in the background, and whenever a token names an unknown key. */
export class IssuerKeys {
  /** Finds the key of a token when called as a function. */
  private readonly keySet: RemoteJWKSet;
  private readonly logger: Logger;
  private readonly closing = new AbortController();
  /** Aborts when the issuer publishes other keys. */
  private withdrawal = new AbortController();
  /** The keys as the issuer sent them last. */
  private fetched: readonly JWK[] = [];
  private published = '';
  private kids: ReadonlySet<unknown> = new Set();
  private fetching: Promise<void> | undefined;
  private askedAt = -Infinity;
  private fetchedAt = -Infinity;
  private isAway = false;
  private waiting = 0;
  failures = 0;

  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.logger = logger;
    // jose requires a URL here, but `customFetch` below ignores it and calls fetchKeys().
    this.keySet = createRemoteJWKSet(new URL(settings.issuer), {
      cacheMaxAge: pace.maxAge,
      timeoutDuration: pace.timeout,
      // sleep() below is the cooldown: jose's own refuses tokens of new keys, and does not follow a failed fetch.
      cooldownDuration: Infinity,
      [customFetch]: async (_url, options) => {
        const signal = AbortSignal.any([options.signal, this.closing.signal]);
        await sleep(Math.max(0, this.askedAt + pace.cooldown - performance.now()), undefined, { signal });
        this.askedAt = performance.now();
        const response = await fetchKeys(settings, { ...options, signal });
        const set = (await response.json()) as { readonly keys?: unknown } | null;
        if (!isKeys(set?.keys)) throw new Error('the key set has no list of keys');
        // jose itself would replace the last keys by an empty set.
        if (set.keys.length === 0) throw new Error('the key set is empty');
        this.fetched = set.keys;
        return Response.json({ keys: new Map(this.fetched.map((key) => [textOf(key), key])).values().toArray() });
      },
    });
    void this.fetchForever(pace);
  }

  /** The milliseconds since the last successful fetch, or Infinity. */
  get age(): number {
    return performance.now() - this.fetchedAt;
  }

  /**
   * Fetches the keys unless the key that a token names is known.
   *
   * @returns a signal that aborts when the keys change, so that tokens must be verified again
   * @throws Refusal `tokenInvalid`; `tokenUncheckable` if the issuer does not answer
   */
  async ensureKeyKnown(header: JWTHeaderParameters): Promise<AbortSignal> {
    const { kid } = header;
    if (kid !== undefined && typeof kid !== 'string') throw invalidToken('kid is no string');
    if (!this.keySet.fresh || (this.isNamed(header) && !this.kids.has(kid))) await this.fetchNow();
    return this.withdrawal.signal;
  }

  /** Whether the key of a token is found by its kid, which tokens and keys may lack (RFC 7515, section 4.1.4). */
  isNamed({ kid }: JWTHeaderParameters): boolean {
    return kid !== undefined && this.fetched.some((key) => key.kid !== undefined);
  }

  /** Without a kid, takes the only key for the algorithm. @throws Refusal `tokenInvalid` if there are several */
  async find(header: JWTHeaderParameters): Promise<CryptoKey> {
    if (this.isNamed(header)) return await this.keySet(header);
    const { kid: _, ...unnamed } = header;
    try {
      return await this.keySet(unnamed);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      throw invalidToken('kid is missing, and the issuer has several keys for the algorithm');
    }
  }

  /** @throws Refusal `tokenUncheckable` if the issuer does not answer, or too many tokens wait for it */
  async fetchNow(): Promise<void> {
    if (this.waiting >= MAX_WAITING) throw uncheckable;
    this.waiting++;
    await this.fetchOnce().finally(() => this.waiting--);
  }

  close(): void {
    this.closing.abort();
  }

  private async fetchForever({ refresh, retry }: typeof PACE): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      // updateKeys() has logged the failure.
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
    } catch (error) {
      this.failures++;
      if (!this.isAway && !this.closing.signal.aborted)
        this.logger.error({ err: error }, 'the keys of the token issuer cannot be fetched');
      this.isAway = true;
      throw uncheckable;
    }
    this.fetchedAt = performance.now();
    const published = JSON.stringify(this.fetched);
    const isNew = published !== this.published;
    if (isNew) {
      this.published = published;
      this.kids = new Set(this.fetched.map(({ kid }) => kid));
      // RFC 7517, section 4.5: keys of different types may share a kid.
      const alike = Map.groupBy(this.fetched, ({ kid, kty }) => JSON.stringify([kid, kty])).values();
      const repeated = [...alike].flatMap(([{ kid } = {}, other]) => (other === undefined ? [] : [kid]));
      if (repeated.length > 0)
        this.logger.warn({ keys: repeated }, 'the token issuer publishes several keys under one kid: each is tried');
      this.withdrawal.abort();
      this.withdrawal = new AbortController();
    }
    if (isNew || this.isAway) this.logger.info({ keys: [...this.kids] }, 'the keys of the token issuer were fetched');
    this.isAway = false;
  }
}

function isKeys(value: unknown): value is readonly JWK[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null);
}

/** The same text for equal keys, whatever the order of their members. */
function textOf(key: JWK): string {
  return JSON.stringify(Object.entries(key).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
