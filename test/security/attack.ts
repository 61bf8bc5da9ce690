import type { Socket } from 'node:net';
import type { TestApp } from '../support/app.ts';
import { byHand, JSON_TYPE, VALID } from '../support/raw.ts';

/** What is sent on a connection of its own: bytes, or what somebody does with the connection. */
export type Message = Buffer | ((socket: Socket) => void);

/** What is tried, by the words before the colon of its row in the README. */
export type Attacks = Readonly<Record<string, readonly Message[]>>;

export const POST = 'POST /plants HTTP/1.1';

/** A message as it is, whatever is wrong with it. */
export function message(line: string, fields: readonly string[], body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(`${[line, ...fields].join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

export const lengthOf = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;

/** Messages that lack nothing but what an attack takes from them. */
export function messages(app: TestApp) {
  const { HOST, AUTH } = byHand(app);
  const fields = [HOST, AUTH, JSON_TYPE];
  return {
    HOST,
    AUTH,
    get: (path: string, ...more: readonly string[]) => message(`GET ${path} HTTP/1.1`, [HOST, ...more]),
    create: (body: string | Buffer, ...more: readonly string[]) =>
      message(POST, [...fields, lengthOf(body), ...more], body),
    withLine: (line: string, ...more: readonly string[]) => message(line, [...fields, lengthOf(VALID), ...more], VALID),
    /** Without a token. */
    withAuthorization: (...authorization: readonly string[]) =>
      message(POST, [HOST, JSON_TYPE, lengthOf(VALID), ...authorization], VALID),
    /** Without a length. */
    withFraming: (framing: readonly string[], body: string) => message(POST, [...fields, ...framing], body),
  };
}
