import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../contract/caller.ts';
import { DEADLINE } from './bounds.ts';

export type Phase = 'idle' | 'head' | 'body' | 'working' | 'replying';

/** A request and its reply, with what the process holds for them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether it came before the reply to the request before it was out. */
  readonly pipelined: boolean;
  /** Who it is counted for: the caller's key, and until that is known the client's address. */
  key = '';
  /** undefined: not known yet, or not asked for. */
  caller: Caller | undefined;
  /** How many of the slots for operations it takes. */
  slots = 1;
  /** Whether it is the last of its connection (RFC 9112, section 9.6). */
  last = false;
  /** Whether the reply is out, or the client gone. */
  ended = false;
  /** Called once, when it has ended. */
  onEnd: (() => void) | undefined;
  /** Called when the body has to give way to others. */
  onGiveWay: (() => void) | undefined;
  /** Bytes of the body, as allocated, and of a reply that the system has not taken whole. */
  readonly held = { body: 0, reply: 0 };
  /** Whether the client sends the body only when it is asked to (RFC 9110, section 10.1.1). */
  private expectsContinue: boolean;

  constructor({ request, response, connection, expectsContinue }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.pipelined = connection.exchanges.length > 0;
    this.expectsContinue = expectsContinue;
  }

  /** Asks for the body, if the client waits for that. */
  askForBody(): void {
    if (this.expectsContinue) this.response.writeContinue();
    this.expectsContinue = false;
  }
}

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly expectsContinue: boolean;
}

/** A connection, with what is under way on it. */
export class Connection {
  readonly socket: Socket;
  /** The address of the peer, which a socket forgets when it is closed. */
  readonly address: string | undefined;
  /** What is under way, in the order of the requests. */
  readonly exchanges: Exchange[] = [];
  /** How many of these are pipelined. */
  count = 0;
  /** When a request came last, or bytes of a body or a reply moved, on the clock of `performance.now()`. */
  progressAt = performance.now();
  /** How many bytes of the body had come, or of the reply gone, when `hasProgressed` was called last. */
  progress: number | undefined;
  /** Whether Node could not read what came. */
  unreadable = false;
  private begun = false;
  /** No request behind the present ones is processed. */
  private ending = false;
  /** Not even the rest of the present one is wanted. */
  private deaf = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.steerParser();
  }

  get phase(): Phase {
    const [first] = this.exchanges;
    if (first === undefined) return this.begun ? 'idle' : 'head';
    if (first.response.headersSent) return 'replying';
    return first.request.complete ? 'working' : 'body';
  }

  begin(exchange: Exchange): void {
    this.begun = true;
    this.exchanges.push(exchange);
    this.progressAt = performance.now();
  }

  /** Has the connection end behind a reply; no request behind that is processed. */
  endAfter(exchange: Exchange): void {
    this.ending = true;
    const { response } = exchange;
    if (!response.headersSent) exchange.last = true;
    else if (response.writableFinished) this.endSoon();
    else {
      response.once('finish', () => {
        this.endSoon();
      });
    }
  }

  /** Has nothing more of the connection read. */
  stopReading(): void {
    this.deaf = true;
    this.socket.pause();
  }

  /** Ends the connection: at once for writing, later for reading, so that the client can read the reply. */
  endSoon(): void {
    const { socket } = this;
    socket.end();
    const end = setTimeout(() => socket.destroy(), DEADLINE.linger);
    socket.once('close', () => {
      clearTimeout(end);
    });
  }

  /**
   * Calls back when the requests that came whole are answered, if the one that did not is not answered too: such an
   * answer, given before the request was read, is the last one of its connection.
   */
  afterWhole(callback: () => void): void {
    if (this.exchanges.some(({ request, response }) => !request.complete && response.headersSent)) return;
    const whole = this.exchanges.findLast(({ request, response }) => request.complete && !response.writableFinished);
    if (whole === undefined) callback();
    else {
      // Behind Node's own listener, which was there first, and begins with the reply behind this one.
      whole.response.once('finish', () => {
        this.afterWhole(callback);
      });
    }
  }

  /** Measures the body or the reply: whether bytes of it have moved since the last call, or need not move. */
  hasProgressed(): boolean {
    const { phase, socket, progress } = this;
    this.progress = undefined;
    if (phase === 'body') this.progress = socket.bytesRead;
    // A part of a reply that waits for its turn here cannot be taken by the client yet.
    if (phase === 'replying' && socket.writableLength > 0) this.progress = socket.bytesWritten - socket.writableLength;
    return this.progress === undefined || this.progress !== progress;
  }

  /**
   * Has Node's parser leave what nothing will be done with. It would report each chunk and each request of what it has
   * read, some ten thousand, although the connection was ended or cut off by the first of them. Its callback for a head
   * alone can stop it, which is not documented: 2 is the end of HTTP on this connection.
   */
  private steerParser(): void {
    const { socket } = this;
    // Node's own listener, which was there first, has made it.
    const { parser } = socket as Socket & { readonly parser: Parser };
    const onIncoming = parser.onIncoming;
    parser.onIncoming = (head, keep) => {
      const isProcessed = () => !this.deaf && !socket.destroyed;
      if (!this.ending && isProcessed()) {
        const next = onIncoming(head, keep);
        if (isProcessed()) return next;
      }
      // With `upgrade` set, Node would look for another protocol behind the head.
      head.upgrade = false;
      return 2;
    };
  }
}

/** What Node calls with the head of a request; undocumented. */
interface Parser {
  onIncoming: (head: IncomingMessage & { upgrade?: boolean }, keep: boolean) => number;
}
