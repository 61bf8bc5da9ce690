import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Node reports a request by one of these events, depending on what it expects. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'];

export function onRequest(server: Server, listener: RequestListener): void {
  for (const event of REQUEST_EVENTS) server.on(event, listener);
}

/** The replies that are under way, by connection, in the order of their requests. */
export class Replies {
  private readonly open = new Map<Duplex, ServerResponse[]>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      socket.once('close', () => this.open.delete(socket));
    });
    onRequest(server, ({ socket }, response) => {
      const before = this.open.get(socket);
      const last = before?.at(-1);
      // Mostly there is none but this one.
      if (before === undefined || last === undefined || last.writableFinished) this.open.set(socket, [response]);
      else {
        before.push(response);
        // Replies end in the order of their requests: an array of some thousand would be kept for the last one else.
        last.once('finish', () => before.shift());
      }
    });
  }

  /** Of each connection the one that comes last. */
  last(): ServerResponse[] {
    return [...this.open.keys()].flatMap((socket) => this.of(socket).slice(-1));
  }

  /**
   * Calls back when the requests that came whole are answered, if the one that did not is not answered too: such an
   * answer, given before the request was read, is the last one of its connection.
   */
  afterWhole(socket: Duplex, callback: () => void): void {
    const unfinished = this.of(socket);
    if (unfinished.some(({ req, headersSent }) => !req.complete && headersSent)) return;
    const whole = unfinished.findLast(({ req }) => req.complete);
    if (whole === undefined) callback();
    else
      whole.once('finish', () => {
        this.afterWhole(socket, callback);
      });
  }

  private of(socket: Duplex): ServerResponse[] {
    return this.open.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }
}
