import type { JWTPayload } from 'jose';
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Caller } from './caller.ts';
import type { IssuerSettings } from './issuer.ts';
import type { Trust } from './issuer-keys.ts';
import { IssuerKeys, PACE } from './issuer-keys.ts';
import { insufficientScope, invalidToken, uncheckable } from './refusals.ts';

/** Signatures that only the issuer can make. With the others, whoever can verify can sign, or nobody signs. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** By how much the clocks of issuer and service may differ, in seconds. */
export const CLOCK_SKEW_S = 60;

/** How many signatures may be checked at the same time: forged ones must not pile up. */
const MOST_VERIFYING = 512;

/** Without what no log line and no counter has: control characters, surrogates, characters that do not exist. */
const SUBJECT = /^\P{C}{1,255}$/u;

/** What a token says that was verified. */
export interface Verified {
  readonly caller: Caller;
  /** In milliseconds since 1970; the clocks may differ, which is in it. */
  readonly expiresAt: number;
  readonly trust: Trust;
}

/** Verifies the access tokens of an identity provider (RFC 9068, and RFC 8725 on what can go wrong). */
export class JwtVerifier {
  private readonly settings: IssuerSettings;
  private readonly keys: IssuerKeys;
  private verifying = 0;

  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.settings = settings;
    this.keys = new IssuerKeys(settings, logger, pace);
  }

  /** @throws Refusal `tokenInvalid`, `scopeMissing`, `tokenUncheckable` */
  async verify(token: string): Promise<Verified> {
    const keys = await this.keys.having(readKid(token));
    if (keys === undefined) throw invalidToken('the issuer has no such key');
    if (this.verifying >= MOST_VERIFYING) throw uncheckable;
    this.verifying++;
    try {
      const { issuer, audience } = this.settings;
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_SKEW_S,
      });
      return this.read(payload, keys.trust);
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalidToken(reasonOf(error)) : error;
    } finally {
      this.verifying--;
    }
  }

  close(): void {
    this.keys.close();
  }

  private read(payload: JWTPayload, trust: Trust): Verified {
    const { sub: subject, exp = 0 } = payload;
    if (typeof subject !== 'string' || !SUBJECT.test(subject)) throw invalidToken('sub is not a subject');
    const { scopes } = this.settings;
    if (scopes.length > 0 && !scopesOf(payload).isSupersetOf(new Set(scopes))) throw insufficientScope(scopes, subject);
    const caller = { key: `subject ${subject}`, name: undefined, subject };
    return { caller, expiresAt: (exp + CLOCK_SKEW_S) * 1000, trust };
  }
}

/** The key that a token names. One whose signature would not count is refused before the issuer is asked for keys. */
function readKid(token: string): string {
  let header;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw invalidToken('the header cannot be read');
  }
  const { alg = '', kid } = header;
  if (!ALGORITHMS.includes(alg)) throw invalidToken('alg is not allowed');
  if (typeof kid !== 'string') throw invalidToken('kid is missing');
  return kid;
}

/** As RFC 8693 (`scope`) and others (`scp`) spell them. */
function scopesOf({ scope, scp }: JWTPayload): Set<unknown> {
  return new Set([scope, scp].flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim)));
}

function reasonOf(error: errors.JOSEError): string {
  const isOfClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
  return isOfClaim ? `${error.code} ${error.claim}` : error.code;
}
