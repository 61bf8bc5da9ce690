import type { Request } from 'express';
import { ErrorNumber, Refusal } from 'trellis-contract/ground';
import { normalized, type SentRequest } from 'trellis-contract';

/** Paths are cut to this length in messages and in the log. */
const MAX_PATH_LENGTH = 200;

/**
 * Leaves path and query of the request target (RFC 9112, section 3.2) in `url`, the whole target in `originalUrl`. All
 * equivalent paths are one from here on, for the router and for the reader of parameters.
 * Express would itself answer a target without a path (`*`, `x://y`): here it becomes a path that does not exist.
 */
export function takeOriginForm(request: Request): void {
  const { url: target } = request;
  request.originalUrl = target;
  if (!target.startsWith('/') || target.includes('#')) request.url = originForm(target);
  if (target.includes('%')) request.url = request.url.replace(/^[^?]+/, normalized);
}

function originForm(target: string): string {
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  const rest = authority === undefined || target.includes('#') ? '//' : target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The parts of a request that its parameters are read from. */
export function sentIn({ url, headers }: Request, basePath: string): SentRequest {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  return { path: url.slice(basePath.length, end), query: url.slice(end + 1), headers };
}

/** The path as it was sent, without its query, and without a user and a password before the host. */
export function sentPath({ originalUrl }: Request): string {
  const target = originalUrl.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
  const query = target.indexOf('?');
  return target.slice(0, query < 0 ? MAX_PATH_LENGTH : Math.min(query, MAX_PATH_LENGTH)).toWellFormed();
}

/** A comma is not allowed: Node joins two Host fields with a comma. */
const HOST = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

/** Refuses what RFC 9112 forbids (sections 2.3, 3.2 and 6.1) and Node accepts. */
export function requireHttp({ headers, httpVersion }: Request): void {
  const { host, 'transfer-encoding': coding } = headers;
  if (httpVersion === '1.1') {
    if (host === undefined || !HOST.test(host)) throw malformed('the header Host must be sent once, and name a host');
  } else if (httpVersion !== '1.0') {
    throw otherVersion;
  } else if (coding !== undefined) {
    throw malformed('HTTP/1.0 has no header Transfer-Encoding: send Content-Length');
  }
  // Node itself refuses a message whose last coding is not chunked, as it has no end.
  if (coding !== undefined && /,\s*chunked\s*$/i.test(coding))
    throw new Refusal(ErrorNumber.codingUnknown, 'the only transfer coding is chunked: send Content-Encoding: gzip');
}

/** Node's parser refuses any version but 0.9, 1.0, 1.1 and 2.0, also a higher 1.x, which RFC 9110 (2.5) would allow. */
export const otherVersion = new Refusal(ErrorNumber.versionUnsupported, 'the version of HTTP must be 1.1 or 1.0');

function malformed(message: string): Refusal {
  return new Refusal(ErrorNumber.malformedMessage, message);
}
