import type { Logger } from 'pino';
import { asError, UNREADABLE } from 'trellis-contract/ground';
import type { Context } from './context.ts';
import { sentPath } from './request-target.ts';

/** W3C Trace Context, section 3.2; the group is the trace-id. */
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The same failure is logged with its stack at most once in this time. */
const REPEATED_MS = 60_000;
const MAX_FAILURES = 64;

export interface RequestLog {
  readonly logger: Logger;
  /** Writes the same as `logger.info(line, 'request')`. */
  readonly request: (line: object) => void;
}

export interface RequestObserver {
  begun(): void;
  /**
   * @param status undefined if the service sent no answer
   * @param error the number of a failure
   */
  ended(operation: string | undefined, status: number | undefined, ms: number, error: number | undefined): void;
}

/**
 * Logs and counts each request when it ends. Never logs a query, a body or a header other than ids: they may hold
 * secrets.
 */
export function createRecorder(log: RequestLog, observer: RequestObserver | undefined): (context: Context) => void {
  /** By name and message: when the failure was last logged with its stack, and how often it has repeated since. */
  const failures = new Map<string, { readonly loggedAt: number; repeats: number }>();
  const describe = (failure: unknown): object => {
    const text = textOf(failure);
    const known = failures.get(text);
    const now = performance.now();
    if (known !== undefined && now - known.loggedAt < REPEATED_MS) return { failure: text, repeats: ++known.repeats };
    if (failures.size >= MAX_FAILURES) failures.clear();
    failures.set(text, { loggedAt: now, repeats: 0 });
    return { err: failure };
  };
  return (context) => {
    const { requestId, request, response, client, caller, error, reason, failure } = context;
    const status = response.headersSent ? response.statusCode : undefined;
    const operation = context.operation?.id;
    const ms = performance.now() - context.startedAt;
    observer?.ended(operation, status, ms, error);
    const { traceparent } = request.headers;
    const line = {
      requestId,
      traceId: traceparent === undefined ? undefined : TRACEPARENT.exec(String(traceparent))?.[1],
      method: request.method,
      path: sentPath(request),
      client,
      operation,
      caller: caller?.name,
      subject: caller?.subject,
      status,
      error,
      reason,
      ms: Math.round(ms * 1000) / 1000,
      aborted: response.writableFinished ? undefined : true,
    };
    if (failure === undefined) log.request(line);
    else log.logger.error({ ...line, ...describe(failure) }, 'request failed');
  };
}

function textOf(failure: unknown): string {
  try {
    const { name, message } = asError(failure);
    return `${name}: ${message}`;
  } catch {
    // An operation may throw anything, such as an object without a prototype.
    return UNREADABLE;
  }
}
