import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Caller, scopeCheck } from '../contract/caller.ts';
import type { Contract, ContractOperation, ReplyData, RequestData } from '../contract/contract.ts';
import { ContractError, ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import { isErrorBody, tellFailure, type TellFailure } from '../contract/failures.ts';
import type { AnyService, Handler, Shared, Tools } from '../service.ts';
import { type Context, toolsWith } from './context.ts';
import { answerFailure } from './errors.ts';
import { asOperation } from './stray.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { sendReply } from './reply.ts';
import { readRequest } from './body.ts';

/**
 * A caller whose body takes longer to arrive is authenticated again. The sum of this time and CACHED_MS of
 * auth/authenticator.ts must not exceed 1 s, because a revoked token must stop working within 1 s.
 */
const REAUTHENTICATE_AFTER_MS = 100;

export interface RouterOptions {
  readonly contract: Contract;
  /** The key is the operationId. */
  readonly operations: AnyService['operations'];
  readonly shared: Shared;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly rateLimit?: RateLimit | undefined;
  /** By default without an `errorBody` of the service. */
  readonly tell?: TellFailure | undefined;
  /** The path of BASE_URL: '' or such as `/api`. */
  readonly basePath: string;
}

/** Escapes the characters that have a meaning in a path of Express. */
export function literalPath(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
}

/** `/items/{id}` in Express's notation: `/items/:"id"`. */
function templatePath(template: string): string {
  const parts = template.split(/\{([^}]+)\}/);
  return parts.map((part, index) => (index % 2 === 1 ? `:${JSON.stringify(part)}` : literalPath(part))).join('');
}

/**
 * Adds the operations to a router that is strict and case-sensitive. A request passes these checks in this order: path
 * and method (404, 405), security (401, 403), small chunks (503), rate limit (429), contract (400), operations under
 * way (503).
 */
export function routeOperations(router: IRouter, options: RouterOptions): void {
  const { contract, operations } = options;
  const RequestTools = toolsWith(options.shared);
  const count = options.rateLimit && createRateLimit(options.rateLimit);
  const undeclared = Object.keys(operations).filter((id) => !contract.operations.some((each) => each.id === id));
  if (undeclared.length > 0) throw outOfStep(`does not declare ${undeclared.join(', ')}, which the service has`);

  const basePath = options.basePath + contract.basePath;
  for (const [path, declared] of Map.groupBy(contract.operations, (each) => each.path)) {
    const route = router.route(literalPath(basePath) + templatePath(path));
    for (const operation of declared) {
      const method = operation.method.toLowerCase() as 'get';
      route[method](operationHandler(operation, { ...options, basePath }, RequestTools, count));
    }
    // Express answers HEAD by the route of GET.
    const methods = declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allowed = [...new Set(methods)].join(', ');
    route.all(onlyAllow(allowed));
  }
}

export function onlyAllow(methods: string): RequestHandler {
  return ({ method }) => {
    const message = `the method ${method} is not allowed here: use ${methods}`;
    throw new Refusal(ErrorNumber.methodNotAllowed, message, { Allow: methods });
  };
}

function operationHandler(
  operation: ContractOperation,
  { operations, authenticator, basePath, tell = tellFailure }: RouterOptions,
  RequestTools: new (context: Context) => Tools,
  count: ReturnType<typeof createRateLimit> | undefined,
): (request: Request, response: Response) => Promise<void> {
  // The type Service has checked the operation with the types of its own request and tables, which are not known here.
  const handler = operations[operation.id] as Handler | undefined;
  if (handler === undefined) {
    throw outOfStep(`declares ${operation.id}, which the service does not have`);
  }
  const { anonymous } = operation;
  const isPublic = operation.security.length === 0;
  const checkScopes = scopeCheck(operation.security);
  const identify = (context: Context, caller: Caller) => {
    context.caller = caller;
    checkScopes?.(caller);
  };
  // `answer` stands outside the async function `operate`: Node keeps all variables of an async function in memory for
  // each request under way.
  const answer = (context: Context, reply: ReplyData) => {
    if (reply.status >= 400 && isErrorBody(reply.body)) context.error = reply.body.error;
    sendReply(context, reply, operation);
  };
  const call = asOperation(operation.id, handler);
  const operate = async (context: Context, request: RequestData | Promise<RequestData>) => {
    try {
      const data = request instanceof Promise ? await request : request;
      if (context.caller !== undefined && performance.now() - context.startedAt > REAUTHENTICATE_AFTER_MS) {
        identify(context, await authenticator.authenticate(context.request.headers.authorization));
      }
      if (!context.ledger.takeSlots(context)) throw overloaded;
      let reply;
      try {
        reply = await call(data, new RequestTools(context));
      } finally {
        context.ledger.releaseSlots(context);
      }
      answer(context, reply);
    } catch (error) {
      // Express would take the strings `route` and `router`, which an operation may throw, for its own.
      answerFailure(error, context, tell);
    }
  };
  const admit = (context: Context, caller: Caller) => {
    identify(context, caller);
    // The key is the caller's now; before, it was the client's address.
    context.ledger.refuseSmallChunks(context);
    count?.(context);
    return operate(context, readRequest(context, operation, basePath));
  };
  // Not async: Node parses nothing more of a request whose refusal is thrown at once.
  return (_request, { context }) => {
    context.operation = operation;
    context.body?.limitTo(operation.body?.maxBytes ?? 0);
    const { authorization } = context.request.headers;
    if (isPublic || (anonymous && authorization === undefined)) {
      context.ledger.refuseSmallChunks(context);
      return operate(context, readRequest(context, operation, basePath));
    }
    const caller = authenticator.authenticate(authorization);
    if (!(caller instanceof Promise)) return admit(context, caller);
    // If the next line throws, this promise has no other handler, and its rejection would end the process.
    caller.catch(() => undefined);
    context.ledger.refuseSmallChunks(context);
    return caller.then((known) => admit(context, known));
  };
}

function outOfStep(what: string): ContractError {
  return new ContractError(`the contract ${what}: run \`npm run generate\`, then \`npm run check\``);
}
