import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';
import { StoreUnavailable } from '../storage/store.ts';
import type { Context } from './context.ts';
import { sendRefusal } from './reply.ts';

/**
 * The one place where a failure of any origin becomes what the client and what the log are told. A body
 * that is still to come is not waited for: the connection ends then.
 */
export function answerFailure(error: unknown, context: Context): void {
  // Nothing is wrong with the request, only with how many there are: if it comes whole in the packet that Node is reading
  // now, its connection can be used again.
  const tooMany = error === overloaded || (error instanceof Refusal && error.number === ErrorNumber.tooManyRequests);
  if (tooMany && !context.request.complete) setImmediate(tell, error, context);
  else tell(error, context);
}

function tell(error: unknown, context: Context): void {
  const { request, response } = context;
  // An operation that was told that its client has left has stopped, which is no failure.
  if (context.departed && Error.isError(error) && error.name === 'AbortError') {
    response.destroy();
    return;
  }
  const refusal = toRefusal(error, context.requestId);
  context.error = refusal.number;
  context.reason = refusal.reason;
  // A refusal has no cause beyond what it says.
  if (refusal.status >= 500 && refusal !== error) context.failure = error;
  // A reply that has begun cannot be taken back, and one cannot be sent to a client that is gone.
  if (response.headersSent || !request.socket.writable) response.destroy();
  else sendRefusal(context, refusal);
}

function toRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailable) {
    return new Refusal(ErrorNumber.storeUnavailable, `the store is not available, try again; request id ${requestId}`, {
      'Retry-After': '1',
    });
  }
  // Express reports a path that cannot be decoded so.
  if (error instanceof URIError)
    return new Refusal(ErrorNumber.malformedMessage, 'the path is not percent-encoded UTF-8');
  return new Refusal(
    ErrorNumber.serviceFailed,
    `the service failed; its log has the cause under request id ${requestId}`,
  );
}
