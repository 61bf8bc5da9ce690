import { isUtf8 } from 'node:buffer';
import { MIMEType, promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { type ContractBody, MAX_BODY_BYTES, notUtf8, type MessageBody, tooLarge } from 'trellis-contract';
import { ErrorNumber, overloaded, Refusal } from 'trellis-contract/ground';
import { MAX } from './bounds.ts';
import type { Context } from './context.ts';

/**
 * @param declared undefined: the operation has no requestBody; a chunked body without a chunk counts as no body
 * @throws Refusal at once, or by the promise, for a body that is missing, too large or unreadable
 */
export function readBody(
  context: Context,
  declared: ContractBody | undefined,
): Promise<MessageBody | undefined> | undefined {
  const { request, body } = context;
  if (body === undefined) {
    requireNone(declared);
    return undefined;
  }
  const { 'content-type': type, 'content-length': length } = request.headers;
  // A chunked body without a chunk is none, and needs no type (RFC 9110, section 8.3).
  const isTyped = declared !== undefined && (type !== undefined || length !== undefined);
  const known = isTyped ? declaredMediaType(type, declared) : undefined;
  const gzipped = declared !== undefined && isGzipped(request.headers['content-encoding']);
  const maxBytes = declared?.maxBytes ?? 0;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  context.askForBody();
  const take = (bytes: Buffer): MessageBody | undefined => {
    if (bytes.length === 0 || declared === undefined) {
      requireNone(declared);
      return undefined;
    }
    const mediaType = known ?? declaredMediaType(type, declared);
    context.slots = Math.ceil(bytes.length / MAX.bodyBytes);
    if (declared.types.get(mediaType)?.kind === 'bytes') {
      // Not the Buffer, some of whose methods differ; a copy, if it is a part of a larger one.
      const isWhole = bytes.length === bytes.buffer.byteLength;
      return { mediaType, value: isWhole ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes) };
    }
    if (!isUtf8(bytes)) throw notUtf8();
    return { mediaType, text: bytes.toString('utf8') };
  };
  const sent = body.read();
  return (gzipped ? sent.then((bytes) => inflated(bytes, maxBytes, context)) : sent).then(take);
}

function requireNone(declared: ContractBody | undefined): void {
  if (declared?.required) throw new Refusal(ErrorNumber.bodyMissing, `body is missing: send ${needed(declared)}`);
}

function needed({ types }: ContractBody): string {
  return types.values().every(({ kind }) => kind === 'json')
    ? 'a JSON object'
    : `${[...types.keys()].join(' or ')}, not empty`;
}

function declaredMediaType(header: string | undefined, { types }: ContractBody): string {
  if (header !== undefined && types.has(header)) return header;
  const expected = [...types.keys()].join(' or ');
  if (header === undefined)
    throw new Refusal(ErrorNumber.mediaType, `the header Content-Type is missing: send ${expected}`);
  let type;
  try {
    type = new MIMEType(header);
  } catch {
    throw new Refusal(ErrorNumber.mediaType, `the header Content-Type is malformed: send ${expected}`);
  }
  const { essence, params } = type;
  if (!types.has(essence))
    throw new Refusal(ErrorNumber.mediaType, `the media type of the body must be ${expected}, not ${essence}`);
  if (
    types.get(essence)?.kind !== 'bytes' &&
    !['utf-8', 'utf8', undefined].includes(params.get('charset')?.toLowerCase())
  )
    throw new Refusal(ErrorNumber.mediaType, 'the charset of the body must be UTF-8');
  return essence;
}

/** A list may have empty elements (RFC 9110, section 5.6.1.2): an empty one names no coding. */
function isGzipped(header: string | undefined): boolean {
  if (header === undefined) return false;
  const codings = header.split(',').map((each) => each.trim().toLowerCase());
  const [coding, ...others] = codings.filter((each) => each !== '' && each !== 'identity');
  if (coding === undefined) return false;
  // The two are equivalent (RFC 9110, section 8.4.1.3).
  if (others.length === 0 && (coding === 'gzip' || coding === 'x-gzip')) return true;
  throw new Refusal(ErrorNumber.contentEncoding, 'Content-Encoding must be gzip or absent');
}

/** The parts in which a body of bytes is inflated. */
const INFLATED_BYTES = 256 * 1024;
/** Bytes are there as parts, as a whole, and for some time as garbage. */
const COPIES = 4;

/**
 * Synchronous up to 1 MiB: inflations that waited for a thread would hold memory that the ledger does not count. Those of
 * more bytes would hold up all other requests, and take the slots of the bytes that they may become.
 */
async function inflated(bytes: Buffer, maxBytes: number, { ledger, key }: Context): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const held = { key, slots: maxBytes > MAX_BODY_BYTES ? Math.ceil((COPIES * maxBytes) / MAX.bodyBytes) : 0 };
  if (held.slots > 0 && !ledger.takeSlots(held)) throw overloaded;
  try {
    if (held.slots === 0) return gunzipSync(bytes, { maxOutputLength: maxBytes });
    return await promisify(gunzip)(bytes, { maxOutputLength: maxBytes, chunkSize: INFLATED_BYTES });
  } catch (error) {
    if (Error.isError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new Refusal(
      ErrorNumber.bodyNotInflatable,
      'body cannot be decompressed: send it as complete gzip data, or without Content-Encoding',
    );
  } finally {
    if (held.slots > 0) ledger.releaseSlots(held);
  }
}
