import type { TestApp } from '../support/app.ts';
import { VALID } from '../support/raw.ts';
import { type Attacks, lengthOf, type Message, message, messages, POST } from './attack.ts';

export function floods(app: TestApp): Attacks {
  const { HOST, withFraming, withLine } = messages(app);
  const trailer = `13\r\n${VALID}\r\n0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  return {
    'header fields': [
      withLine(POST, `X: ${'x'.repeat(20_000)}`),
      withLine(POST, `${'x'.repeat(20_000)}: x`),
      withLine(POST, ...Array.from({ length: 10_000 }, () => 'a: b')),
      withFraming(['Transfer-Encoding: chunked'], trailer),
    ],
    'a long target': [
      withLine(`POST /${'x'.repeat(1_000_000)} HTTP/1.1`),
      withLine(`POST /plants?${'a=1&'.repeat(10_000)} HTTP/1.1`),
    ],
    parameters: [
      withLine(`POST /plants?${'a&'.repeat(5000)} HTTP/1.1`),
      withLine(`POST /plants?${'&'.repeat(9000)}a HTTP/1.1`),
    ],
    'a head by the byte': [trickle(HOST)],
  };
}

/** Sends a byte a second. */
function trickle(host: string): Message {
  return (socket) => {
    socket.write(`${POST}\r\n${host}\r\n`);
    const timer = setInterval(() => socket.write('x'), 1000);
    socket.once('close', () => {
      clearInterval(timer);
    });
  };
}

export function paths(app: TestApp): Attacks {
  const { get, withLine } = messages(app);
  const at = (...targets: readonly string[]) => targets.map((target) => withLine(`POST ${target} HTTP/1.1`));
  return {
    'almost the path': [
      ...at('/plants/', '/PLANTS', '//plants', '/./plants', '/docs/../plants', '/plants%00', '/plants%', '/plants;x=1'),
      ...at(
        '/%70lants',
        '/plants%2f',
        '/plants%20',
        '/plants\\',
        '/plants/.',
        '/plants.json',
        '/plants#',
        '/__proto__',
      ),
      ...at('//evil.example/plants', 'ftp://evil.example/plants', '*'),
    ],
    'files of the machine': [
      ...['/docs/..%2f..%2fetc/passwd', '/docs/%2e%2e/package.json', '/docs/swagger-ui.css/../../package.json'],
      ...['/docs/..\\..\\package.json', '/../../etc/passwd', '/docs//etc/passwd', '/docs/swagger-ui.css%00.js'],
      ...['/.env', '/.git/config', '/data/plants.db', '/node_modules/express/package.json', '/docs/package.json'],
    ].map((path) => get(path)),
    'bytes that no path has': at(
      '/plants\0',
      '/plants\x1b[2J',
      '/plants\x7f',
      '/plants\x9b',
      '/plants x',
      'plants',
      '?x',
    ),
    'another path in a header': [
      withLine('POST /none HTTP/1.1', 'X-Original-URL: /plants'),
      withLine('POST /none HTTP/1.1', 'X-Rewrite-URL: /plants'),
    ],
    'a query': [
      ...at('/plants?x=1', '/plants?__proto__[x]=1', '/plants?constructor.prototype.x=1', '/plants?%ff=%', '/plants?='),
      ...at('/plants?id=1', '/plants?access_token=x'),
    ],
    'another contract for the page': [
      get('/docs/?url=https://evil.example'),
      get('/docs/?configUrl=https://evil.example'),
    ],
    'another host to be sent to': [
      message('GET /docs HTTP/1.1', [
        'Host: evil.example',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Prefix: /evil',
      ]),
    ],
  };
}

export function methods(app: TestApp): Attacks {
  const { HOST, AUTH, get, withLine } = messages(app);
  const by = (...names: readonly string[]) => names.map((name) => withLine(`${name} /plants HTTP/1.1`));
  const overrides = (method: string) =>
    ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((name) => `${name}: ${method}`);
  const cors = ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'];
  return {
    'another method': by('TRACE', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'SOURCE', 'QUERY'),
    'a method that is none': by('post', 'POSTX', 'DEBUG', 'P\0ST'),
    'an echo': [message('TRACE /docs/ HTTP/1.1', [HOST, AUTH])],
    'another method in a header': [
      message('GET /plants HTTP/1.1', [HOST, AUTH, ...overrides('POST'), lengthOf(VALID)], VALID),
    ],
    'the same the other way': [withLine(POST, ...overrides('DELETE'))],
    'a page of another site': [message('OPTIONS /plants HTTP/1.1', [HOST, ...cors]), get('/plants', ...cors)],
  };
}
