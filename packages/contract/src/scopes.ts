/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** All scopes must fit into the header WWW-Authenticate of a 403. */
const MAX_SCOPE_CHARACTERS = 900;

export function areScopes(texts: readonly string[]): boolean {
  return texts.every((text) => SCOPE.test(text)) && texts.join(' ').length <= MAX_SCOPE_CHARACTERS;
}

export const NO_SCOPES =
  'a scope must be printable ASCII without spaces, " and \\, ' +
  `and all scopes together must have at most ${MAX_SCOPE_CHARACTERS} characters`;
