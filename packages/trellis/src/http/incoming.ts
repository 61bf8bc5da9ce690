import type { IncomingMessage } from 'node:http';
import { busy, ErrorNumber, Refusal } from 'trellis-contract/ground';
import { MAX_BODY_BYTES, tooLarge } from 'trellis-contract';
import { MAX } from './bounds.ts';
import type { Exchange } from './connection.ts';
import type { Ledger } from './ledger.ts';

/** The memory that a Buffer takes beside its content, roughly. */
const BUFFER_BYTES = 400;
/** The smallest framing of a chunk: one digit for its size, and two line ends. */
const CHUNK_BYTES = 5;
/** The most that Node reads from a connection at a time. */
const READ_BYTES = 64 * 1024;

const EMPTY: Buffer = Buffer.alloc(0);

const smallChunks = new Refusal(
  ErrorNumber.malformedMessage,
  'the chunks of the body are too small: send fewer, larger ones',
);
const notWhole = new Refusal(ErrorNumber.malformedMessage, 'body did not arrive whole');
const tooMuchArriving = busy(
  'arriving bodies take all memory reserved for them, and those of this caller take the most',
);

/** Whether the message announces a body that is not empty (RFC 9112, section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Receives the body of a request into one Buffer, whose size the ledger counts. Node's stream, which this replaces,
 * would keep a Buffer for each chunk.
 */
export class IncomingBody {
  private readonly exchange: Exchange;
  private readonly ledger: Ledger;
  private readonly chunked: boolean;
  private bytes = EMPTY;
  private length = 0;
  /** Bytes read from the connection when the head was complete. */
  private readonly readBefore: number = 0;
  /** Bytes read from the connection at the last part of the body. */
  private readBytes = 0;
  /**
   * A lower bound of the number of chunks that have arrived. If one read yields two parts, they belong to different
   * chunks.
   */
  private chunks = 0;
  private maxBytes: number = MAX_BODY_BYTES;
  private state: 'arriving' | 'complete' | 'dropped' = 'arriving';
  private refusal: Refusal | undefined;
  private reader: { resolve(bytes: Buffer): void; reject(refusal: Refusal): void } | undefined;

  constructor(exchange: Exchange, ledger: Ledger) {
    const { request } = exchange;
    this.exchange = exchange;
    this.ledger = ledger;
    this.chunked = request.headers['transfer-encoding'] !== undefined;
    if (!this.chunked) return;
    this.readBytes = request.socket.bytesRead;
    this.readBefore = this.readBytes;
  }

  get dropped(): boolean {
    return this.state === 'dropped';
  }

  /** Resolves to the whole body, or rejects with a Refusal. */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.refusal !== undefined) reject(this.refusal);
      else if (this.state === 'complete') resolve(this.handOut());
      else this.reader = { resolve, reject };
    });
  }

  limitTo(maxBytes: number): void {
    this.maxBytes = maxBytes;
    if (this.length > maxBytes) this.refuse(tooLarge(maxBytes));
  }

  /** @returns whether to read on */
  push(part: Buffer): boolean {
    if (this.state === 'dropped') return false;
    this.keep(part);
    if (this.length > this.maxBytes) this.refuse(tooLarge(this.maxBytes));
    else if (this.chunked && this.framing() > MAX.framingBytes + 2 * this.length) {
      this.ledger.noteSmallChunks(this.exchange);
      this.refuse(smallChunks);
    }
    return !this.dropped;
  }

  end(): void {
    if (this.state !== 'arriving') return;
    this.state = 'complete';
    this.reader?.resolve(this.handOut());
  }

  abort(): void {
    if (this.state === 'arriving') this.refuse(notWhole);
  }

  /** Frees the memory for other requests. */
  shed(): void {
    this.refuse(tooMuchArriving);
  }

  /** Frees what has arrived, and ignores what still arrives. */
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

  /**
   * The least bytes of framing that the chunks so far can have had: the last bytes read may belong to later requests.
   */
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

  private handOut(): Buffer {
    const bytes = this.bytes.subarray(0, this.length);
    this.release();
    return bytes;
  }
}
