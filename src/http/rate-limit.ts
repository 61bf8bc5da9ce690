import type { Response } from 'express';
import type { Options } from 'express-rate-limit';
import { MemoryStore } from 'express-rate-limit';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { addFields } from './send.ts';

/** How many requests each caller may send in a time that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Counts the requests of each caller, in this process alone: by the store of express-rate-limit, without its middleware,
 * which hashes the name of the caller for each request and takes it from Express's objects.
 *
 * @returns what counts a request, and has its reply say what is left, in the fields RateLimit and RateLimit-Policy
 *   (IETF draft "RateLimit header fields for HTTP", since its version 08); it throws Refusal `tooManyRequests`
 */
export function createRateLimit({ requests, windowMs }: RateLimit) {
  const store = new MemoryStore();
  // It reads no other option.
  store.init({ windowMs } as Options);
  const policy = `"caller"; q=${String(requests)}; w=${String(windowMs / 1000)}`;
  return (caller: string, response: Response): void => {
    // It has counted when it returns, and goes on counting in the object that it promises: other requests of the same
    // packet may be counted before a promise is heard of.
    void store.increment(caller);
    const counted = store.current.get(caller);
    if (counted === undefined) throw new Error('express-rate-limit does not count in `current`');
    const { totalHits, resetTime } = counted;
    const left = Math.max(requests - totalHits, 0);
    // Not 0 where the time ends just now: whoever waits for no time is refused again.
    const seconds = Math.max(1, Math.ceil((resetTime.getTime() - Date.now()) / 1000));
    addFields(response, ['RateLimit-Policy', policy, 'RateLimit', `"caller"; r=${String(left)}; t=${String(seconds)}`]);
    if (totalHits > requests)
      throw new Refusal(ErrorNumber.tooManyRequests, 'too many requests: try again after the seconds of Retry-After', {
        'Retry-After': String(seconds),
      });
  };
}
