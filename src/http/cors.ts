import cors from 'cors';
import type { Request } from 'express';
import type { Contract } from '../contract/contract.ts';
import type { Context } from './context.ts';
import { send } from './reply.ts';

/** Header fields that every request may have; operations may declare more. */
const REQUEST_FIELDS = ['Authorization', 'Content-Type', 'Content-Encoding', 'X-Request-Id'];

/** For how long a browser may remember what it was allowed, in seconds. */
const MAX_AGE_S = 600;

/** The header fields of replies: name, value, name, value. */
interface Fields {
  readonly preflight: readonly string[] | undefined;
  readonly reply: readonly string[];
}

/**
 * Lets pages of other origins call the service, as the package `cors` has it. Without cookies: a page needs a token.
 * What the package says depends on the origin alone, and is asked once for each.
 */
export class Cors {
  /** By origin, spelt as browsers spell it. */
  private readonly allowed: ReadonlyMap<string | undefined, Fields>;
  private readonly otherwise: Fields;

  /** @param origins such as `https://app.example`, or `*` alone */
  constructor(origins: readonly string[], { operations }: Contract) {
    const any = origins.includes('*');
    const replies = operations.flatMap((operation) => [...operation.replies.values()]);
    const parameters = operations.flatMap((operation) => operation.parameters.filter((each) => each.in === 'header'));
    const middleware = cors({
      origin: any ? '*' : [...origins],
      // The contract itself is read by GET.
      methods: unique(['GET', 'HEAD', ...operations.map(({ method }) => method)]),
      allowedHeaders: unique([...REQUEST_FIELDS, ...parameters.map(({ name }) => name)]),
      exposedHeaders: unique(replies.flatMap(({ headers }) => headers)),
      maxAge: MAX_AGE_S,
      preflightContinue: true,
    });
    const fieldsOf = (method: string, origin: string) => {
      const fields = new Map<string, string>();
      const response = {
        getHeader: (name: string) => fields.get(name),
        setHeader: (name: string, value: string) => fields.set(name, value),
        end: () => undefined,
      };
      middleware({ method, headers: { origin } }, response, () => undefined);
      return [...fields].flat();
    };
    this.allowed = new Map(
      origins.map((origin) => [origin, { preflight: fieldsOf('OPTIONS', origin), reply: fieldsOf('GET', origin) }]),
    );
    this.otherwise = this.allowed.get('*') ?? { preflight: undefined, reply: ['Vary', 'Origin'] };
  }

  /** Has every reply to a request say whether its page may read it. */
  mark({ request, fields }: Context): void {
    fields.push(...this.fieldsFor(request).reply);
  }

  /**
   * Answers the question of a browser whether a page may send a request (Fetch standard, "CORS-preflight fetch"), on
   * whatever path: the page could not read a 404 otherwise. It has no token.
   *
   * @returns whether it was such a question
   */
  answerPreflight(context: Context): boolean {
    const { request } = context;
    const { method, headers } = request;
    const asks =
      method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    const fields = asks ? this.fieldsFor(request).preflight : undefined;
    if (fields === undefined) return false;
    context.fields.push(...fields);
    send(context, 204, {});
    return true;
  }

  private fieldsFor({ headers }: Request): Fields {
    return this.allowed.get(headers.origin) ?? this.otherwise;
  }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
