import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { busy, ErrorNumber, Refusal } from '../contract/errors.ts';
import { MAX_BODY_BYTES } from '../contract/body-limit.ts';
import { tooLarge } from '../contract/request.ts';
import { MAX } from './bounds.ts';
import type { Exchange } from './connection.ts';
import type { Ledger } from './ledger.ts';

/** About how many bytes Node allocates for a Buffer beside what it holds. */
const BUFFER_BYTES = 400;
/** The least that a chunk adds to the bytes of a body: its size, and the ends of two lines. */
const CHUNK_BYTES = 5;
/** How much Node reads of a connection at a time, in bytes. */
const READ_BYTES = 64 * 1024;

const EMPTY: Buffer = Buffer.alloc(0);

const gaveWay = busy('bodies fill the room that they have, and those of this caller most of it');

/** Whether the message announces a body that is not empty (RFC 9112, section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Takes in the body of a request in place of Node's stream, which keeps each chunk as a Buffer of its own until it is
 * asked for. What is kept lies in one Buffer, and is counted in the ledger.
 */
export class IncomingBody {
  private readonly exchange: Exchange;
  private readonly ledger: Ledger;
  private readonly chunked: boolean;
  private bytes = EMPTY;
  private length = 0;
  /** How many bytes of the connection Node had read when the head was complete. */
  private readonly readBefore: number = 0;
  /** The same at the last part of the body. */
  private readBytes = 0;
  /** How many chunks there were at least: parts of what was read at one time belong to different ones. */
  private chunks = 0;
  /** Until the operation is known, what any may take. */
  private maxBytes: number = MAX_BODY_BYTES;
  private state: 'arriving' | 'complete' | 'dropped' = 'arriving';
  private refusal: Refusal | undefined;
  private reader: { resolve(bytes: Buffer): void; reject(refusal: Refusal): void } | undefined;

  constructor(exchange: Exchange, ledger: Ledger) {
    const { request } = exchange;
    this.exchange = exchange;
    this.ledger = ledger;
    this.chunked = request.headers['transfer-encoding'] !== undefined;
    if (this.chunked) this.readBefore = this.readBytes = request.socket.bytesRead;
    exchange.onGiveWay = () => {
      this.refuse(gaveWay);
    };
  }

  /** Whether no more of it is wanted. */
  get dropped(): boolean {
    return this.state === 'dropped';
  }

  /** The whole body. @throws Refusal by the promise, if it is too large, or has to give way, or does not arrive whole */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.refusal !== undefined) reject(this.refusal);
      else if (this.state === 'complete') resolve(this.handOut());
      else this.reader = { resolve, reject };
    });
  }

  /** Says how many bytes the operation takes. */
  limitTo(maxBytes: number): void {
    this.maxBytes = maxBytes;
    if (this.length > maxBytes) this.refuse(tooLarge(maxBytes));
  }

  /** Takes a part that has arrived. False: no more is wanted, and the connection need not be read. */
  push(part: Buffer): boolean {
    if (this.state === 'dropped') return false;
    this.keep(part);
    if (this.length > this.maxBytes) this.refuse(tooLarge(this.maxBytes));
    else if (this.chunked && this.framing() > MAX.framingBytes + 2 * this.length) {
      this.ledger.noteSmallChunks(this.exchange);
      this.refuse(smallChunks());
    }
    return !this.dropped;
  }

  /** It has arrived whole. */
  end(): void {
    if (this.state !== 'arriving') return;
    this.state = 'complete';
    this.reader?.resolve(this.handOut());
  }

  /** The exchange has ended: what has not arrived will not. */
  abort(): void {
    if (this.state === 'arriving') this.refuse(new Refusal(ErrorNumber.malformedMessage, 'body did not arrive whole'));
  }

  /** Lets go of what has arrived; what still arrives is not kept. */
  drop(): void {
    if (this.state === 'arriving') this.state = 'dropped';
    this.release();
  }

  private release(): void {
    this.bytes = EMPTY;
    this.ledger.setHeld(this.exchange, 'body', 0);
  }

  private refuse(refusal: Refusal): void {
    this.refusal = refusal;
    this.drop();
    this.reader?.reject(refusal);
  }

  /** How many bytes came for the body beside its own, at least: behind it other requests may have come. */
  private framing(): number {
    const read = this.exchange.request.socket.bytesRead;
    if (read === this.readBytes) this.chunks++;
    this.readBytes = read;
    return Math.max(this.chunks * CHUNK_BYTES, read - this.readBefore - READ_BYTES - this.length);
  }

  private keep(part: Buffer): void {
    const length = this.length + part.length;
    if (this.length === 0) this.bytes = part;
    else {
      if (length > this.bytes.length) {
        const size = Math.min(Math.max(2 * this.bytes.length, 1024), this.maxBytes);
        const larger = Buffer.allocUnsafeSlow(Math.max(length, size));
        this.bytes.copy(larger, 0, 0, this.length);
        this.bytes = larger;
      }
      part.copy(this.bytes, this.length);
    }
    this.length = length;
    const bytes = this.bytes.length + BUFFER_BYTES;
    if (bytes !== this.exchange.held.body) this.ledger.setHeld(this.exchange, 'body', bytes);
  }

  /** The body, which is the reader's from now on. */
  private handOut(): Buffer {
    const bytes = this.bytes.subarray(0, this.length);
    this.release();
    return bytes;
  }
}

function smallChunks(): Refusal {
  return new Refusal(ErrorNumber.malformedMessage, 'the chunks of the body are too small: send fewer, larger ones');
}

/**
 * What a server constructs requests and replies of, so that they have the prototypes of an Express application from the
 * start: Express would set the prototype of each, for which V8 gives up what it knows of an object.
 */
export function classesOf(app: Express) {
  class AppRequest extends IncomingMessage {
    /**
     * Ends the stream, which nothing reads, without its events: they took some 3 % of the time of a create. Node calls
     * it for its option `optimizeEmptyRequests`, and does not document it. Where Node lacks it, the events come.
     */
    declare _dumpAndCloseReadable?: () => void;
    incoming: IncomingBody | undefined;

    /** Node's parser calls it with each part of the body, and with null at its end. */
    override push(part: Buffer | null): boolean {
      if (part !== null && this.incoming !== undefined) return this.incoming.push(part);
      this.incoming?.end();
      if (this.incoming === undefined || this._dumpAndCloseReadable === undefined) return super.push(part);
      this._dumpAndCloseReadable();
      return false;
    }

    override _read(size: number): void {
      // Node reads on, to use the connection again, when the reply is out.
      if (this.incoming?.dropped !== true) super._read(size);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
