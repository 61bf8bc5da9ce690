import type { RequestHandler } from 'express';
import { ErrorNumber, Refusal } from './contract/errors.ts';

/**
 * The path and query of a request target (RFC 9112, section 3.2). What has none, such as `*` or `x://y`, or what no
 * client may send (a fragment), becomes a path that does not exist: Express answers by itself where it finds no path.
 */
export function originForm(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  return url?.hash === '' ? url.pathname + url.search : `//${target.replaceAll('#', '%23')}`;
}

/** RFC 9112, section 3.2. Node's own check is off, since what it answers has no body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  // Fields that repeat arrive joined by commas.
  if (request.httpVersion === '1.1' && (host === undefined || host.includes(','))) {
    throw new Refusal(ErrorNumber.malformedMessage, 'the header Host must be sent, and only once');
  }
  next();
};
