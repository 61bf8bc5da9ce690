import { makeToken } from '../../src/auth/token.ts';
import type { TestApp } from '../support/app.ts';
import { JSON_TYPE, VALID } from '../support/raw.ts';
import { type Attacks, lengthOf, type Message, message, messages, POST } from './attack.ts';

export function authorizations(app: TestApp): Attacks {
  const { token } = app;
  const { HOST, withAuthorization, withLine } = messages(app);
  const bearing = (...values: readonly string[]) => values.map((value) => withAuthorization(`Authorization: ${value}`));
  const last = token.at(-1) ?? '';
  // Of the 43rd character of a token, two bits count for nothing when it is decoded.
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const alike = digits.charAt(digits.indexOf(last) ^ 1);
  const trailer = `13\r\n${VALID}\r\n0\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return {
    'another scheme': bearing(`Basic ${token}`, `xBearer ${token}`, `Bearer\t${token}`, 'Bearer', token, ''),
    'the token elsewhere': [
      message(`POST /plants?access_token=${token} HTTP/1.1`, [HOST, JSON_TYPE, lengthOf(VALID)], VALID),
      withAuthorization(`Cookie: access_token=${token}`),
      withAuthorization(`Proxy-Authorization: Bearer ${token}`),
      withAuthorization(`X-Api-Key: ${token}`),
      message(POST, [HOST, JSON_TYPE, 'Transfer-Encoding: chunked', 'Trailer: Authorization'], trailer),
    ],
    'more than the token': [
      ...bearing(`Bearer ${token} ${token}`, `Bearer ${token},`, `Bearer "${token}"`, `Bearer Bearer ${token}`),
      ...bearing(`Bearer token=${token}`, `Bearer ${token}\xe9`, `Bearer \xa0${token}`, "Bearer x'or'1'='1"),
      withLine(POST, `Authorization: Bearer ${token}`),
      withLine(POST, 'Authorization: Basic x'),
    ],
    'almost the token': bearing(
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token}=`,
      `Bearer ${token.slice(0, -1)}${alike}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${makeToken()}`,
      `Bearer ${'x'.repeat(15_000)}`,
    ),
    'control characters': bearing(
      `Bearer ${token}\0`,
      `Bearer ${token}\x7f`,
      `Bearer ${token}\x0b`,
      `Bearer\r\n ${token}`,
    ),
  };
}

export function framings(app: TestApp): Attacks {
  const { HOST, AUTH, get, create, withLine, withFraming } = messages(app);
  const hidden = create('{"id":666,"name":"hidden"}');
  const before = (...all: readonly Buffer[]) => all.map((each) => Buffer.concat([each, hidden]));
  const LENGTH = lengthOf(VALID);
  const CHUNKED = 'Transfer-Encoding: chunked';
  const chunks = (size = '13', behind = '\r\n0\r\n\r\n') => `${size}\r\n${VALID}${behind}`;
  const sized = (...values: readonly string[]) =>
    before(...values.map((value) => withFraming([`Content-Length: ${value}`], VALID)));
  const coded = (...values: readonly string[]) =>
    before(...values.map((value) => withFraming([`Transfer-Encoding: ${value}`], chunks())));
  const chunked = (...bodies: readonly string[]) => before(...bodies.map((body) => withFraming([CHUNKED], body)));
  const fielded = (...fields: readonly string[]) => before(...fields.map((field) => withLine(POST, field)));
  const hosted = (...hosts: readonly (readonly string[])[]) =>
    before(...hosts.map((each) => message(POST, [...each, AUTH, JSON_TYPE, LENGTH], VALID)));
  const respelt = (from: string | RegExp, to: string) => Buffer.from(String(create(VALID)).replaceAll(from, to));
  return {
    'two lengths': before(
      withFraming([LENGTH, CHUNKED], chunks()),
      withFraming([CHUNKED, LENGTH], chunks()),
      withFraming([LENGTH, 'Content-Length: 0'], VALID),
      withFraming([LENGTH, LENGTH], VALID),
    ),
    'a length that is none': sized(
      '+19',
      '0x13',
      '1_9',
      '-1',
      '19,19',
      '19 19',
      '1e1',
      '19.0',
      '',
      '18446744073709551635',
    ),
    'a coding that is none': [
      ...coded(
        'xchunked',
        'identity',
        'chunked, identity',
        'chunked, chunked',
        '"chunked"',
        'chunked;x=1',
        '\x0bchunked',
      ),
      ...coded('', '\r\n chunked'),
    ],
    'chunks in a coding': coded('identity, chunked', 'gzip, chunked'),
    'a chunk size that is none': [
      ...chunked(chunks('0x13'), chunks('-13'), chunks('+13'), chunks(' 13'), chunks('13 '), chunks('')),
      ...chunked(chunks('10000000000000013'), chunks('12'), chunks('13', '0\r\n\r\n')),
    ],
    'a chunk extension': [
      ...chunked(chunks(`13;${'x'.repeat(20_000)}`), chunks('13;x\n'), chunks('13;x\ry'), chunks('13;x="')),
    ],
    'a length in the trailer': chunked(chunks('13', '\r\n0\r\nContent-Length: 9\r\n\r\n')),
    'a line that ends otherwise': before(
      respelt('\r\n', '\n'),
      respelt('\r\n', '\r'),
      respelt(/\r\n(?=Auth)/g, '\n'),
      respelt(/\r\n(?=Auth)/g, '\r'),
      withFraming([CHUNKED], chunks().replaceAll('\r\n', '\n')),
    ),
    'a header field that is none': fielded(
      'X : y',
      'X: y\r\n z',
      'X: y\0',
      'X\0: y',
      ': y',
      'no colon',
      'X: y\x01',
      'X\xe9: y',
    ),
    'a host that is none': hosted(
      [],
      [HOST, HOST],
      [HOST, 'Host: evil.example'],
      ['Host: a, b'],
      ['Host: a/b'],
      ['Host: a@b'],
    ),
    'another version': [
      ...before(withLine('POST /plants'), withLine('POST /plants HTTP/1.2'), withLine('POST /plants HTTP/2.0')),
      ...before(
        withLine('POST /plants http/1.1'),
        withLine('POST /plants HTTP/1.10'),
        withLine('POST /plants HTTP/9.9'),
      ),
      ...before(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
      Buffer.from(String(withFraming([CHUNKED, 'Connection: keep-alive'], chunks())).replace('HTTP/1.1', 'HTTP/1.0')),
    ],
    'a request as the body of one without a token': [
      message(POST, [HOST, JSON_TYPE, lengthOf(hidden)], hidden),
      message(POST, [HOST, JSON_TYPE, lengthOf(hidden), 'Expect: 100-continue'], hidden),
      message(POST, [HOST, JSON_TYPE, CHUNKED], `${hidden.length.toString(16)}\r\n${String(hidden)}\r\n0\r\n\r\n`),
    ],
    'a request as the body of another method': ['GET', 'DELETE', 'OPTIONS'].map((method) =>
      message(`${method} /plants HTTP/1.1`, [HOST, AUTH, lengthOf(hidden)], hidden),
    ),
    'a request behind an offer': before(
      get('/openapi.yaml', 'Connection: Upgrade', 'Upgrade: h2c'),
      get('/openapi.yaml', 'Connection: Upgrade', 'Upgrade: websocket'),
    ),
    'a tunnel': [...before(message('CONNECT evil.example:443 HTTP/1.1', [HOST])), tunnelAndReset(HOST)],
    'another host': [
      withLine('POST http://evil.example/plants HTTP/1.1'),
      withLine(POST, 'X-Forwarded-Host: evil.example'),
    ],
  };
}

function tunnelAndReset(host: string): Message {
  return (socket) => {
    socket.write(message('CONNECT evil.example:443 HTTP/1.1', [host]));
    socket.once('data', () => socket.resetAndDestroy());
  };
}
