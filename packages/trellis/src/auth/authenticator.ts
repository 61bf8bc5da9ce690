/**
 * Finds out who calls. A header field with a token comes in (caller.ts says which field), and a `Caller` with a key, a name
 * and scopes goes out. A token of this service is looked up by its SHA-256, first among those of TOKEN_FILE, then in the store;
 * a JSON Web Token is verified (jwt.ts) by the keys of its issuer (issuer-keys.ts). What was found is remembered: for less
 * than a second if the store may revoke it, otherwise until it expires or is withdrawn. So most requests wait for nothing.
 *
 * What may fail: no token, a wrong or expired one (401), a scope that is missing (403, `scopeCheck`), an issuer whose keys
 * cannot be had, the store away, or too many look-ups at once (503). Each is a `Refusal`, but for StoreUnavailable, of which
 * http/errors.ts makes one. Nothing here sees a request.
 *
 * @module
 */
import { timingSafeEqual } from 'node:crypto';
import { type Caller, tokenMissing } from './caller.ts';
import { overloaded } from 'trellis-contract/ground';
import type { TokenStore } from '../storage/store.ts';
import type { JwtVerifier } from './jwt.ts';
import { invalidToken } from './refusals.ts';
import { hashToken, isJwt, isToken } from './token.ts';

/**
 * The sum of this time and REAUTHENTICATE_AFTER_MS of http/middlewares.ts must not exceed 1 s: a revoked token
 * fails within 1 s.
 */
const CACHED_MS = 900;
/** After this time, the store is asked again in the background, so that no request waits for the store. */
const REFRESH_MS = 400;
/** The most characters of all remembered headers: a number of tokens would not bound memory, as some are long. */
const MAX_REMEMBERED = 8_000_000;
/** The memory that each remembered header takes besides its text, in characters. */
const OVERHEAD = 2000;
/** The most look-ups at the same time. It limits the memory that guessed tokens can take. */
const MAX_ASKED = 4096;

const SCHEME = 'Bearer ';

/** The `caller` in the log for requests with a provisioned token. */
const PROVISIONED = 'TOKEN_FILE';

/** Tokens that are valid without being in the store. */
interface Provisioned {
  readonly tokens: readonly string[];
  readonly scopes: readonly string[];
}

interface Known {
  readonly caller: Caller;
  /**
   * A time of Date.now(). The other two are times of performance.now(), which a change of the clock does not affect.
   */
  readonly expiresAt: number;
  refreshAt: number;
  readonly trustedUntil: number;
  /** Aborts when the issuer withdraws the key that verified the token, or when other tokens are provisioned. */
  readonly withdrawn?: AbortSignal;
}
/** The times of tokens that the store does not know: they stay trusted until they expire or are withdrawn. */
const NOT_IN_STORE = { refreshAt: Infinity, trustedUntil: Infinity };

/** Identifies the caller by the bearer token in the header Authorization (RFC 6750, section 2.1). */
export class Authenticator {
  private readonly tokens: TokenStore;
  private provisioned: readonly { readonly hash: Uint8Array; readonly known: Known }[] = [];
  private readonly provisionedScopes: ReadonlySet<string>;
  /** Aborts when other tokens are provisioned. */
  private replacement = new AbortController();
  private readonly jwt: JwtVerifier | undefined;
  /** The key is the header, `Bearer <token>`. */
  private readonly known = new Map<string, Known>();
  private remembered = 0;
  private readonly verifying = new Map<string, Promise<Caller>>();
  private asked = 0;

  /** @param jwt verifies the tokens that look like JSON Web Tokens; without it, the store looks them up */
  constructor(tokens: TokenStore, provisioned: Provisioned = { tokens: [], scopes: [] }, jwt?: JwtVerifier) {
    this.tokens = tokens;
    this.jwt = jwt;
    this.provisionedScopes = new Set(provisioned.scopes);
    this.provision(provisioned.tokens);
  }

  provision(tokens: readonly string[]): void {
    this.replacement.abort();
    this.replacement = new AbortController();
    const withdrawn = this.replacement.signal;
    this.provisioned = tokens.map((token) => {
      const hash = hashToken(token);
      // A token of the store may also be named TOKEN_FILE, so the key differs.
      const key = `provisioned ${hash.toString('hex')}`;
      const caller = { key, name: PROVISIONED, subject: undefined, scopes: this.provisionedScopes };
      return { hash, known: { ...NOT_IN_STORE, caller, expiresAt: Infinity, withdrawn } };
    });
  }

  /**
   * Returns the caller of a known token without a promise, which would delay each request.
   *
   * @throws Refusal `tokenMissing`, `tokenInvalid`, `scopeMissing`, `tokenUncheckable`, `overloaded`
   * @throws StoreUnavailable
   */
  authenticate(authorization = ''): Caller | Promise<Caller> {
    // A Map compares hashes first, so the time of a look-up tells an attacker nothing about known tokens.
    const known = this.known.get(authorization);
    if (known === undefined) {
      // `known` has one entry per token, because its key always spells the scheme `Bearer`.
      const header = SCHEME + bearerToken(authorization);
      return header === authorization ? this.ask(header) : this.authenticate(header);
    }
    const now = performance.now();
    if (now > known.trustedUntil || known.withdrawn?.aborted) return this.ask(authorization);
    if (known.expiresAt <= Date.now()) throw invalidToken('it has expired');
    if (now > known.refreshAt) {
      known.refreshAt = Infinity;
      // After a failure, a later request asks again and throws.
      this.ask(authorization).catch(() => undefined);
    }
    return known.caller;
  }

  /** @param header `Bearer <token>` */
  private async ask(header: string): Promise<Caller> {
    const askedAt = performance.now();
    const token = header.slice(SCHEME.length);
    const hash = hashToken(token);
    const provisioned = this.provisioned.find((each) => timingSafeEqual(hash, each.hash));
    if (provisioned !== undefined) return this.remember(header, provisioned.known);
    if (this.jwt !== undefined && isJwt(token)) return this.verify(header, token, this.jwt);
    // A token that was valid before is always looked up: a flood of guessed tokens must not lock its caller out.
    if (this.asked >= MAX_ASKED && !this.known.has(header)) throw overloaded;
    this.asked++;
    // A client cannot choose the hash of its token, so the time of a look-up tells nothing about other tokens.
    const stored = await this.tokens.find(hash).finally(() => this.asked--);
    this.forget(header);
    if (stored === undefined || (stored.expiresAt ?? Infinity) <= Date.now()) throw invalidToken();
    const { name, scopes, expiresAt = Infinity } = stored;
    const caller = { key: `token ${name}`, name, subject: undefined, scopes: new Set(scopes) };
    const times = { expiresAt, refreshAt: askedAt + REFRESH_MS, trustedUntil: askedAt + CACHED_MS };
    return this.remember(header, { ...times, caller });
  }

  /** Concurrent requests with the same token share one verification. */
  private verify(header: string, token: string, jwt: JwtVerifier): Promise<Caller> {
    return this.verifying.getOrInsertComputed(header, () => {
      this.forget(header);
      return jwt
        .verify(token)
        .then((verified) => this.remember(header, { ...NOT_IN_STORE, ...verified }))
        .finally(() => this.verifying.delete(header));
    });
  }

  private remember(header: string, known: Known): Caller {
    this.forget(header);
    this.known.set(header, known);
    this.remembered += header.length + OVERHEAD;
    for (const oldest of this.known.keys()) {
      if (this.remembered <= MAX_REMEMBERED) break;
      this.forget(oldest);
    }
    return known.caller;
  }

  private forget(header: string): void {
    if (this.known.delete(header)) this.remembered -= header.length + OVERHEAD;
  }
}

function bearerToken(authorization: string): string {
  if (!/^bearer /i.test(authorization)) throw tokenMissing(['Authorization']);
  const [, token] = /^bearer +([^ ]+)$/i.exec(authorization) ?? [];
  if (token === undefined || !isToken(token)) throw invalidToken();
  return token;
}
