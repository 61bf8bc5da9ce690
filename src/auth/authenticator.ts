import { timingSafeEqual } from 'node:crypto';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import type { TokenStore } from '../storage/token-store.ts';
import { hashToken, isToken } from './token.ts';

/** For how long the store's word on a token counts, in milliseconds: a revoked token works no longer than this. */
const TRUST_MS = 900;
/** When it is asked again in the background, so that nobody waits for the answer. */
const REFRESH_MS = 400;
/** How many tokens are remembered. */
const MOST_KNOWN = 1000;

/** How many tokens the store may be asked about at the same time: guesses must not pile up. */
const MOST_ASKED = 4096;

const SCHEME = 'Bearer ';

/** The name under which a request that carries the provisioned token is logged. */
export const PROVISIONED = 'TOKEN_FILE';

interface Known {
  readonly name: string;
  /** When the store was asked, by a clock that nobody sets back; it may have changed its mind since. */
  readonly askedAt: number;
  readonly expiresAt: number;
  asking: boolean;
}

/** Tells who calls, by the bearer token of the header Authorization (RFC 6750, section 2.1). */
export class Authenticator {
  private readonly tokens: TokenStore;
  private readonly provisioned: Uint8Array | undefined;
  /** By the text of the header, `Bearer <token>`. */
  private readonly known = new Map<string, Known>();
  /** How many tokens the store is being asked about. */
  private asked = 0;

  /** @param provisioned a token that is valid without being in the store */
  constructor(tokens: TokenStore, provisioned?: string) {
    this.tokens = tokens;
    this.provisioned = provisioned === undefined ? undefined : hashToken(provisioned);
  }

  /**
   * The name of the token; at once if it is known, without a promise, which each request would have to wait for.
   *
   * @throws Refusal `tokenMissing`, `tokenInvalid`, `storeUnavailable`
   * @throws StoreUnavailable if the store must be asked and does not answer
   */
  authenticate(authorization = ''): string | Promise<string> {
    // Only headers with a token that was valid are found by their text; a guess learns nothing here, as it is never
    // compared with them: strings with different hashes are not.
    const known = this.known.get(authorization);
    if (known === undefined) {
      // As most clients spell it, so that one token is remembered once.
      const header = SCHEME + bearerToken(authorization);
      return header === authorization ? this.ask(header) : this.authenticate(header);
    }
    const now = performance.now();
    if (now - known.askedAt > TRUST_MS) return this.ask(authorization);
    if (known.expiresAt <= Date.now()) throw invalidToken();
    if (now - known.askedAt > REFRESH_MS && !known.asking) {
      known.asking = true;
      // If this fails, the token is asked for again by a request, which then hears of the failure.
      this.ask(authorization).catch(() => undefined);
    }
    return known.name;
  }

  /** @param header `Bearer <token>` */
  private async ask(header: string): Promise<string> {
    const askedAt = performance.now();
    const hash = hashToken(header.slice(SCHEME.length));
    if (this.provisioned !== undefined && timingSafeEqual(hash, this.provisioned)) {
      return this.remember(header, { name: PROVISIONED, askedAt: Infinity, expiresAt: Infinity, asking: false });
    }
    if (this.asked >= MOST_ASKED) throw overloaded;
    this.asked++;
    // The store looks the hash up: how long that takes says nothing of the token, whose hash cannot be steered.
    const stored = await this.tokens.find(hash).finally(() => this.asked--);
    this.known.delete(header);
    if (stored === undefined || (stored.expiresAt ?? Infinity) <= Date.now()) throw invalidToken();
    const { name, expiresAt = Infinity } = stored;
    return this.remember(header, { name, askedAt, expiresAt, asking: false });
  }

  private remember(header: string, known: Known): string {
    const [oldest] = this.known.keys();
    if (this.known.size >= MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
    this.known.set(header, known);
    return known.name;
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

function invalidToken(): Refusal {
  return new Refusal(ErrorNumber.tokenInvalid, 'the access token is unknown, revoked or expired', {
    'WWW-Authenticate': 'Bearer error="invalid_token"',
  });
}
