import type { Request, Response } from 'express';
import { announcesBody } from './contract/body.ts';

/**
 * How many requests may be under way: what comes beyond is refused at once, before memory is full, and before those that
 * were taken have to wait long. A plant takes some 30 µs of the processor, so the last one waits for 60 ms.
 */
export const MOST_UNDER_WAY = 2048;

/** Counts the requests that have arrived whole, and whose replies are not out. Those that arrive slowly hold up nobody. */
export class UnderWay {
  private count = 0;

  /** Whether a request is taken. */
  take(request: Request, response: Response): boolean {
    if (this.count >= MOST_UNDER_WAY) {
      // A client that does not wait for its answers: Node keeps all that it sends until those before are out.
      if (response.socket === null) request.socket.destroy();
      return false;
    }
    if (announcesBody(request)) {
      request.once('end', () => {
        this.add(response);
      });
    } else this.add(response);
    return true;
  }

  private add(response: Response): void {
    if (response.closed) return;
    this.count++;
    response.once('close', () => this.count--);
  }
}
