import { hash, randomBytes } from 'node:crypto';

/** By which people and scanners for leaked secrets recognise a service's token: that of `book-store` begins with `bookstore_`. */
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

/** Whether it has the form of a JSON Web Token (RFC 7519), signed or not. No token of makeToken() has it. */
export function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** Whether it has the characters of a bearer token (RFC 6750, section 2.1: b64token). */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(text);
}
