import { ErrorNumber, Refusal } from './errors.ts';

/** Who calls, as far as a request has shown it. */
export interface Caller {
  /** Unique per caller, such as `token my-app`. Rate limits and the ledger use it as their key. */
  readonly key: string;
  /** The name of the access token in the store, or `TOKEN_FILE`; undefined for a token of an identity provider. */
  readonly name: string | undefined;
  /** The subject (`sub`) of the access token, if an identity provider gave it out. */
  readonly subject: string | undefined;
  /** The scopes of the access token. */
  readonly scopes: ReadonlySet<string>;
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** How many characters the challenge of a 403 has room for. */
const MAX_SCOPE_CHARACTERS = 900;

/** Whether texts are scopes (RFC 6749, section 3.3), which the challenge of a 403 can name all together. */
export function areScopes(texts: readonly string[]): boolean {
  return texts.every((text) => SCOPE.test(text)) && texts.join(' ').length <= MAX_SCOPE_CHARACTERS;
}

/** What is wrong where `areScopes` is false. */
export const NO_SCOPES =
  'a scope must be printable ASCII without spaces, " and \\, ' +
  `and all of them ${MAX_SCOPE_CHARACTERS} characters at most`;

/**
 * Makes the check that a caller has all scopes of one of the alternatives; undefined: each caller has. It throws a
 * Refusal, `scopeMissing`, which names the scopes of the first alternative (RFC 6750, section 3.1).
 */
export function scopeCheck(alternatives: readonly (readonly string[])[]): ((caller: Caller) => void) | undefined {
  const [first] = alternatives;
  if (first === undefined || alternatives.some((scopes) => scopes.length === 0)) return undefined;
  const scope = first.join(' ');
  const message = `the access token must have the scope ${scope}`;
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  return ({ key, scopes: held }) => {
    if (alternatives.some((scopes) => scopes.every((each) => held.has(each)))) return;
    throw new Refusal(ErrorNumber.scopeMissing, message, headers, `the ${key} lacks scope`);
  };
}
