import type { Request } from 'express';
import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** How much of a path is repeated, to clients and in the log, in characters. */
const MAX_PATH_LENGTH = 200;

/**
 * Gives Express the path and query of the request target (RFC 9112, section 3.2) alone. A target without a path, such
 * as `*` or `x://y`, and one that no client may send (a fragment), becomes a path that does not exist: Express would
 * answer by itself where it finds none. `originalUrl` keeps what was sent.
 */
export function takeOriginForm(request: Request): void {
  const { url: target } = request;
  request.originalUrl = target;
  if (target.startsWith('/') && !target.includes('#')) return;
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  const rest = authority === undefined || target.includes('#') ? '//' : target.slice(authority.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path as it was sent, without its query. */
export function sentPath({ originalUrl }: Request): string {
  const query = originalUrl.indexOf('?');
  return originalUrl.slice(0, query < 0 ? MAX_PATH_LENGTH : Math.min(query, MAX_PATH_LENGTH)).toWellFormed();
}

/** One host, not a list: fields that repeat arrive joined by commas. */
const HOST = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/;

/**
 * What RFC 9112 asks to be refused (sections 2.3, 3.2 and 6.1), and Node takes: it reads versions from 0.9 to 2.0 by the
 * same rules. Its own check of the host is off, since what it answers has no body.
 */
export function requireHttp({ headers, httpVersion }: Request): void {
  const { host } = headers;
  if (httpVersion === '1.1') {
    if (host === undefined || !HOST.test(host)) throw malformed('the header Host must be sent once, with a host');
  } else if (httpVersion !== '1.0') {
    throw malformed('the version must be HTTP/1.1 or HTTP/1.0');
  } else if (headers['transfer-encoding'] !== undefined) {
    throw malformed('HTTP/1.0 has no Transfer-Encoding');
  }
}

function malformed(message: string): Refusal {
  return new Refusal(ErrorNumber.malformedMessage, message);
}
