import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ContractOperation } from 'trellis-contract';
import type { Caller } from '../auth/caller.ts';
import type { Shared, Tools } from '../service.ts';
import type { Connection, Exchange } from './connection.ts';
import type { IncomingBody } from './incoming.ts';
import type { Ledger } from './ledger.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express's types are extended so
  namespace Express {
    interface Response {
      context: Context;
    }
  }
}

const SANE_REQUEST_ID = /^[\w.~:/+=-]{1,128}$/;

export class Context implements Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly pipelined: boolean;
  /** undefined: the request has none, or the application reads none. */
  body: IncomingBody | undefined;
  readonly requestId: string;
  client: string | undefined;
  caller: Caller | undefined;
  slots = 1;
  readonly held = { body: 0, reply: 0 };
  repliedAt = Infinity;
  last = false;
  ended = false;
  onEnd: (() => void) | undefined;
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Header fields of the reply, of a failure too: name, value, name, value. */
  readonly fields: string[];
  operation: ContractOperation | undefined;
  /** What the last stage has made for the next one (stage.ts). */
  handed: unknown;
  error: number | undefined;
  /** Why the request was refused, in more detail than the client learns: for the log. */
  reason: string | undefined;
  /** The error that made the service fail: for the log. */
  failure: unknown;
  /** Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
  private expectsContinue: boolean;
  private departure: AbortController | undefined;
  /** To be called when the reply is out or the client is gone; undefined: `signal` was not used. */
  endSignal: (() => void) | undefined;

  constructor(request: Request, response: Response, connection: Connection, ledger: Ledger, expectsContinue: boolean) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.ledger = ledger;
    this.pipelined = connection.exchanges.length > 0;
    this.expectsContinue = expectsContinue;
    this.client = connection.address;
    const sent = request.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    this.fields = ['X-Request-Id', this.requestId];
  }

  askForBody(): void {
    if (this.expectsContinue) this.response.writeContinue();
    this.expectsContinue = false;
  }

  /** A client that is slow to take its reply must not keep the values of its request in memory. */
  forget(): void {
    this.handed = undefined;
  }

  get key(): string {
    return this.caller?.key ?? `address ${this.client ?? ''}`;
  }

  /** Aborts when the client goes away. Made only for operations that use it. */
  get signal(): AbortSignal {
    if (this.departure === undefined) {
      const departure = new AbortController();
      const { socket } = this.request;
      // A listener of the operation that throws is logged as work of that operation (running-operation.ts).
      const leave = AsyncResource.bind(() => departure.abort());
      if (this.ended || socket.readableEnded) leave();
      // One socket may carry thousands of pipelined requests, each with a listener.
      else socket.setMaxListeners(0).once('end', leave);
      this.endSignal = () => {
        socket.off('end', leave);
        if (!this.response.writableFinished) leave();
      };
      this.departure = departure;
    }
    return this.departure.signal;
  }

  /** Whether `signal` was used, and is aborted. */
  get departed(): boolean {
    return this.departure?.signal.aborted === true;
  }
}

/** @returns the class of a request's Tools: its prototype holds what all requests share */
export function toolsWith(shared: Shared): new (context: Context) => Tools {
  class RequestTools {
    private readonly context: Context;
    private child: Logger | undefined;

    constructor(context: Context) {
      this.context = context;
    }

    get caller() {
      return this.context.caller;
    }

    get log() {
      const { ledger, requestId } = this.context;
      this.child ??= ledger.logger.child({ requestId });
      return this.child;
    }

    get signal() {
      return this.context.signal;
    }
  }
  Object.assign(RequestTools.prototype, shared);
  return RequestTools as new (context: Context) => RequestTools & Shared;
}
