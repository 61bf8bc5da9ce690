import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../auth/caller.ts';
import { DEADLINE } from './bounds.ts';
import { steerParser, unsentBytes } from './node-http.ts';

/** The facts that a connection and the ledger need of a request and its reply. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** The client did not wait for the reply to its previous request. */
  readonly pipelined: boolean;
  /** Limits count the request under this key: the client's address, later the caller's own key. */
  readonly key: string;
  /** undefined: not authenticated yet, or the operation needs no token. */
  readonly caller: Caller | undefined;
  /** How many places of `MAX.underWay` the operation takes. */
  readonly slots: number;
  /** Bytes allocated for the body, and bytes of the reply that the kernel has not taken yet. */
  readonly held: { body: number; reply: number };
  /** When the exchange began to hold bytes of a reply, on the clock of `performance.now()`. */
  repliedAt: number;
  /** Whether the reply says `Connection: close` (RFC 9112, section 9.6). */
  last: boolean;
  /** The reply is out, or the client is gone. */
  ended: boolean;
  readonly onEnd: (() => void) | undefined;
  readonly body: { shed(): void } | undefined;
}

export class Connection {
  readonly socket: Socket;
  /** The peer's address: the socket itself loses it when it closes. */
  readonly address: string | undefined;
  /** Exchanges that have not ended, in the order of their requests. */
  readonly exchanges: Exchange[] = [];
  /** The number of pipelined exchanges. */
  count = 0;
  /** When a request last came, or bytes of a body or a reply last moved, on the clock of `performance.now()`. */
  progressAt = performance.now();
  /** Bytes of the body read, or of the reply sent, at the last call of `isStalled`. */
  private progress: number | undefined;
  /** The client has sent bytes that Node cannot read as a request. */
  unreadable = false;
  private begun = false;
  /** No further request is processed. */
  private ending = false;
  /** Nothing more is read, not even the rest of the present body. */
  private deaf = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    steerParser(socket, this);
  }

  /** Whether what has been read may still be processed. */
  get reads(): boolean {
    return !this.deaf && !this.socket.destroyed;
  }

  get takes(): boolean {
    return !this.ending && this.reads;
  }

  get phase() {
    const [first] = this.exchanges;
    if (first === undefined) return this.begun ? 'idle' : 'head';
    if (first.response.headersSent) return 'replying';
    return first.request.complete ? 'working' : 'body';
  }

  begin(exchange: Exchange): void {
    this.begun = true;
    this.exchanges.push(exchange);
    this.progressAt = exchange.startedAt;
  }

  /** Ends the connection after the reply to this request; no later request is processed. */
  endAfter(exchange: Exchange): void {
    this.ending = true;
    const { response } = exchange;
    if (!response.headersSent) exchange.last = true;
    else if (response.writableFinished) this.endSoon();
    else {
      response.once('finish', () => this.endSoon());
    }
  }

  stopReading(): void {
    this.deaf = true;
    this.socket.pause();
  }

  /** Closes for writing now and for reading later: a reset now could cost the client the reply. */
  endSoon(): void {
    const { socket } = this;
    socket.end();
    const end = setTimeout(() => socket.destroy(), DEADLINE.linger);
    socket.once('close', () => clearTimeout(end));
  }

  /**
   * Calls back after the replies to all whole requests; never if the reply to a request that still arrives has begun,
   * as that reply ends the connection.
   */
  afterWhole(callback: () => void): void {
    if (this.exchanges.some(({ request, response }) => !request.complete && response.headersSent)) return;
    const whole = this.exchanges.findLast(({ request, response }) => request.complete && !response.writableFinished);
    if (whole === undefined) callback();
    else {
      // Node's own listener runs first, and starts to send the reply to the next request.
      whole.response.once('finish', () => this.afterWhole(callback));
    }
  }

  /** Whether bytes of the body or the reply are due, and none have moved for too long. To be called every second. */
  isStalled(): boolean {
    const { phase, socket, progress } = this;
    this.progress = undefined;
    if (phase === 'body') this.progress = socket.bytesRead;
    // With writableLength 0, the next part of the reply waits in Ledger.later, not for the client.
    if (phase === 'replying' && socket.writableLength > 0) this.progress = socket.bytesWritten - unsentBytes(socket);
    if (this.progress === undefined) return false;
    const now = performance.now();
    if (this.progress !== progress) this.progressAt = now;
    return now - this.progressAt > DEADLINE.progress;
  }
}
