import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import type { Caller } from '../contract/caller.ts';
import type { ContractOperation } from '../contract/contract.ts';
import { Exchange } from './connection.ts';
import { announcesBody, IncomingBody } from './incoming.ts';
import type { EnteredExchange, Ledger } from './ledger.ts';

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

/** All that is known of a request while it is under way; its line of the log is made of it. */
export class Context extends Exchange {
  declare readonly request: Request;
  declare readonly response: Response;
  /** Where the service counts what this costs. */
  readonly ledger: Ledger;
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
  operation: ContractOperation | undefined;
  /** The number of the error that was answered. */
  error: number | undefined;
  /** Why the request was refused, where the client is not told: for the log only. */
  reason: string | undefined;
  /** Why the service failed: for the log only. */
  failure: unknown;
  private departure: Departure | undefined;

  constructor(parts: EnteredExchange) {
    super(parts);
    const { request, connection, ledger } = parts;
    this.ledger = ledger;
    this.setClient(connection.address);
    this.body = announcesBody(request) ? new IncomingBody(this, ledger) : undefined;
    const sent = request.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    this.fields = ['X-Request-Id', this.requestId];
  }

  setClient(address: string | undefined): void {
    this.client = address;
    this.key = `address ${address ?? ''}`;
  }

  /** As an operation gets it; few ask for it. */
  get signal(): AbortSignal {
    this.departure ??= new Departure(this.request.socket, this.ended);
    return this.departure.signal;
  }

  /** Whether an operation was told that the client goes away. */
  get departed(): boolean {
    return this.departure?.signal.aborted === true;
  }

  /** The exchange has ended. */
  endSignal(): void {
    this.departure?.end(this.response.writableFinished);
  }

  setCaller(caller: Caller): void {
    this.caller = caller;
    this.key = caller.key;
  }
}

/** Tells an operation that its client goes away. */
class Departure {
  private readonly socket: Socket;
  private readonly controller = new AbortController();
  private readonly leave = () => {
    this.controller.abort();
  };

  /** @param gone whether the client is gone already */
  constructor(socket: Socket, gone: boolean) {
    this.socket = socket;
    if (gone || socket.readableEnded) this.leave();
    // Each request that is pipelined may have one.
    else socket.setMaxListeners(0).once('end', this.leave);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @param replied whether the reply is out */
  end(replied: boolean): void {
    this.socket.off('end', this.leave);
    if (!replied) this.leave();
  }
}
