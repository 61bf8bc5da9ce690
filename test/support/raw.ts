import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** All that came. */
  readonly text: string;
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the connection lasted, in milliseconds. */
  readonly ms: number;
}

export const VALID = '{"id":1,"name":"x"}';
export const JSON_TYPE = 'Content-Type: application/json';

/** The header fields that requests written by hand share, and the head of one to createPlant. */
export function byHand({ url, token }: { readonly url: string; readonly token: string }) {
  return {
    HOST: `Host: ${new URL(url).host}`,
    AUTH: `Authorization: Bearer ${token}`,
    post: (...fields: readonly string[]) => `POST /plants HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`,
  };
}

/** Sends bytes as they are, or does with the connection what it is told, and takes what comes until it is closed. */
export async function sendRaw(
  url: string,
  ...parts: readonly (string | Buffer | ((socket: Socket) => void))[]
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const start = performance.now();
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  // What is still being sent when the other side closes is lost, as it is meant to be.
  socket.on('error', () => undefined);
  for (const part of parts) {
    if (typeof part === 'function') part(socket);
    else socket.write(part);
  }
  await new Promise((resolve) => socket.once('close', resolve));
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  return {
    text,
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]),
    ),
    body: body.join('\r\n\r\n'),
    ms: performance.now() - start,
  };
}
