import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Caller } from '../auth/caller.ts';
import type { RequestLog, RequestObserver } from '../observability/log.ts';
import { announcesBody, IncomingBody } from './body.ts';
import { Exchange, type ExchangeParts } from './connections.ts';
import { sentPath } from './request-target.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express's types are extended so
  namespace Express {
    interface Request {
      /** Takes the body in place of the stream. */
      incoming: IncomingBody | undefined;
    }
    interface Response {
      context: Context;
    }
  }
}

const SANE_REQUEST_ID = /^[\w.~:/+=-]{1,128}$/;

/** For how long a failure that repeats is logged without its stack, in milliseconds, */
const REPEATED_MS = 60_000;
/** and how many different ones are remembered. */
const MAX_FAILURES = 64;

/** All that is known of a request while it is under way; its line of the log is made of it. */
export class Context extends Exchange {
  declare readonly request: Request;
  declare readonly response: Response;
  /** undefined: the request has none. */
  readonly body: IncomingBody | undefined;
  /** `X-Request-Id`, taken over if the client sent one that is sane. */
  readonly requestId: string;
  /** The address of the client. */
  client: string | undefined;
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Header fields of the reply, be it a failure: name, value, name, value. */
  readonly fields: string[];
  operation: string | undefined;
  /** The number of the error that was answered. */
  error: number | undefined;
  /** Why the request was refused, where the client is not told: for the log only. */
  reason: string | undefined;
  /** Why the service failed: for the log only. */
  failure: unknown;

  constructor(parts: ExchangeParts) {
    super(parts);
    const { request, connection } = parts;
    this.setClient(connection.address);
    this.body = announcesBody(request) ? new IncomingBody(this) : undefined;
    const sent = request.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    this.fields = ['X-Request-Id', this.requestId];
  }

  setClient(address: string | undefined): void {
    this.client = address;
    this.key = `address ${address ?? ''}`;
  }

  setCaller(caller: Caller): void {
    this.caller = caller;
    this.key = caller.key;
  }
}

/** Logs each request in one line when it is over, and has it counted. */
export class RequestRecorder {
  private readonly log: RequestLog;
  private readonly observer: RequestObserver | undefined;
  /** Failures by what they say, with when one was logged with its stack, and how many came since. */
  private readonly failures = new Map<string, { readonly loggedAt: number; repeats: number }>();

  constructor(log: RequestLog, observer: RequestObserver | undefined) {
    this.log = log;
    this.observer = observer;
  }

  begin(context: Context): void {
    this.observer?.begun();
    context.onEnd = () => {
      context.body?.abort();
      this.end(context);
    };
  }

  /** Neither a header nor a query nor a body is ever logged: they may hold secrets. */
  private end(context: Context): void {
    const { requestId, request, response, client, operation, caller, error, reason, failure } = context;
    const status = response.headersSent ? response.statusCode : undefined;
    const ms = performance.now() - context.startedAt;
    this.observer?.ended(operation, status, ms);
    const line = {
      requestId,
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
      // The client went away before it had the answer.
      aborted: response.writableFinished ? undefined : true,
    };
    if (failure === undefined) this.log.request(line);
    else this.log.logger.error({ ...line, ...this.describe(failure) }, 'request failed');
  }

  /** A failure with its stack; one that repeats, such as an unreachable store, is counted until a minute is over. */
  private describe(failure: unknown): object {
    const { name, message } = Error.isError(failure) ? failure : new Error(String(failure));
    const text = `${name}: ${message}`;
    const known = this.failures.get(text);
    const now = performance.now();
    if (known !== undefined && now - known.loggedAt < REPEATED_MS) return { failure: text, repeats: ++known.repeats };
    if (this.failures.size >= MAX_FAILURES) this.failures.clear();
    this.failures.set(text, { loggedAt: now, repeats: 0 });
    return { err: failure };
  }
}
