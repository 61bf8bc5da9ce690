import type { IRouter, Request, Response } from 'express';
import { type Caller, scopeCheck } from '../contract/caller.ts';
import type { Contract, ContractOperation, RequestData } from '../contract/contract.ts';
import { ContractError, ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import { type Body, validateRequest } from '../contract/request.ts';
import type { ErrorBody } from '../contract/types.ts';
import type { Services, Tools } from '../operations/services.ts';
import { MAX } from './bounds.ts';
import type { Context } from './context.ts';
import { type ReplyData, sendReply } from './reply.ts';
import { readBody } from './body.ts';
import { toolsWith } from './tools.ts';

/**
 * How long after the head of a request came its caller is authenticated once more before the operation begins, in
 * milliseconds: a token may be revoked while a body is on its way. The sum with CACHED_MS of auth/authenticator.ts is the
 * second that README promises.
 */
const REAUTHENTICATE_AFTER_MS = 100;

/**
 * An operation whose types are forgotten: the compiler has held it to the contract (types.ts), and the validator holds
 * what it is called with to the same contract. Written as a method, since the compiler lets those narrow their request.
 */
interface Untyped {
  operation(request: RequestData, tools: Tools): Promise<ReplyData>;
}
export type Handler = Untyped['operation'];

export interface RouterOptions {
  readonly contract: Contract;
  /** By operationId; `operations` of operations/index.ts. */
  readonly operations: Readonly<Record<string, Handler>>;
  readonly services: Services;
  /** Who calls, by the header Authorization. @throws Refusal */
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>;
  /** Counts a request of a caller; undefined: there is no limit. @throws Refusal if there are too many */
  readonly count?: ((context: Context) => void) | undefined;
  /** The path of the service's public address: '' or such as `/api`. */
  readonly basePath: string;
}

/** A path as Express takes it to the letter: what it would read as more than that is escaped. */
export function literalPath(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
}

/** A path template of the contract as Express's: `/items/{id}` as `/items/:"id"`. */
function templatePath(template: string): string {
  const parts = template.split(/\{([^}]+)\}/);
  return parts.map((part, index) => (index % 2 === 1 ? `:${JSON.stringify(part)}` : literalPath(part))).join('');
}

/**
 * Adds the operations of the contract as routes, to a router that is strict and case-sensitive. The
 * first of these that a request fails answers it: path and method (404, 405), security (401, 403), the chunks and the
 * limit of its caller (503, 429), the contract (400), room for the operation (503).
 *
 * @throws ContractError if the operations are not those of the contract
 */
export function routeOperations(router: IRouter, options: RouterOptions): void {
  const { contract, operations } = options;
  const RequestTools = toolsWith(options.services);
  const undeclared = Object.keys(operations).filter((id) => !contract.operations.some((each) => each.id === id));
  if (undeclared.length > 0) throw outOfStep(`does not have the operation ${undeclared.join(', ')} of src/operations`);

  // Paths without parameters first: `/items/newest` is not `/items/{id}`. Of the others the first that matches is taken.
  const paths = Map.groupBy(contract.operations, ({ path }) => path);
  const basePath = options.basePath + contract.basePath;
  const ordered = [...paths].sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
  for (const [path, declared] of ordered) {
    const route = router.route(literalPath(basePath) + templatePath(path));
    for (const operation of declared) {
      // A method's name in small letters is that of Express's function for it.
      const method = operation.method.toLowerCase() as 'get';
      route[method](operationHandler(operation, { ...options, basePath }, RequestTools));
    }
    // Express answers HEAD where there is GET.
    const methods = declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allowed = [...new Set(methods)].join(', ');
    route.all((request) => {
      throw new Refusal(ErrorNumber.methodNotAllowed, `${request.method} is not allowed here; allowed: ${allowed}`, {
        Allow: allowed,
      });
    });
  }
}

function operationHandler(
  operation: ContractOperation,
  { operations, authenticate, count, basePath }: RouterOptions,
  RequestTools: new (context: Context) => Tools,
): (request: Request, response: Response) => Promise<void> {
  const handler = operations[operation.id];
  if (handler === undefined) {
    throw outOfStep(`has the operation ${operation.id}, which src/operations/index.ts does not have`);
  }
  const isPublic = operation.security.length === 0;
  const checkScopes = scopeCheck(operation.security);
  const identify = (context: Context, caller: Caller) => {
    context.setCaller(caller);
    checkScopes?.(caller);
  };
  // Not within `operate`: V8 keeps room for all that an async function has, for each request that is under way.
  const answer = (context: Context, reply: ReplyData) => {
    if (reply.status >= 400 && isError(reply.body)) context.error = reply.body.error;
    sendReply(context, reply, operation);
  };
  const operate = async (context: Context, request: RequestData | Promise<RequestData>) => {
    const data = request instanceof Promise ? await request : request;
    if (!isPublic && performance.now() - context.startedAt > REAUTHENTICATE_AFTER_MS) {
      identify(context, await authenticate(context.request.headers.authorization));
    }
    if (!context.ledger.takeSlots(context)) throw overloaded;
    let reply;
    try {
      reply = await handler(data, new RequestTools(context));
    } finally {
      context.ledger.releaseSlots(context);
    }
    answer(context, reply);
  };
  const admit = (context: Context, caller: Caller) => {
    identify(context, caller);
    // Once more: the ledger knows the caller by another key now than the client's address.
    context.ledger.refuseSmallChunks(context);
    count?.(context);
    return operate(context, readRequest(context, operation, basePath));
  };
  // What can be refused at once is thrown at once: nothing more of it is parsed then.
  return (_request, { context }) => {
    context.operation = operation;
    context.body?.limitTo(operation.body?.maxBytes ?? MAX.bodyBytes);
    if (isPublic) {
      context.ledger.refuseSmallChunks(context);
      return operate(context, readRequest(context, operation, basePath));
    }
    const caller = authenticate(context.request.headers.authorization);
    if (!(caller instanceof Promise)) return admit(context, caller);
    // If the line below throws, nothing waits for the caller any more: a rejection must not end the process then.
    caller.catch(() => undefined);
    context.ledger.refuseSmallChunks(context);
    return caller.then((known) => admit(context, known));
  };
}

/**
 * Reads a request and holds it to the contract.
 *
 * @throws Refusal at once, or later by the promise, if it cannot be read, or breaks the contract
 */
function readRequest(
  context: Context,
  operation: ContractOperation,
  basePath: string,
): RequestData | Promise<RequestData> {
  const { url, headers } = context.request;
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  const head = { path: url.slice(basePath.length, end), query: url.slice(end + 1), headers };
  const reading = operation.body && readBody(context, context.body, operation.body);
  const validated = (sent: Body | undefined) => validateRequest(head, sent, operation);
  return reading === undefined ? validated(undefined) : reading.then(validated);
}

/** Whether a body has the shape that the contract gives every failure. */
function isError(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'number';
}

function outOfStep(what: string): ContractError {
  return new ContractError(`openapi.yaml ${what}: run \`npm run generate\`, then \`npm run check\``);
}
