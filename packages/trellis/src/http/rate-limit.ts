import { ErrorNumber, Refusal } from 'trellis-contract/ground';
import type { Context } from './context.ts';

/** The window of a caller begins with its first request. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Limits the requests of each caller to this process. Replies have the header fields RateLimit and RateLimit-Policy
 * (IETF draft "RateLimit header fields for HTTP", from version 08 on). The returned function throws a Refusal.
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
    if (count === undefined || count.endsAt <= now) {
      count = { hits: 0, endsAt: now + windowMs };
      counts.set(key, count);
    }
    count.hits++;
    const left = Math.max(requests - count.hits, 0);
    // 1e-3 absorbs the rounding error of `now + windowMs`, by which 60 seconds could become 61.
    const seconds = Math.max(1, Math.ceil((count.endsAt - now - 1e-3) / 1000));
    fields.push('RateLimit-Policy', policy, 'RateLimit', `"caller"; r=${left}; t=${seconds}`);
    if (count.hits > requests)
      throw new Refusal(
        ErrorNumber.tooManyRequests,
        `too many requests: try again in ${seconds} second${seconds === 1 ? '' : 's'}`,
        { 'Retry-After': String(seconds) },
      );
  };
}
