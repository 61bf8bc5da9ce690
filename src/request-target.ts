import type { Request } from 'express';
import { ErrorNumber, Refusal } from './contract/errors.ts';

/** How much of a path is repeated, to clients and in the log, in characters. */
const LONGEST_PATH = 200;

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
  return originalUrl.slice(0, query < 0 ? LONGEST_PATH : Math.min(query, LONGEST_PATH)).toWellFormed();
}

/** RFC 9112, section 3.2. Node's own check is off, since what it answers has no body. */
export function requireHost({ headers: { host }, httpVersion }: Request): void {
  // Fields that repeat arrive joined by commas.
  if (httpVersion === '1.1' && (host === undefined || host.includes(',')))
    throw new Refusal(ErrorNumber.malformedMessage, 'the header Host must be sent, and only once');
}
