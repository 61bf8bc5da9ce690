import { ErrorNumber, Refusal } from '../contract/errors.ts';
import type { Context } from './context.ts';

/** How many requests each caller may send in a time that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Counts the requests of each caller, in this process alone, by a clock that cannot be set back.
 *
 * @returns what counts a request, and has its reply say what is left, in the fields RateLimit and RateLimit-Policy
 *   (IETF draft "RateLimit header fields for HTTP", since its version 08); it throws Refusal `tooManyRequests`
 */
export function createRateLimit({ requests, windowMs }: RateLimit) {
  const counts = new Map<string, { hits: number; readonly endsAt: number }>();
  let cleanAt = 0;
  const policy = `"caller"; q=${requests}; w=${windowMs / 1000}`;
  return ({ key, fields }: Context): void => {
    const now = performance.now();
    if (now >= cleanAt) {
      for (const [other, { endsAt }] of counts) if (endsAt <= now) counts.delete(other);
      cleanAt = now + windowMs;
    }
    let count = counts.get(key);
    if (count === undefined || count.endsAt <= now) counts.set(key, (count = { hits: 0, endsAt: now + windowMs }));
    count.hits++;
    const left = Math.max(requests - count.hits, 0);
    // Less a trifle, by which the sum of two fractions can lie above what was added.
    const seconds = Math.max(1, Math.ceil((count.endsAt - now - 1e-3) / 1000));
    fields.push('RateLimit-Policy', policy, 'RateLimit', `"caller"; r=${left}; t=${seconds}`);
    if (count.hits > requests)
      throw new Refusal(ErrorNumber.tooManyRequests, 'too many requests: try again after the seconds of Retry-After', {
        'Retry-After': String(seconds),
      });
  };
}
