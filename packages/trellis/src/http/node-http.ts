import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Express } from 'express';

// The only file that relies on what Node does not document.

/** Not imported: an import reads each export, and `WebSocket` loads Node's `fetch`, a tenth of the time of a start. */
export const http = process.getBuiltinModule('node:http');

/** The tests have passed on these. A start on another version only warns: it may be a security release of Node. */
export const TESTED_NODES: readonly string[] = ['24.21.0', '26.10.0'];

/** @returns the warning for a Node that was not tested */
export function untestedNode(): string | undefined {
  const { node } = process.versions;
  if (TESTED_NODES.includes(node)) return undefined;
  return `Node ${node} was not tested with this service: the tests have passed with ${TESTED_NODES.join(' and ')}`;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express's types are extended so
  namespace Express {
    interface Request {
      incoming: Receiver | undefined;
    }
  }
}

/** Takes the body of a request in place of Node's stream. */
interface Receiver {
  readonly dropped: boolean;
  /** @returns whether to read on */
  push(part: Buffer): boolean;
  end(): void;
}

/**
 * The classes of requests and replies. They inherit from the prototypes of the Express application; otherwise Express
 * sets the prototype of each request and reply, and V8 stops optimizing these objects.
 */
export function classesOf(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends http.IncomingMessage {
    /** Ends the stream without its events, which take some 3 % of the time of a create. */
    declare _dumpAndCloseReadable?: () => void;
    incoming: Receiver | undefined;

    /** Called by Node's parser with each part of the body, and with null at its end. */
    override push(part: Buffer | null): boolean {
      if (part !== null && this.incoming !== undefined) return this.incoming.push(part);
      this.incoming?.end();
      if (this.incoming === undefined || this._dumpAndCloseReadable === undefined) return super.push(part);
      this._dumpAndCloseReadable();
      return false;
    }

    override _read(size: number): void {
      // After the reply, Node would otherwise read the rest of the body, to reuse the connection.
      if (this.incoming?.dropped !== true) super._read(size);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  class AppResponse<R extends IncomingMessage> extends http.ServerResponse<R> {}
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Calls `onIncoming` with the head of each request. */
interface HttpParser {
  onIncoming: (head: IncomingMessage & { upgrade?: boolean }, keep: boolean) => number;
}

/**
 * Stops the parser of a connection that is to end: it would still report each request in the bytes that it has read,
 * up to ten thousand. Only its callback for a head can stop it: the result 2 ends HTTP here.
 */
export function steerParser(socket: Socket, state: { readonly takes: boolean; readonly reads: boolean }): void {
  const { parser } = socket as Socket & { readonly parser: HttpParser };
  const onIncoming = parser.onIncoming;
  parser.onIncoming = (head, keep) => {
    if (state.takes) {
      const next = onIncoming(head, keep);
      if (state.reads) return next;
    }
    // With `upgrade` set, Node would hand the connection over to another protocol.
    head.upgrade = false;
    return 2;
  };
}

/**
 * The written bytes that the kernel has not taken, by the count of libuv, which Node's own timeout of sockets uses too.
 * The count of the socket keeps all bytes of a write until the kernel has the last one.
 */
export function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle: { readonly writeQueueSize: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}

/**
 * Node calls what listens to an accepted socket in the async context of this call, in which the socket was accepted, and
 * not in none.
 */
export function keepContext(socket: Socket): void {
  const { _handle: handle } = socket as Socket & { readonly _handle: { asyncReset?(resource: object): void } | null };
  handle?.asyncReset?.({});
}

/** Node calls this after the last reply; its own version would reset the connection while the client still sends. */
export function endInstead(socket: Socket, end: () => void): void {
  socket.destroySoon = end;
}

/** A client that has ended its side of a connection still gets its reply. */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** http.Server's own close() destroys idle connections at once, even one on which a request is just arriving. */
export function stopAccepting(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Whether the parser has stopped at the version of HTTP: the code of the error also stands for other faults there. */
export function isOtherVersion({ reason }: { readonly reason?: string }): boolean {
  // eslint-disable-next-line no-restricted-syntax -- so nothing but this reason tells it
  return reason === 'Invalid HTTP version';
}
