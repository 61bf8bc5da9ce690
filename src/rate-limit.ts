import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import { addFields } from './contract/send.ts';

/** How many requests each caller may send in a time that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** The name of the policy in the fields RateLimit and RateLimit-Policy. */
const POLICY = 'caller';

/** A request, as far as the middleware looks at it. */
interface Counted {
  readonly caller: string;
}

/**
 * Counts the requests of each caller, in this process alone, by express-rate-limit. It is called with light objects
 * instead of Express's: it would work out the address of the client for each request, which nothing here is counted by,
 * and set header fields one by one.
 *
 * @returns what counts a request, and has its reply say what is left; it throws Refusal `tooManyRequests`
 */
export function createRateLimit({ requests, windowMs }: RateLimit) {
  const middleware = rateLimit({
    limit: requests,
    windowMs,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: POLICY,
    keyGenerator: (request) => (request as unknown as Counted).caller,
    handler: (_request, _response, next) => {
      next(new Refusal(ErrorNumber.tooManyRequests, 'too many requests: try again after the seconds of Retry-After'));
    },
    // These are for whoever counts by address, and for Express's objects.
    validate: false,
  });
  return async (caller: string, response: Response): Promise<void> => {
    const fields: string[] = [];
    const add = (name: string, value: string) => fields.push(name, value);
    const reply: unknown = { headersSent: false, append: add, setHeader: add };
    const request: unknown = { caller } satisfies Counted;
    const outcome: { error?: Error } = {};
    await middleware(request as Request, reply as Response, (error?: unknown) => {
      if (error !== undefined) outcome.error = error as Error;
    });
    addFields(response, fields);
    if (outcome.error !== undefined) throw outcome.error;
  };
}
