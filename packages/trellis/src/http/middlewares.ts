import type { RequestHandler } from 'express';
import type { Authenticator } from '../auth/authenticator.ts';
import {
  type ContractOperation,
  type MessageBody,
  type ReadRequest,
  readValues,
  type ReplyData,
  returnedFor,
  type TellFailure,
  toldIn,
} from 'trellis-contract';
import { type Caller, credentialsIn, scopeCheck, tokenMissing } from '../auth/caller.ts';
import { overloaded } from 'trellis-contract/ground';
import type { Handler, Tools } from '../service.ts';
import { readBody } from './body.ts';
import type { Context } from './context.ts';
import { answerFailure } from './errors.ts';
import type { createRateLimit } from './rate-limit.ts';
import { replyValidator, requestValidator } from './openapi-validator.ts';
import { send } from './reply.ts';
import { sentIn } from './request-target.ts';
import { asOperation } from './running-operation.ts';
import { type Stage, Way } from './stage.ts';

/**
 * A caller whose body takes longer than this to arrive is authenticated again. The sum of this time and CACHED_MS of
 * auth/authenticator.ts must not exceed 1 s, because a revoked token must stop working within 1 s.
 */
const REAUTHENTICATE_AFTER_MS = 100;

interface MiddlewareOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly countRequest: ReturnType<typeof createRateLimit> | undefined;
  readonly RequestTools: new (context: Context) => Tools;
  readonly tell: TellFailure;
  /** Stands before the path of the operation. */
  readonly basePath: string;
}

/**
 * The middlewares of Express that a request for an operation passes, in their order. They take less than 1 % of the time of
 * a create: 0.2 µs more than one function that does the same.
 */
export function middlewaresOf(
  operation: ContractOperation,
  handler: Handler,
  options: MiddlewareOptions,
): RequestHandler[] {
  const { authenticator, countRequest, RequestTools, tell, basePath } = options;
  const checkScopes = scopeCheck(operation.security);
  const readCredentials = credentialsIn(operation.carriers);
  const call = asOperation(operation.id, handler);
  const way = new Way<undefined>()
    .next(checkSecurity)
    .next(checkLimit)
    .next(receiveBody)
    .next(readRequest)
    .next(requestValidator(operation))
    .next(checkSecurityAgain)
    .next(operate)
    .next(replyValidator(operation))
    .next(sendReply);
  return way.stages.map((stage) => middleware(stage, tell));

  function checkSecurity(context: Context) {
    const { anonymous, security, body } = operation;
    context.operation = operation;
    context.body?.limitTo(body?.maxBytes ?? 0);
    if (security.length === 0) return;
    const credentials = readCredentials(context.request.headers);
    if (anonymous && credentials === undefined) return;
    const identified = identify(context, credentials);
    // If the next line throws, this promise has no other handler, and its rejection would end the process.
    identified?.catch(() => undefined);
    if (identified !== undefined) context.ledger.refuseSmallChunks(context);
    return identified;
  }

  function checkLimit(context: Context) {
    // The key is the caller's now; before, it was the client's address.
    context.ledger.refuseSmallChunks(context);
    if (context.caller !== undefined) countRequest?.(context);
  }

  function receiveBody(context: Context) {
    return readBody(context, operation.body);
  }

  function readRequest(context: Context, body: MessageBody | undefined) {
    return readValues(sentIn(context.request, basePath), body, operation);
  }

  function checkSecurityAgain(context: Context, read: ReadRequest): Promise<ReadRequest> | ReadRequest {
    const { caller, startedAt } = context;
    if (caller === undefined || performance.now() - startedAt <= REAUTHENTICATE_AFTER_MS) return read;
    return identifyAgain(context, read);
  }

  /** The ledger has let go of the body, which stays in memory until the store knows whether the token is still valid. */
  async function identifyAgain(context: Context, read: ReadRequest): Promise<ReadRequest> {
    const { ledger, key, slots } = context;
    if (!ledger.takeSlots({ key, slots })) throw overloaded;
    try {
      await identify(context, readCredentials(context.request.headers));
      return read;
    } finally {
      ledger.releaseSlots({ key, slots });
    }
  }

  async function operate(context: Context, { request }: ReadRequest) {
    const { ledger } = context;
    if (!ledger.takeSlots(context)) throw overloaded;
    try {
      return await call(context, request, new RequestTools(context));
    } finally {
      ledger.releaseSlots(context);
    }
  }

  function sendReply(context: Context, { status, headers = {}, body }: ReplyData) {
    if (status >= 400) context.error = toldIn(body).error;
    const { mediaType, content } = returnedFor(operation.replies, status) ?? {};
    if (content?.isRun === true) context.fields.push('Content-Security-Policy', 'sandbox');
    send(context, status, headers, mediaType, body === undefined ? undefined : content?.write(body));
    context.forget();
  }

  function identify(context: Context, credentials: string | undefined): Promise<void> | void {
    if (credentials === undefined) throw tokenMissing(operation.carriers);
    const caller = authenticator.authenticate(credentials);
    if (caller instanceof Promise) return caller.then((found) => admit(context, found));
    admit(context, caller);
  }

  function admit(context: Context, caller: Caller) {
    context.caller = caller;
    checkScopes?.(caller);
  }
}

/** Passes no errors to Express: to it, `undefined`, `'route'` and `'router'`, which operations may throw, are none. */
function middleware(stage: Stage<unknown, unknown>, tell: TellFailure): RequestHandler {
  const fail = (error: unknown, context: Context) => {
    context.forget();
    answerFailure(error, context, tell);
  };
  return (_request, { context }, next) => {
    try {
      const made = stage(context, context.handed);
      if (made instanceof Promise)
        made.then(
          (later) => {
            context.handed = later;
            next();
          },
          (error: unknown) => fail(error, context),
        );
      else {
        context.handed = made;
        if (!context.response.headersSent) next();
      }
    } catch (error) {
      fail(error, context);
    }
  };
}
