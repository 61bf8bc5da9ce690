import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../contract/caller.ts';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import type { TokenStore } from '../storage/store.ts';
import type { JwtVerifier } from './jwt.ts';
import { invalidToken } from './refusals.ts';
import { hashToken, isJwt, isToken } from './token.ts';

/**
 * For how long the store's answer on a token is used, in milliseconds. The sum with REAUTHENTICATE_AFTER_MS of
 * http/router.ts is the second that README promises.
 */
const CACHED_MS = 900;
/** After how long the store is asked again in the background, in milliseconds, so that no request waits for it. */
const REFRESH_MS = 400;
/** How many characters of headers are remembered, OVERHEAD included: some identity providers make long tokens. */
const MAX_REMEMBERED = 8_000_000;
/** The memory that each remembered header takes besides its text, in characters. */
const OVERHEAD = 2000;
/** How many tokens the store may be asked about at the same time: guessed tokens must not pile up. */
const MAX_ASKED = 4096;

const SCHEME = 'Bearer ';

/** The name under which a request that carries the provisioned token is logged. */
const PROVISIONED = 'TOKEN_FILE';

/** Tokens that are valid without being in the store. */
export interface Provisioned {
  readonly tokens: readonly string[];
  readonly scopes: readonly string[];
}

/** A token that was found valid. */
interface Known {
  readonly caller: Caller;
  /** By Date.now(); the two times below are by performance.now(), which is never set back. */
  readonly expiresAt: number;
  /** When the store is asked again in the background. */
  refreshAt: number;
  readonly trustedUntil: number;
  /** Aborts when the issuer withdraws the key that verified the token, or when other tokens are provisioned. */
  readonly withdrawn?: AbortSignal;
}
/** Such a token is trusted until it expires, or is withdrawn: the store has no answer on it. */
const NOT_IN_STORE = { refreshAt: Infinity, trustedUntil: Infinity };

/** Finds out who calls, by the bearer token of the header Authorization (RFC 6750, section 2.1). */
export class Authenticator {
  private readonly tokens: TokenStore;
  private provisioned: readonly { readonly hash: Uint8Array; readonly caller: Caller }[] = [];
  /** Of the provisioned tokens. */
  private readonly scopes: ReadonlySet<string>;
  /** Aborts when others are provisioned. */
  private replacement = new AbortController();
  private readonly jwt: JwtVerifier | undefined;
  /** By the text of the header, `Bearer <token>`. */
  private readonly known = new Map<string, Known>();
  private remembered = 0;
  /** The JSON Web Tokens that are being verified, by the same text. */
  private readonly verifying = new Map<string, Promise<Caller>>();
  /** How many tokens the store is being asked about. */
  private asked = 0;

  /**
   * @param jwt verifies each token that has the form of a JSON Web Token; without it, the store is asked about it
   */
  constructor(tokens: TokenStore, provisioned: Provisioned = { tokens: [], scopes: [] }, jwt?: JwtVerifier) {
    this.tokens = tokens;
    this.jwt = jwt;
    this.scopes = new Set(provisioned.scopes);
    this.provision(provisioned.tokens);
  }

  /** Puts tokens in the place of those that were provisioned before. */
  provision(tokens: readonly string[]): void {
    this.provisioned = tokens.map((token) => {
      const hash = hashToken(token);
      // A token of the store may have the same name: the key tells them apart.
      const key = `provisioned ${hash.toString('hex')}`;
      return { hash, caller: { key, name: PROVISIONED, subject: undefined, scopes: this.scopes } };
    });
    this.replacement.abort();
    this.replacement = new AbortController();
  }

  /**
   * Who calls. A token that is known is answered for without a promise, which each request would have to wait for.
   *
   * @throws Refusal `tokenMissing`, `tokenInvalid`, `scopeMissing`, `tokenUncheckable`; `overloaded` if too many tokens
   *   are being looked up
   * @throws StoreUnavailable if the store must be asked and does not answer
   */
  authenticate(authorization = ''): Caller | Promise<Caller> {
    // A Map compares hashes first, so the time that this takes tells a guesser nothing of the known tokens.
    const known = this.known.get(authorization);
    if (known === undefined) {
      // Spelt as most clients spell it, so that each token is remembered once.
      const header = SCHEME + bearerToken(authorization);
      return header === authorization ? this.ask(header) : this.authenticate(header);
    }
    const now = performance.now();
    if (now > known.trustedUntil || known.withdrawn?.aborted) return this.ask(authorization);
    if (known.expiresAt <= Date.now()) throw invalidToken('it has expired');
    if (now > known.refreshAt) {
      known.refreshAt = Infinity;
      // If this fails, a later request asks again, and gets the failure.
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
    if (provisioned !== undefined) {
      const { caller } = provisioned;
      return this.remember(header, {
        ...NOT_IN_STORE,
        caller,
        expiresAt: Infinity,
        withdrawn: this.replacement.signal,
      });
    }
    if (this.jwt !== undefined && isJwt(token)) return this.verify(header, token, this.jwt);
    // The store is always asked about tokens that were valid before: guessed tokens must not keep their callers out.
    if (this.asked >= MAX_ASKED && !this.known.has(header)) throw overloaded;
    this.asked++;
    // The store looks the hash up. A client cannot choose its token's hash, so the time tells nothing of other tokens.
    const stored = await this.tokens.find(hash).finally(() => this.asked--);
    this.forget(header);
    if (stored === undefined || (stored.expiresAt ?? Infinity) <= Date.now()) throw invalidToken();
    const { name, scopes, expiresAt = Infinity } = stored;
    const caller = { key: `token ${name}`, name, subject: undefined, scopes: new Set(scopes) };
    const times = { expiresAt, refreshAt: askedAt + REFRESH_MS, trustedUntil: askedAt + CACHED_MS };
    return this.remember(header, { ...times, caller });
  }

  /** Verifies a token once for all requests that bring it meanwhile. */
  private verify(header: string, token: string, jwt: JwtVerifier): Promise<Caller> {
    const underWay = this.verifying.get(header);
    if (underWay !== undefined) return underWay;
    this.forget(header);
    const verification = jwt
      .verify(token)
      // What the issuer has signed is valid until it expires: the issuer is not asked again before.
      .then((verified) => this.remember(header, { ...NOT_IN_STORE, ...verified }))
      .finally(() => this.verifying.delete(header));
    this.verifying.set(header, verification);
    return verification;
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
  if (!/^bearer /i.test(authorization)) {
    throw new Refusal(ErrorNumber.tokenMissing, 'send an access token: Authorization: Bearer <ACCESS_TOKEN>', {
      'WWW-Authenticate': 'Bearer',
    });
  }
  const [, token] = /^bearer +([^ ]+)$/i.exec(authorization) ?? [];
  if (token === undefined || !isToken(token)) throw invalidToken();
  return token;
}
