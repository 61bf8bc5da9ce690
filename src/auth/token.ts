import { hash, randomBytes } from 'node:crypto';
import { SERVICE } from '../resource.ts';

/** Makes the tokens of this service recognisable, to people and to scanners for leaked secrets. */
const PREFIX = `${SERVICE.replaceAll('-', '')}_`;

/** The characters of a bearer token (RFC 6750, section 2.1: b64token). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The form of a JSON Web Token (RFC 7519), signed or not. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Makes an access token of 256 random bits. */
export function makeToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** The SHA-256 of a token, which the store keeps. Tokens have 256 random bits: they need no salt, no slow hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Whether a token has the form of a JSON Web Token. No token from makeToken has it. */
export function isJwt(token: string): boolean {
  return JWT.test(token);
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}
