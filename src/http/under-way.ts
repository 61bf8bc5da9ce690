import type { Request, Response } from 'express';
import { announcesBody } from './body.ts';

/**
 * How many requests may be under way: what comes beyond is refused at once, before memory is full, and before those that
 * were taken have to wait long. A plant takes some 30 µs of the processor, so the last one waits for 60 ms.
 */
export const MOST_UNDER_WAY = 2048;

/**
 * Counts the requests that have arrived whole, and whose replies are not out: those that arrive slowly hold up nobody.
 * Those of clients that do not wait for their answers are counted apart, and from the start: Node reads 2 MB of them at
 * a time, and keeps each until those before it are answered.
 */
export class UnderWay {
  private whole = 0;
  private pipelined = 0;

  /** Whether a request is taken. */
  take(request: Request, response: Response): boolean {
    // Replies wait for their turn on the connection.
    if (response.socket === null) {
      if (this.pipelined >= MOST_UNDER_WAY) {
        request.socket.destroy();
        return false;
      }
      this.pipelined++;
      // Not at once: all connections that have something to say are read in one turn of the event loop, and nobody else
      // has a turn meanwhile.
      response.once('close', () => setImmediate(() => this.pipelined--));
      return true;
    }
    if (this.whole >= MOST_UNDER_WAY) return false;
    if (announcesBody(request)) {
      request.once('end', () => {
        this.add(response);
      });
    } else this.add(response);
    return true;
  }

  private add(response: Response): void {
    if (response.closed) return;
    this.whole++;
    response.once('close', () => this.whole--);
  }
}
