import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { send } from '../http/reply.ts';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** How a file is coded, the smallest first. Brotli's quality 11 would take 3.5 s for Swagger UI and save 8 %. */
const CODINGS = {
  br: (bytes: Buffer) => toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => toGzip(bytes, { level: 9 }),
  identity: (bytes: Buffer) => Promise.resolve(bytes),
} as const;

type Coding = keyof typeof CODINGS;

interface Coded {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Answers with a file, in the coding that the client prefers, or with 304 if the client has this file (RFC 9110, section
 * 13.1.2). Node's thread pool codes it once, when a client first accepts the coding. All replies share these Buffers, and `send`
 * sends them in parts: thousands for slow clients take little memory, and hold up no other.
 */
export function serveFile(mediaType: string, cacheControl: string, content: Buffer): RequestHandler {
  const made = new Map<Coding, Promise<Coded>>();
  const make = async (coding: Coding): Promise<Coded> => {
    const bytes = await CODINGS[coding](content);
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
  };
  return async (request, response) => {
    const coding = preferredCoding(request.get('Accept-Encoding'));
    const { bytes, etag } = await made.getOrInsertComputed(coding, make);
    // Express compares the ETag of `fresh` with If-None-Match.
    response.vary('Accept-Encoding').set({ ETag: etag, 'Cache-Control': cacheControl });
    if (request.fresh) send(response.context, 304, {});
    else {
      const fields = coding === 'identity' ? {} : { 'Content-Encoding': coding };
      send(response.context, 200, fields, mediaType, bytes);
    }
  };
}

/** RFC 9110, section 12.5.3. A client that accepts nothing of CODINGS gets the file as it is. */
function preferredCoding(accepted = ''): Coding {
  const weights = new Map(
    accepted.split(',').map((each) => {
      const [, name = '', weight = '1'] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(each) ?? [];
      return [name.toLowerCase(), Number(weight)];
    }),
  );
  // Without a weight of its own, `identity` is acceptable, but any coding that the client names is better.
  const weigh = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? Number.MIN_VALUE : 0);
  const codings = (Object.keys(CODINGS) as Coding[]).filter((coding) => weigh(coding) > 0);
  const [best = 'identity'] = codings.sort((one, other) => weigh(other) - weigh(one));
  return best;
}
