import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import type { Logger } from 'pino';
import { type Caller, scopeCheck } from './caller.ts';
import { Refusal } from 'trellis-contract/ground';
import type { IssuerSettings } from './issuer.ts';
import { IssuerKeys, PACE } from './issuer-keys.ts';
import { invalidToken, uncheckable } from './refusals.ts';

/** Only the issuer can sign with these. Any verifier can sign with HS256, and `none` is no signature. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The most keys to try for one kid: each forged token costs as many verifications. */
const MAX_ALIKE = 8;

/** The tolerated difference between the clocks of issuer and service. */
const CLOCK_SKEW_S = 60;

/** Limits the work and the memory that forged tokens can take. Tokens that wait for keys count too. */
const MAX_VERIFYING = 512;

/** The first three are claims of ID tokens, `events` is one of logout tokens. */
const CLAIMS_OF_OTHER_TOKENS = ['nonce', 'at_hash', 'c_hash', 'events'];

/** The log must not contain control characters, surrogates or unassigned code points. */
const SUBJECT = /^\P{C}{1,255}$/u;

/** One signal for all tokens: each AbortSignal.abort() would capture a stack. */
const WITHDRAWN = AbortSignal.abort();

/** Verifies the access tokens of an identity provider (RFC 9068, and RFC 8725 on what can go wrong). */
export class JwtVerifier {
  readonly keys: IssuerKeys;
  private readonly settings: IssuerSettings;
  private readonly checkScopes: ReturnType<typeof scopeCheck>;
  private verifying = 0;

  constructor(settings: IssuerSettings, logger: Logger, pace = PACE) {
    this.settings = settings;
    this.keys = new IssuerKeys(settings, logger, pace);
    this.checkScopes = scopeCheck([settings.scopes]);
  }

  /** @throws Refusal `tokenInvalid`, `scopeMissing`, `tokenUncheckable` */
  async verify(token: string) {
    if (this.verifying >= MAX_VERIFYING) throw uncheckable;
    this.verifying++;
    try {
      const { issuer, audience } = this.settings;
      let withdrawn = WITHDRAWN;
      let isNamed = true;
      const findKey: JWTVerifyGetKey = async (header) => {
        withdrawn = await this.keys.ensureKeyKnown(header);
        isNamed = this.keys.isNamed(header);
        return await this.keys.find(header);
      };
      const verify = () =>
        verifyByAny(token, findKey, {
          algorithms: ALGORITHMS,
          issuer,
          audience,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: CLOCK_SKEW_S,
        });
      const { payload, protectedHeader } = await verify().catch(async (error: unknown) => {
        // Without a kid, only this tells that the issuer may have another key now.
        if (isNamed || !isOfOtherKey(error)) throw error;
        await this.keys.fetchNow();
        if (!withdrawn.aborted) throw error;
        return await verify();
      });
      requireAccessToken(protectedHeader.typ, payload);
      const { sub: subject, exp = 0 } = payload;
      if (typeof subject !== 'string' || !SUBJECT.test(subject))
        throw invalidToken('sub must be 1 to 255 printable characters');
      const caller: Caller = { key: `subject ${subject}`, name: undefined, subject, scopes: scopesOf(payload) };
      this.checkScopes?.(caller);
      return { caller, expiresAt: (exp + CLOCK_SKEW_S) * 1000, withdrawn };
    } catch (error) {
      throw error instanceof Refusal ? error : invalidToken(reasonOf(error));
    } finally {
      this.verifying--;
    }
  }
}

function isOfOtherKey(error: unknown): boolean {
  return error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey;
}

/** Several keys may have the kid that a token names: each is tried until one has signed it. */
async function verifyByAny(token: string, findKey: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (++tried > MAX_ALIKE) break;
      try {
        return await jwtVerify(token, key, options);
      } catch (reason) {
        // This key has signed the token, and a claim is wrong.
        if (reason instanceof errors.JWTClaimValidationFailed || reason instanceof errors.JWTExpired) throw reason;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * Refuses the issuer's ID and logout tokens, which may name the same audience. The type of access tokens is `at+jwt`
 * (RFC 9068, section 2.1). Many providers send `JWT` or no type for all tokens, which then differ by their claims
 * (RFC 8725, section 3.12).
 */
function requireAccessToken(typ = 'JWT', payload: JWTPayload): void {
  if (/^(application\/)?at\+jwt$/i.test(typ)) return;
  if (!/^(application\/)?jwt$/i.test(typ)) throw invalidToken('typ is neither at+jwt nor JWT');
  const claim = CLAIMS_OF_OTHER_TOKENS.find((name) => name in payload);
  if (claim !== undefined) throw invalidToken(`the claim ${claim} shows that it is not an access token`);
}

/** RFC 8693 names the claim `scope`, some providers name it `scp`. */
function scopesOf({ scope, scp }: JWTPayload): Set<string> {
  const claims: unknown[] = [scope, scp].flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim));
  return new Set(claims.filter((each) => typeof each === 'string').filter((each) => each !== ''));
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return `${error.code} ${error.claim}`;
  return error instanceof errors.JOSEError ? error.code : `the key cannot be used: ${String(error)}`;
}
