import { asError, messageOf } from '../explained-error.ts';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import type { TellFailure } from '../contract/failures.ts';
import { StoreUnavailable, ValueRefused } from '../storage/store.ts';
import type { Context } from './context.ts';
import { sendRefusal } from './reply.ts';

/** Turns every failure into a reply and the members of its log line. Never throws: nothing could answer that error. */
export function answerFailure(error: unknown, context: Context, tellFailure: TellFailure): void {
  orDestroy(context, () => {
    // After this turn of the event loop, Node has read the rest of the packet: if it holds the whole body, the connection
    // can be used again.
    const tooMany = error === overloaded || (error instanceof Refusal && error.number === ErrorNumber.tooManyRequests);
    if (tooMany && !context.request.complete) setImmediate(orDestroy, context, () => tell(error, context, tellFailure));
    else tell(error, context, tellFailure);
  });
}

function orDestroy(context: Context, work: () => void): void {
  try {
    work();
  } catch (failure) {
    context.failure ??= failure;
    context.response.destroy();
  }
}

function tell(error: unknown, context: Context, tellFailure: TellFailure): void {
  const { request, response } = context;
  // The operation stopped because its client went away, which is no failure.
  if (context.departed && Error.isError(error) && error.name === 'AbortError') {
    response.destroy();
    return;
  }
  const refusal = toRefusal(error, context.requestId);
  context.error = refusal.number;
  context.reason = refusal.reason;
  // A Refusal that was thrown needs no stack in the log.
  if (refusal.status >= 500 && refusal !== error) context.failure = asError(error);
  if (response.headersSent || !request.socket.writable) response.destroy();
  else sendRefusal(context, refusal, tellFailure);
}

function toRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailable)
    return new Refusal(ErrorNumber.storeUnavailable, `the store is not available: try again; request id ${requestId}`, {
      'Retry-After': '1',
    });
  if (error instanceof ValueRefused) return new Refusal(ErrorNumber.contractBroken, messageOf(error));
  // Express throws this for a path that it cannot decode.
  if (error instanceof URIError)
    return new Refusal(ErrorNumber.malformedMessage, 'the path is not percent-encoded UTF-8');
  return new Refusal(
    ErrorNumber.serviceFailed,
    `the service failed; its log has the cause under request id ${requestId}`,
  );
}
