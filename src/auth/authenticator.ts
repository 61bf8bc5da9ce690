import { timingSafeEqual } from 'node:crypto';
import type { Caller } from './caller.ts';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import type { TokenStore } from '../storage/store.ts';
import type { Trust } from './issuer-keys.ts';
import type { JwtVerifier } from './jwt.ts';
import { invalidToken } from './refusals.ts';
import { hashToken, isJwt, isToken } from './token.ts';

/** For how long the store's word on a token counts, in milliseconds: a revoked token works no longer than this. */
const TRUST_MS = 900;
/** When it is asked again in the background, so that no request waits for the answer. */
const REFRESH_MS = 400;
/** How many tokens are remembered, */
const MOST_KNOWN = 4000;
/** and how many characters of them: those of some identity providers are long. */
const MOST_KNOWN_LENGTH = 8_000_000;

/** How many tokens the store may be asked about at the same time: guesses must not pile up. */
const MOST_ASKED = 4096;

const SCHEME = 'Bearer ';

/** The name under which a request that carries the provisioned token is logged. */
export const PROVISIONED = 'TOKEN_FILE';

/** Of tokens that are not verified by keys. */
const TRUST: Trust = { withdrawn: false };

interface Known {
  readonly caller: Caller;
  /** When the store was asked, by a clock that is not set back; it may have changed its mind since. */
  readonly askedAt: number;
  /** Whether the key counts by which the token was verified. */
  readonly trust: Trust;
  readonly expiresAt: number;
  asking: boolean;
}

/** Tells who calls, by the bearer token of the header Authorization (RFC 6750, section 2.1). */
export class Authenticator {
  private readonly tokens: TokenStore;
  private readonly provisioned: Uint8Array | undefined;
  private readonly jwt: JwtVerifier | undefined;
  /** By the text of the header, `Bearer <token>`. */
  private readonly known = new Map<string, Known>();
  private knownLength = 0;
  /** The JSON Web Tokens that are being verified, likewise. */
  private readonly verifying = new Map<string, Promise<Caller>>();
  /** How many tokens the store is being asked about. */
  private asked = 0;

  /**
   * @param provisioned a token that is valid without being in the store
   * @param jwt verifies each token that has the form of a JSON Web Token; without it, such a token is one like any other
   */
  constructor(tokens: TokenStore, provisioned?: string, jwt?: JwtVerifier) {
    this.tokens = tokens;
    this.jwt = jwt;
    this.provisioned = provisioned === undefined ? undefined : hashToken(provisioned);
  }

  /**
   * Who calls; at once if the token is known, without a promise, which each request would have to wait for.
   *
   * @throws Refusal `tokenMissing`, `tokenInvalid`, `scopeMissing`, `tokenUncheckable`, `storeUnavailable`
   * @throws StoreUnavailable if the store must be asked and does not answer
   */
  authenticate(authorization = ''): Caller | Promise<Caller> {
    // Only headers with a token that was valid are found by their text; a guess learns nothing here, as it is never
    // compared with them: strings with different hashes are not.
    const known = this.known.get(authorization);
    if (known === undefined) {
      // As most clients spell it, so that one token is remembered once.
      const header = SCHEME + bearerToken(authorization);
      return header === authorization ? this.ask(header) : this.authenticate(header);
    }
    const now = performance.now();
    if (now - known.askedAt > TRUST_MS || known.trust.withdrawn) return this.ask(authorization);
    if (known.expiresAt <= Date.now()) throw invalidToken('it has expired');
    if (now - known.askedAt > REFRESH_MS && !known.asking) {
      known.asking = true;
      // If this fails, the token is asked for again by a request, which then hears of the failure.
      this.ask(authorization).catch(() => undefined);
    }
    return known.caller;
  }

  /** @param header `Bearer <token>` */
  private async ask(header: string): Promise<Caller> {
    const askedAt = performance.now();
    const token = header.slice(SCHEME.length);
    const hash = hashToken(token);
    if (this.provisioned !== undefined && timingSafeEqual(hash, this.provisioned)) {
      // A token of the store may have that name, and is counted apart.
      const caller: Caller = { key: 'provisioned', name: PROVISIONED, subject: undefined };
      return this.remember(header, { caller, askedAt: Infinity, trust: TRUST, expiresAt: Infinity, asking: false });
    }
    if (this.jwt !== undefined && isJwt(token)) return this.verify(header, token, this.jwt);
    // Tokens that were valid are asked about all the same: guesses must not keep their callers out.
    if (this.asked >= MOST_ASKED && !this.known.has(header)) throw overloaded;
    this.asked++;
    // The store looks the hash up: how long that takes says nothing of the token, whose hash cannot be steered.
    const stored = await this.tokens.find(hash).finally(() => this.asked--);
    this.forget(header);
    if (stored === undefined || (stored.expiresAt ?? Infinity) <= Date.now()) throw invalidToken();
    const { name, expiresAt = Infinity } = stored;
    return this.remember(header, { caller: callerBy(name), askedAt, trust: TRUST, expiresAt, asking: false });
  }

  /** Once for all requests that bring the token meanwhile. */
  private verify(header: string, token: string, jwt: JwtVerifier): Promise<Caller> {
    const underWay = this.verifying.get(header);
    if (underWay !== undefined) return underWay;
    this.forget(header);
    const verification = jwt
      .verify(token)
      // What the issuer has signed counts until it expires: the issuer is not asked again before.
      .then((verified) => this.remember(header, { ...verified, askedAt: Infinity, asking: false }))
      .finally(() => this.verifying.delete(header));
    this.verifying.set(header, verification);
    return verification;
  }

  private remember(header: string, known: Known): Caller {
    this.forget(header);
    for (const oldest of this.known.keys()) {
      if (this.known.size < MOST_KNOWN && this.knownLength + header.length <= MOST_KNOWN_LENGTH) break;
      this.forget(oldest);
    }
    this.known.set(header, known);
    this.knownLength += header.length;
    return known.caller;
  }

  private forget(header: string): void {
    if (this.known.delete(header)) this.knownLength -= header.length;
  }
}

function callerBy(name: string): Caller {
  return { key: `token ${name}`, name, subject: undefined };
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
