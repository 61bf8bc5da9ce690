import cors from 'cors';
import type { Contract } from 'trellis-contract';
import type { Context } from './context.ts';

const REQUEST_FIELDS = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'X-Request-Id',
  'Traceparent',
  'Tracestate',
  'Baggage',
];

/** How long a browser may cache the reply to a preflight request. */
const MAX_AGE_S = 600;

/**
 * @param origins such as `https://app.example`, or `*` alone
 * @param more names of request headers that pages may send beside those of the contract
 * @returns a function that sets the CORS headers of a reply, and returns whether the request is a preflight (Fetch
 *   standard, "CORS-preflight fetch"); a preflight of an unknown path counts too: else a page could not read the 404
 */
export function createCors(
  origins: readonly string[],
  { operations }: Contract,
  more: readonly string[] = [],
): (context: Context) => boolean {
  const any = origins.includes('*');
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  const parameters = operations.flatMap((operation) => operation.parameters.filter((each) => each.in === 'header'));
  const mark = cors({
    origin: any ? '*' : [...origins],
    methods: unique(['GET', 'HEAD', ...operations.map(({ method }) => method)]),
    allowedHeaders: unique([
      ...REQUEST_FIELDS,
      ...operations.flatMap(({ carriers }) => carriers),
      ...parameters.map(({ name }) => name),
      ...more,
    ]),
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
    // The package would treat every OPTIONS as a preflight.
    mark({ method: asks ? method : 'GET', headers }, context.response, () => undefined);
    return asks;
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
