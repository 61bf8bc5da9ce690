import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ContractBody } from '../contract/contract.ts';
import { ErrorNumber, overloaded, Refusal } from '../contract/errors.ts';

/** The most bytes a body may have, as sent and after decompression. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The most bytes of bodies that may be on their way at the same time: what comes beyond is refused. */
export const MOST_BODY_BYTES = 32 * 1024 * 1024;
let bytesOnTheWay = 0;

const inflate = promisify(gunzip);

const awaitingContinue = new WeakSet<IncomingMessage>();

/** Remembers that the client sends the body only when it is told to (RFC 9110, section 10.1.1). */
export function expectContinue(request: IncomingMessage): void {
  awaitingContinue.add(request);
}

/** Whether the message announces a body that is not empty (RFC 9112, section 6.3). */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

export interface Body {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * The text of the body and its media type as the contract declares it, or undefined if there is none.
 *
 * @throws Refusal at once, or later by the promise: `bodyMissing`, `mediaType`, `contentEncoding`, `bodyTooLarge`,
 * `bodyNotInflatable`, `bodyNotUtf8`, `storeUnavailable`
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  declared: ContractBody,
): Promise<Body | undefined> | undefined {
  if (!announcesBody(request)) {
    requireNone(declared);
    return undefined;
  }
  const mediaType = declaredMediaType(request.headers['content-type'], declared);
  const { 'transfer-encoding': coding = 'chunked' } = request.headers;
  if (coding.trim().toLowerCase() !== 'chunked') throw encodingRefused();
  const gzipped = isGzipped(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (awaitingContinue.has(request)) response.writeContinue();
  const toBody = (bytes: Buffer): Body | undefined => {
    if (bytes.length === 0) {
      requireNone(declared);
      return undefined;
    }
    if (!isUtf8(bytes)) throw notUtf8();
    return { mediaType, text: bytes.toString('utf8') };
  };
  const sent = readBytes(request);
  return (gzipped ? sent.then(inflated) : sent).then(toBody);
}

export function notUtf8(): Refusal {
  return new Refusal(ErrorNumber.bodyNotUtf8, 'body is not UTF-8');
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

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = () => {
      bytesOnTheWay -= length;
      length = 0;
      request.removeAllListeners('data');
    };
    const refuse = (refusal: Refusal) => {
      // No more is read: whoever answers closes the connection.
      request.pause();
      settle();
      reject(refusal);
    };
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      bytesOnTheWay += chunk.length;
      chunks.push(chunk);
      if (length > MAX_BODY_BYTES) refuse(tooLarge());
      else if (bytesOnTheWay > MOST_BODY_BYTES) refuse(overloaded);
    });
    request.on('end', () => {
      settle();
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    // The client went away in the middle, or the framing of the body is broken.
    request.on('error', () => {
      settle();
      reject(new Refusal(ErrorNumber.malformedMessage, 'body did not arrive whole'));
    });
  });
}

async function inflated(bytes: Buffer): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Refusal(ErrorNumber.bodyNotInflatable, 'body cannot be decompressed: it is not gzip, or not all of it');
  }
}

export function tooLarge(): Refusal {
  return new Refusal(ErrorNumber.bodyTooLarge, `body is larger than ${String(MAX_BODY_BYTES)} bytes`);
}
