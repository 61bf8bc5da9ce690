import { timingSafeEqual } from 'node:crypto';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import type { TokenStore } from '../storage/store.ts';
import { type Caller, invalidToken } from './caller.ts';
import type { JwtVerifier } from './jwt.ts';
import { hashToken, isJwt, isToken } from './token.ts';

/** For how long the store's word on a token counts, in milliseconds: a revoked token works no longer than this. */
const TRUSTED_MS = 900;
/** When the store is asked again in the background, so that no request waits for the answer. */
const REFRESH_MS = 400;
/** How many characters of headers are remembered: the tokens of some identity providers are long. */
const MAX_REMEMBERED = 8_000_000;
/** As how many characters counts what is remembered beside each header. */
const OVERHEAD = 2000;
/** How many tokens the store may be asked about at the same time: guesses must not pile up. */
const MAX_ASKED = 4096;

const SCHEME = 'Bearer ';

/** The name under which a request that carries the provisioned token is logged. */
const PROVISIONED = 'TOKEN_FILE';

/** A token that was found valid. Times are those of a clock that is not set back, but for the end of the token. */
interface Known {
  readonly caller: Caller;
  readonly expiresAt: number;
  /** When the store is asked again in the background; never for a token that is not in the store. */
  refreshAt: number;
  readonly trustedUntil: number;
  /** Aborts when the key by which the token was verified counts no more. */
  readonly withdrawn?: AbortSignal;
}
const FOR_EVER = { refreshAt: Infinity, trustedUntil: Infinity };

/** Tells who calls, by the bearer token of the header Authorization (RFC 6750, section 2.1). */
export class Authenticator {
  private readonly tokens: TokenStore;
  private readonly provisioned: Uint8Array | undefined;
  private readonly jwt: JwtVerifier | undefined;
  /** By the text of the header, `Bearer <token>`. */
  private readonly known = new Map<string, Known>();
  private remembered = 0;
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
    if (now > known.trustedUntil || known.withdrawn?.aborted) return this.ask(authorization);
    if (known.expiresAt <= Date.now()) throw invalidToken('it has expired');
    if (now > known.refreshAt) {
      known.refreshAt = Infinity;
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
      const caller = { key: 'provisioned', name: PROVISIONED, subject: undefined };
      return this.remember(header, { ...FOR_EVER, caller, expiresAt: Infinity });
    }
    if (this.jwt !== undefined && isJwt(token)) return this.verify(header, token, this.jwt);
    // Tokens that were valid are asked about all the same: guesses must not keep their callers out.
    if (this.asked >= MAX_ASKED && !this.known.has(header)) throw overloaded;
    this.asked++;
    // The store looks the hash up: how long that takes says nothing of the token, whose hash cannot be steered.
    const stored = await this.tokens.find(hash).finally(() => this.asked--);
    this.forget(header);
    if (stored === undefined || (stored.expiresAt ?? Infinity) <= Date.now()) throw invalidToken();
    const { name, expiresAt = Infinity } = stored;
    const caller = { key: `token ${name}`, name, subject: undefined };
    const times = { expiresAt, refreshAt: askedAt + REFRESH_MS, trustedUntil: askedAt + TRUSTED_MS };
    return this.remember(header, { ...times, caller });
  }

  /** Once for all requests that bring the token meanwhile. */
  private verify(header: string, token: string, jwt: JwtVerifier): Promise<Caller> {
    const underWay = this.verifying.get(header);
    if (underWay !== undefined) return underWay;
    this.forget(header);
    const verification = jwt
      .verify(token)
      // What the issuer has signed counts until it expires: the issuer is not asked again before.
      .then((verified) => this.remember(header, { ...FOR_EVER, ...verified }))
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
