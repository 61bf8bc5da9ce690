import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** All bytes that arrived. */
  readonly text: string;
  /** The statuses of all answers. */
  readonly statuses: readonly number[];
  /** The status of the first answer, whose headers and body follow. */
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the connection lasted, in milliseconds. */
  readonly ms: number;
}

export const VALID = '{"id":1,"name":"x"}';
export const JSON_TYPE = 'Content-Type: application/json';

/** Parts of handwritten requests. @param path to which records are sent */
export function byHand({ url, token }: { readonly url: string; readonly token: string }, path = '/items') {
  const HOST = `Host: ${new URL(url).host}`;
  const AUTH = `Authorization: Bearer ${token}`;
  const request = (line: string, ...fields: readonly string[]) =>
    `${line} HTTP/1.1\r\n${[HOST, ...fields].join('\r\n')}\r\n\r\n`;
  return {
    HOST,
    AUTH,
    request,
    /** The head of a request that sends a record, with no fields but these. */
    post: (...fields: readonly string[]) => `POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`,
    create: (body: string, ...fields: readonly string[]) =>
      request(`POST ${path}`, AUTH, JSON_TYPE, ...fields, `Content-Length: ${Buffer.byteLength(body)}`) + body,
    /** A request that gets 404 and closes the connection. */
    LAST: request('GET /none', 'Connection: close'),
  };
}

/** Opens a connection; `received` is the text that has arrived so far. */
export function open({ url }: { readonly url: string }): { readonly socket: Socket; readonly received: string } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('utf8');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  // The service may close the connection while the client still sends.
  socket.on('error', () => undefined);
  return {
    socket,
    get received() {
      return received;
    },
  };
}

/** Sends each part as it is, or calls it with the socket; then reads until the connection is closed. */
export async function sendRaw(
  url: string,
  ...parts: readonly (string | Buffer | ((socket: Socket) => unknown))[]
): Promise<RawAnswer> {
  const start = performance.now();
  const connection = open({ url });
  const { socket } = connection;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) {
    if (typeof part === 'function') await part(socket);
    else socket.write(part);
  }
  await closed;
  const text = connection.received;
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  return {
    text,
    statuses: (text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []).map(Number),
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]),
    ),
    body: body.join('\r\n\r\n'),
    ms: performance.now() - start,
  };
}
