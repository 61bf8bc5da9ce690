import { hash, randomBytes } from 'node:crypto';

/** The prefix of the tokens of `book-store` is `bookstore_`: people and scanners for leaked secrets know them by it. */
export function tokenPrefix(service: string): string {
  return `${service.replaceAll('-', '')}_`;
}

/** @param service its name */
export function makeToken(service: string): string {
  return tokenPrefix(service) + randomBytes(32).toString('base64url');
}

/** A plain SHA-256 is enough: tokens of 256 random bits need neither a salt nor a slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Whether the token has the form of a JSON Web Token (RFC 7519), signed or not, as no token of makeToken() has. */
export function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** Whether the text has the characters of a bearer token (RFC 6750, section 2.1: b64token). */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(text);
}
