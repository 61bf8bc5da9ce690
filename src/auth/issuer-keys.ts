import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK, JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet } from 'jose';
import type { Logger } from 'pino';
import type { IssuerSettings } from './issuer.ts';
import { fetchKeys } from './issuer.ts';
import { uncheckable } from './refusals.ts';

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
const MOST_WAITING = 256;

/** The least bits of an RSA key (RFC 7518, section 3.3). */
const LEAST_RSA_BITS = 2048;

/** What was verified by some keys counts until one of them is withdrawn. */
export interface Trust {
  withdrawn: boolean;
}

/** The keys of an issuer, as they were at one moment. */
export interface KeySet {
  /** Finds the key of a token. */
  readonly find: JWTVerifyGetKey;
  readonly trust: Trust;
  readonly kids: ReadonlySet<string>;
  /** What is needed to see that a key is another one. */
  readonly fingerprints: ReadonlySet<string>;
  /** When the issuer was asked for them. */
  readonly askedAt: number;
}

/** The keys of an issuer: fetched, kept, and fetched again when a token names one that is not among them. */
export class IssuerKeys {
  private readonly settings: IssuerSettings;
  private readonly logger: Logger;
  private readonly pace: typeof PACE;
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private current: KeySet | undefined;
  /** Is over when the issuer, once it may be asked, has been asked. */
  private renewal: Promise<void> | undefined;
  private askedAt = -Infinity;
  private failedAt = -Infinity;
  /** What was logged last, so that it is logged once. */
  private fault: string | undefined;
  private waiting = 0;

  /** Begins to fetch the keys, and waits for nothing. */
  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.settings = settings;
    this.logger = logger;
    this.pace = pace;
    const refresh = () => {
      // Whoever needs the keys hears of the failure.
      this.renew().catch(() => undefined);
    };
    this.timer = setInterval(refresh, pace.refresh).unref();
    refresh();
  }

  /**
   * The keys with one of that name among them; undefined if the issuer, asked since this was called, has none.
   *
   * @throws Refusal `tokenUncheckable` if the issuer must be asked and does not answer
   */
  async having(kid: string): Promise<KeySet | undefined> {
    const calledAt = performance.now();
    for (;;) {
      const keys = this.usable();
      if (keys?.kids.has(kid) === true) return keys;
      if (keys !== undefined && keys.askedAt >= calledAt) return undefined;
      await this.wait();
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.closing.abort();
  }

  private usable(): KeySet | undefined {
    return performance.now() - (this.current?.askedAt ?? -Infinity) < this.pace.maxAge ? this.current : undefined;
  }

  private async wait(): Promise<void> {
    if (this.waiting >= MOST_WAITING || performance.now() - this.failedAt < this.pace.cooldown) throw uncheckable;
    this.waiting++;
    try {
      await this.renew();
    } finally {
      this.waiting--;
    }
  }

  private renew(): Promise<void> {
    this.renewal ??= this.ask().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  private async ask(): Promise<void> {
    const { signal } = this.closing;
    try {
      await sleep(Math.max(0, this.askedAt + this.pace.cooldown - performance.now()), undefined, { signal });
      this.askedAt = performance.now();
      const keys = await fetchKeys(this.settings, AbortSignal.any([signal, AbortSignal.timeout(this.pace.timeout)]));
      this.take(keys.map(readKey).filter((each) => each !== undefined));
    } catch (error) {
      this.failedAt = performance.now();
      if (!signal.aborted) this.report(error);
      throw uncheckable;
    }
  }

  private take(keys: readonly Key[]): void {
    const before = this.current;
    const fingerprints = new Set(keys.map(({ fingerprint }) => fingerprint));
    const isWithdrawn = before !== undefined && !before.fingerprints.isSubsetOf(fingerprints);
    if (isWithdrawn) before.trust.withdrawn = true;
    this.current = {
      find: createLocalJWKSet({ keys: keys.map(({ jwk }) => jwk) }),
      trust: before === undefined || isWithdrawn ? { withdrawn: false } : before.trust,
      kids: new Set(keys.map(({ kid }) => kid)),
      fingerprints,
      askedAt: this.askedAt,
    };
    if (this.fault !== undefined || before?.fingerprints.symmetricDifference(fingerprints).size !== 0) {
      this.logger.info({ keys: [...this.current.kids] }, 'the keys of the token issuer were fetched');
    }
    this.fault = undefined;
  }

  private report(error: unknown): void {
    const { message, cause } = Error.isError(error) ? error : new Error(String(error));
    const fault = `${message} ${String(cause)}`;
    if (fault !== this.fault) this.logger.error({ err: error }, 'the keys of the token issuer cannot be fetched');
    this.fault = fault;
  }
}

interface Key {
  readonly kid: string;
  readonly jwk: JWK;
  readonly fingerprint: string;
}

/** A key that can verify signatures, with what is needed for it alone; undefined: it is none of those. */
function readKey(published: unknown): Key | undefined {
  if (typeof published !== 'object' || published === null) return undefined;
  const { kid, alg, use = 'sig', key_ops: operations = ['verify'], d } = published as Readonly<Record<string, unknown>>;
  const isForSignatures = use === 'sig' && Array.isArray(operations) && operations.includes('verify');
  // What everybody can sign with proves nothing.
  if (typeof kid !== 'string' || !isForSignatures || d !== undefined) return undefined;
  try {
    const key = createPublicKey({ key: published, format: 'jwk' });
    const { modulusLength = LEAST_RSA_BITS } = key.asymmetricKeyDetails ?? {};
    if (modulusLength < LEAST_RSA_BITS) return undefined;
    const jwk = { ...key.export({ format: 'jwk' }), kid, ...(typeof alg === 'string' ? { alg } : {}) };
    return { kid, jwk, fingerprint: JSON.stringify(jwk) };
  } catch {
    // Of a kind that this Node does not know.
    return undefined;
  }
}
