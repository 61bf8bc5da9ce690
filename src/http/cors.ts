import cors from 'cors';
import type { Contract } from '../contract/contract.ts';
import type { Context } from './context.ts';

/** Header fields that every request may have; operations may declare more. */
const REQUEST_FIELDS = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'X-Request-Id',
  'Traceparent',
  'Tracestate',
];

/** For how long a browser may remember what it was allowed, in seconds. */
const MAX_AGE_S = 600;

/**
 * Lets pages of other origins call the service, by the package `cors`. Without cookies: a page needs a token.
 *
 * @param origins such as `https://app.example`, or `*` alone
 * @returns what marks the reply to a request, and whether the request is the question of a browser that asks before it
 *   sends (Fetch standard, "CORS-preflight fetch"): on any path, since its page could not read a 404
 */
export function createCors(origins: readonly string[], { operations }: Contract): (context: Context) => boolean {
  const any = origins.includes('*');
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  const parameters = operations.flatMap((operation) => operation.parameters.filter((each) => each.in === 'header'));
  const mark = cors({
    origin: any ? '*' : [...origins],
    // The contract itself is read by GET.
    methods: unique(['GET', 'HEAD', ...operations.map(({ method }) => method)]),
    allowedHeaders: unique([...REQUEST_FIELDS, ...parameters.map(({ name }) => name)]),
    exposedHeaders: unique(replies.flatMap(({ headers }) => Object.keys(headers))),
    maxAge: MAX_AGE_S,
    preflightContinue: true,
  });
  return (context) => {
    const { method, headers } = context.request;
    const { origin } = headers;
    if (!any && (origin === undefined || !origins.includes(origin))) {
      context.response.vary('Origin');
      return false;
    }
    const asks = method === 'OPTIONS' && origin !== undefined && 'access-control-request-method' in headers;
    // The package takes any OPTIONS for such a question.
    mark({ method: asks ? method : 'GET', headers }, context.response, () => undefined);
    return asks;
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
