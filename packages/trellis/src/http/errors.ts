import { asError, ErrorNumber, messageOf, overloaded, Refusal } from 'trellis-contract/ground';
import type { TellFailure } from 'trellis-contract';
import { StoreUnavailable, ValueRefused } from '../storage/store-errors.ts';
import type { Context } from './context.ts';
import { sendRefusal } from './reply.ts';

/** Turns every failure into a reply and the members of its log line. Never throws: nothing could answer that error. */
export function answerFailure(thrown: unknown, context: Context, tellFailure: TellFailure): void {
  const error = asError(thrown);
  const refusal = toRefusal(error, context);
  orDestroy(context, () => {
    // After this turn of the event loop, Node has read the rest of the packet: if it holds the whole body, the connection
    // can be used again.
    const tooMany = refusal === overloaded || refusal.number === ErrorNumber.tooManyRequests;
    const answer = () => tell(refusal, error, context, tellFailure);
    if (tooMany && !context.request.complete) setImmediate(orDestroy, context, answer);
    else answer();
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

function tell(refusal: Refusal, error: Error, context: Context, tellFailure: TellFailure): void {
  const { request, response } = context;
  // The operation stopped because its client went away, which is no failure.
  if (context.departed && isAbort(error)) {
    response.destroy();
    return;
  }
  context.error = refusal.number;
  context.reason = refusal.reason;
  // A Refusal that was thrown needs no stack in the log.
  if (refusal.status >= 500 && refusal !== error) context.failure = error;
  if (response.headersSent || !request.socket.writable) response.destroy();
  else sendRefusal(context, refusal, tellFailure);
}

function isAbort(error: Error): boolean {
  try {
    return error.name === 'AbortError';
  } catch {
    return false;
  }
}

function toRefusal(error: Error, context: Context): Refusal {
  try {
    const refusal = knownRefusal(error, context);
    if (refusal !== undefined) return refusal;
  } catch {
    // An operation may throw an error whose prototype is a Proxy, which throws when it is asked for its own.
  }
  const message = `the service failed; its log has the cause under request id ${context.requestId}`;
  return new Refusal(ErrorNumber.serviceFailed, message);
}

function knownRefusal(error: Error, { operation, requestId }: Context): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreUnavailable)
    return new Refusal(ErrorNumber.storeUnavailable, `the store is not available: try again; request id ${requestId}`, {
      'Retry-After': '1',
    });
  if (error instanceof ValueRefused) return new Refusal(ErrorNumber.contractBroken, messageOf(error));
  // Express throws this for a path that it cannot decode, before an operation is found.
  if (error instanceof URIError && operation === undefined)
    return new Refusal(ErrorNumber.malformedMessage, 'the path is not percent-encoded UTF-8');
  return undefined;
}
