import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { ContractBody } from '../contract/contract.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { type Body, notUtf8, tooLarge } from '../contract/request.ts';
import { MAX } from './bounds.ts';
import type { Exchange } from './connections.ts';

/** About how many bytes Node allocates for a Buffer beside what it holds. */
const BUFFER_BYTES = 400;
/** The least that a chunk adds to the bytes of a body: its size, and the ends of two lines. */
const CHUNK_BYTES = 5;
/** How much Node reads of a connection at a time, in bytes. */
const READ_BYTES = 64 * 1024;

const gaveWay = new Refusal(
  ErrorNumber.storeUnavailable,
  'the service is busy, try again',
  { 'Retry-After': '1' },
  'bodies fill the room that they have, and those of this caller most of it',
);

/** Whether the message announces a body that is not empty (RFC 9112, section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Takes in the body of a request in place of Node's stream, which keeps each chunk as a Buffer of its own until it is
 * asked for. What is kept lies in one Buffer, and is counted in the ledger (connections.ts).
 */
export class IncomingBody {
  private readonly exchange: Exchange;
  private readonly chunked: boolean;
  private bytes: Buffer = Buffer.alloc(0);
  private length = 0;
  /** How many bytes of the connection had been read when the head was, and at the last part of the body. */
  private readonly readBefore: number = 0;
  private readBytes = 0;
  /** How many chunks there were at least: parts of what was read at one time belong to different ones. */
  private chunks = 0;
  private state: 'kept' | 'whole' | 'dropped' = 'kept';
  private refusal: Refusal | undefined;
  private reader: { resolve(bytes: Buffer): void; reject(refusal: Refusal): void } | undefined;

  constructor(exchange: Exchange) {
    const { request } = exchange;
    this.exchange = exchange;
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
      else if (this.state === 'whole') resolve(this.handOut());
      else this.reader = { resolve, reject };
    });
  }

  /** Takes a part that has arrived. False: no more is wanted, and the connection need not be read. */
  push(part: Buffer): boolean {
    if (this.state === 'dropped') return false;
    this.keep(part);
    if (this.length > MAX.bodyBytes) this.refuse(tooLarge());
    else if (this.chunked && this.framing() > MAX.framingBytes + 2 * this.length) {
      this.exchange.ledger.waste(this.exchange);
      this.refuse(wasteful());
    }
    return !this.dropped;
  }

  /** It has arrived whole. */
  end(): void {
    if (this.state !== 'kept') return;
    this.state = 'whole';
    this.reader?.resolve(this.handOut());
  }

  /** The connection is gone. */
  abort(): void {
    if (this.state === 'kept') this.refuse(new Refusal(ErrorNumber.malformedMessage, 'body did not arrive whole'));
  }

  /** Lets go of what has arrived; what still arrives is not kept. */
  drop(): void {
    if (this.state === 'kept') this.state = 'dropped';
    this.bytes = Buffer.alloc(0);
    this.exchange.ledger.hold(this.exchange, 'body', 0);
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
        const size = Math.min(Math.max(2 * this.bytes.length, 1024), MAX.bodyBytes);
        const larger = Buffer.allocUnsafeSlow(Math.max(length, size));
        this.bytes.copy(larger, 0, 0, this.length);
        this.bytes = larger;
      }
      part.copy(this.bytes, this.length);
    }
    this.length = length;
    const bytes = this.bytes.length + BUFFER_BYTES;
    if (bytes !== this.exchange.held.body) this.exchange.ledger.hold(this.exchange, 'body', bytes);
  }

  /** The body, which is the reader's from now on. */
  private handOut(): Buffer {
    const bytes = this.bytes.subarray(0, this.length);
    this.drop();
    return bytes;
  }
}

/**
 * The text of the body and its media type as the contract declares it, or undefined if there is none.
 *
 * @throws Refusal at once, or later by the promise: `bodyMissing`, `mediaType`, `contentEncoding`, `bodyTooLarge`,
 * `bodyNotInflatable`, `bodyNotUtf8`, `malformedMessage`, `storeUnavailable`
 */
export function readBody(
  exchange: Exchange,
  body: IncomingBody | undefined,
  declared: ContractBody,
): Promise<Body | undefined> | undefined {
  if (body === undefined) {
    requireNone(declared);
    return undefined;
  }
  const { request } = exchange;
  const mediaType = declaredMediaType(request.headers['content-type'], declared);
  const { 'transfer-encoding': coding = 'chunked' } = request.headers;
  // Not at once: most of these Node refuses itself, behind the head.
  if (coding.trim().toLowerCase() !== 'chunked') return Promise.reject(encodingRefused());
  const gzipped = isGzipped(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > MAX.bodyBytes) throw tooLarge();
  exchange.askForBody();
  const toBody = (bytes: Buffer): Body | undefined => {
    if (bytes.length === 0) {
      requireNone(declared);
      return undefined;
    }
    if (!isUtf8(bytes)) throw notUtf8();
    return { mediaType, text: bytes.toString('utf8') };
  };
  const sent = body.read();
  return (gzipped ? sent.then(inflated) : sent).then(toBody);
}

function wasteful(): Refusal {
  return new Refusal(ErrorNumber.malformedMessage, 'the chunks of the body are too small: send fewer, larger ones');
}

function requireNone({ required }: ContractBody): void {
  if (required) throw new Refusal(ErrorNumber.bodyMissing, 'body is missing: send a JSON object');
}

/** The validator keeps memory for each content type that it meets: it must meet only those that are declared. */
function declaredMediaType(header: string | undefined, { types }: ContractBody): string {
  if (header !== undefined && types.has(header)) return header;
  const expected = [...types.keys()].join(' or ');
  if (header === undefined)
    throw new Refusal(ErrorNumber.mediaType, `the header Content-Type is missing: send ${expected}`);
  const parsed = parseMediaType(header);
  if (parsed === undefined) {
    throw new Refusal(ErrorNumber.mediaType, `the header Content-Type cannot be read: send ${expected}`);
  }
  const { essence, params } = parsed;
  if (!types.has(essence)) {
    throw new Refusal(ErrorNumber.mediaType, `the media type of the body must be ${expected}, not ${essence}`);
  }
  if (!['utf-8', 'utf8', undefined].includes(params.get('charset')?.toLowerCase())) {
    throw new Refusal(ErrorNumber.mediaType, 'the charset of the body must be UTF-8');
  }
  return essence;
}

function parseMediaType(header: string): MIMEType | undefined {
  try {
    return new MIMEType(header);
  } catch {
    return undefined;
  }
}

function isGzipped(header = 'identity'): boolean {
  const encoding = header.trim().toLowerCase();
  if (encoding === 'identity') return false;
  // x-gzip is the same by RFC 9110, section 8.4.1.3.
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw encodingRefused();
}

function encodingRefused(): Refusal {
  return new Refusal(
    ErrorNumber.contentEncoding,
    'the content encoding must be gzip, or none, and the transfer encoding chunked',
  );
}

/** At once: inflations that wait for a thread would hold what no bound counts, and this one is soon done. */
function inflated(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX.bodyBytes });
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Refusal(ErrorNumber.bodyNotInflatable, 'body cannot be decompressed: it is not gzip, or not all of it');
  }
}
