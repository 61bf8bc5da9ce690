import { hash, randomBytes } from 'node:crypto';

/** The characters of a bearer token (RFC 6750, section 2.1: b64token). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The form of a JSON Web Token (RFC 7519), signed or not. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * @param service its name, by which people and scanners for leaked secrets recognise the token: that of `book-store`
 *   begins with `bookstore_`
 */
export function makeToken(service: string): string {
  return `${service.replaceAll('-', '')}_` + randomBytes(32).toString('base64url');
}

/** A plain SHA-256 is enough: tokens of 256 random bits need neither a salt nor a slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** No token of makeToken() has this form. */
export function isJwt(token: string): boolean {
  return JWT.test(token);
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}
