import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Extent, Suite, Trial } from '../../test/support/trials.ts';
import type { Attack, Repeated } from './attack.ts';
import { attackOnce, IMPOSSIBLE } from './round.ts';
import { VERDICTS } from './verdicts.ts';

const AUTH = 'Authorization: Bearer $TOKEN\r\n';
const GUESS = 'Authorization: Bearer $GUESS\r\n';
const HOST = 'Host: x\r\n';
const ITEM = '{"id":$ID,"name":"x"}';
/** The length of ITEM, with an id of nine digits. */
const ITEM_BYTES = 27;
/** More fields than the service accepts, but less than 16 KiB of head: Node does not count colons and line ends. */
const FIELDS: Repeated = { times: 3900, text: 'a:b\r\n' };
const BLANKS_IN_CHUNKS: Repeated = { times: 60_000, text: '1\r\n \r\n' };

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\n${HOST}${fields}\r\n`;
const post = (path: string, ...fields: readonly string[]) =>
  `POST ${path} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${fields.join('')}`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const length = (bytes: number) => `Content-Length: ${bytes}\r\n\r\n`;
const CREATE = post('/items', AUTH, length(ITEM_BYTES)) + ITEM;
const IN_CHUNKS = post('/items', AUTH, CHUNKED) + `1b\r\n${ITEM}\r\n`;
const BLANKS_IN_GZIP = gzipSync(Buffer.alloc(60_000, ' ')).toString('latin1');
/** The most bytes of a body. */
const SCAN_BYTES = 16 * 1024 * 1024;
const SCAN_IN_GZIP = gzipSync(Buffer.alloc(SCAN_BYTES)).toString('latin1');
const scan = (...fields: readonly string[]) =>
  `POST /scans HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/octet-stream\r\n${fields.join('')}`;
const JUNK_IN_CHUNKS: readonly (string | Repeated)[] = [{ times: 65_000, text: '1\r\nx\r\n' }, '0\r\n\r\n'];

/** What the log says about slow clients: the head may take 10 s, and so may each byte of a body or a reply. */
const TOO_LONG = { long: /"status":408/ };
const UNREAD = { long: /the client read nothing of its reply for 10 s.*connection cut off/ };
const both = (says: RegExp) => ({ short: says, long: says });
const TOO_SMALL = both(/"status":400,"error":40001/);

/** 530 of these bodies fill 32 MiB except for 132 bytes, which the clients then send, a byte a second. */
const UNFINISHED = {
  sends: [post('/items', AUTH, length(64_000)), { times: 63_310, text: ' ' }],
  eachSecond: ' ',
  inTests: true,
  log: both(/"status":503,.*"reason":"arriving bodies take/),
} satisfies Partial<Attack>;
const LARGE = [get('/docs/swagger-ui-bundle.js')];
/** The system needs some seconds to fill its buffers. */
const LEFT_UNREAD = { sends: LARGE, neverReads: true, log: UNREAD, seconds: 32 } satisfies Partial<Attack>;

function row(
  phase: Attack['phase'],
  way: Attack['way'],
  caller: Attack['caller'],
  kind: Attack['kind'],
  [short, long]: readonly [short: number, long: number],
  rest: Omit<Attack, 'phase' | 'way' | 'caller' | 'kind' | 'connections'>,
): Attack {
  return { phase, way, caller, kind, connections: { short, long }, ...rest };
}

/** All attacks, in the order of RESULTS.md. */
const MATRIX: readonly Attack[] = [
  row('head', 'held back', 'none', 'holds', [2000, 5000], { name: 'sends nothing', sends: [], log: TOO_LONG }),
  row('head', 'one byte at a time', 'none', 'holds', [2000, 5000], {
    name: 'sends its header fields, a byte a second',
    sends: ['GET /none HTTP/1.1\r\na: '],
    eachSecond: 'b',
    log: TOO_LONG,
  }),
  row('head', 'many fields', 'none', 'holds', [2000, 5000], {
    name: 'sends 3,900 header fields, and holds back the end of the head',
    sends: ['GET /none HTTP/1.1\r\n', FIELDS],
    log: both(/"status":431/),
  }),
  row('head', 'half-closed', 'none', 'burns', [500, 2000], {
    name: 'sends half a head, and closes its side',
    sends: ['GET /none HTTP/1.1\r\nHo'],
    then: 'half-close',
  }),
  row('body', 'many small parts', 'none', 'burns', [1000, 3000], {
    name: 'sends a body in 65,000 chunks of a byte without a token',
    sends: [post('/items', CHUNKED), ...JUNK_IN_CHUNKS],
    inTests: true,
  }),
  row('body', 'many small parts', 'none', 'burns', [1000, 3000], {
    name: 'sends a body in 65,000 chunks of a byte to a path that does not exist',
    sends: [post('/none', CHUNKED), ...JUNK_IN_CHUNKS],
    inTests: true,
  }),
  row('body', 'many small parts', 'none', 'burns', [1000, 3000], {
    name: 'sends a body in 60,000 chunks of a byte with a guessed token, and holds back the end',
    sends: [post('/items', GUESS, CHUNKED), BLANKS_IN_CHUNKS],
  }),
  row('body', 'many small parts', 'one token', 'burns', [100, 1000], {
    name: 'sends valid items in 60,000 chunks of a byte each, and stays',
    sends: [IN_CHUNKS, BLANKS_IN_CHUNKS, '0\r\n\r\n'],
    inTests: true,
    log: TOO_SMALL,
  }),
  row('body', 'many small parts', 'one token', 'burns', [150, 2000], {
    name: 'sends a body in 60,000 chunks of a byte, and holds back the end',
    sends: [IN_CHUNKS, BLANKS_IN_CHUNKS],
    inTests: true,
    log: TOO_SMALL,
  }),
  row('body', 'many small parts', 'many tokens', 'burns', [150, 2000], {
    name: 'sends with fifty tokens bodies in 60,000 chunks of a byte, and holds back the end',
    sends: [IN_CHUNKS, BLANKS_IN_CHUNKS],
    log: TOO_SMALL,
  }),
  row('body', 'held back', 'one token', 'holds', [700, 5000], {
    name: 'sends most of a body of 64,000 bytes, and then a byte a second',
    ...UNFINISHED,
  }),
  row('body', 'held back', 'many tokens', 'holds', [700, 5000], {
    name: 'sends with fifty tokens most of a body of 64,000 bytes, and then a byte a second',
    ...UNFINISHED,
  }),
  row('body', 'one byte at a time', 'one token', 'holds', [1000, 5000], {
    name: 'sends a body, a byte a second',
    sends: [post('/items', AUTH, length(1000))],
    eachSecond: ' ',
  }),
  row('body', 'held back', 'one token', 'holds', [1000, 5000], {
    name: 'sends Expect: 100-continue, and then no body',
    sends: [post('/items', AUTH, 'Expect: 100-continue\r\n', length(64_000))],
    log: TOO_LONG,
  }),
  row('body', 'many fields', 'one token', 'holds', [1000, 5000], {
    name: 'sends 3,900 fields behind the last chunk, and holds back their end',
    sends: [`${IN_CHUNKS}0\r\n`, FIELDS],
    log: both(/"status":431/),
  }),
  row('body', 'half-closed', 'one token', 'burns', [500, 2000], {
    name: 'sends half a body, and closes its side',
    sends: [post('/items', AUTH, length(1000)), '{"id":1,'],
    then: 'half-close',
  }),
  row('body', 'reconnecting', 'one token', 'burns', [500, 2000], {
    name: 'sends half a create, and resets the connection',
    sends: [post('/items', AUTH, length(1000)), '{"id":1,'],
    then: 'reset',
  }),
  row('body', 'waiting', 'one token', 'burns', [500, 2000], {
    name: 'sends a valid item in 64 KiB of blanks, again and again',
    sends: [post('/items', AUTH, length(65_536)), { times: 65_536 - ITEM_BYTES, text: ' ' }, ITEM],
    then: 'again',
  }),
  row('body', 'waiting', 'one token', 'burns', [500, 5000], {
    name: 'sends 60 KB of blanks as 80 bytes of gzip, again and again',
    sends: [post('/items', AUTH, 'Content-Encoding: gzip\r\n', length(BLANKS_IN_GZIP.length)), BLANKS_IN_GZIP],
    then: 'again',
  }),
  row('body', 'held back', 'one token', 'burns', [20, 200], {
    name: 'sends most of 16 MiB of bytes, and then a byte a second',
    sends: [scan(length(SCAN_BYTES)), { times: SCAN_BYTES - 1000, text: ' ' }],
    eachSecond: ' ',
    inTests: true,
    log: both(/"status":503,.*"reason":"arriving bodies take/),
  }),
  row('body', 'waiting', 'one token', 'burns', [20, 200], {
    name: 'sends 16 MiB of bytes, again and again',
    sends: [scan(length(SCAN_BYTES)), { times: SCAN_BYTES, text: ' ' }],
    then: 'again',
  }),
  row('body', 'waiting', 'one token', 'burns', [500, 2000], {
    name: 'sends 16 MiB of bytes as 16 KB of gzip, again and again',
    sends: [scan('Content-Encoding: gzip\r\n', length(SCAN_IN_GZIP.length)), SCAN_IN_GZIP],
    then: 'again',
    inTests: true,
  }),
  row('working', 'reconnecting', 'one token', 'burns', [500, 2000], {
    name: 'sends a valid item, and resets the connection',
    sends: [CREATE],
    then: 'reset',
  }),
  row('working', 'reconnecting', 'none', 'burns', [500, 2000], {
    name: 'sends a request for a path that does not exist, each on a connection of its own',
    sends: [get('/none')],
    then: 'leave',
  }),
  row('working', 'waiting', 'none', 'burns', [500, 5000], {
    name: 'sends a guessed token with each request',
    sends: [post('/items', GUESS, length(0))],
    then: 'again',
  }),
  row('working', 'waiting', 'one token', 'burns', [3000, 5000], {
    name: 'sends valid items, each when the one before is answered',
    sends: [CREATE],
    then: 'again',
    inTests: true,
  }),
  row('working', 'waiting', 'many tokens', 'burns', [3000, 5000], {
    name: 'sends with fifty tokens valid items, each when the one before is answered',
    sends: [CREATE],
    then: 'again',
  }),
  row('working', 'pipelined', 'one token', 'burns', [100, 1000], {
    name: 'sends a thousand valid items at once, and never reads',
    sends: [{ times: 1000, text: CREATE }],
    neverReads: true,
    inTests: true,
  }),
  row('working', 'pipelined', 'none', 'burns', [200, 1000], {
    name: 'sends 5,000 requests for a path that does not exist at once, and never reads',
    sends: [{ times: 5000, text: get('/none') }],
    neverReads: true,
    inTests: true,
  }),
  row('working', 'many fields', 'none', 'burns', [100, 1000], {
    name: 'sends a hundred requests of 3,900 header fields at once, and never reads',
    sends: [{ times: 100, text: get('/none', FIELDS.text.repeat(FIELDS.times)) }],
    neverReads: true,
  }),
  row('replying', 'pipelined', 'none', 'burns', [200, 2000], {
    name: 'sends a hundred requests for /openapi.json at once, and never reads',
    sends: [{ times: 100, text: get('/openapi.json') }],
    neverReads: true,
  }),
  // Each connection fills up to 1.4 MB of the system's buffers. With more connections the system runs out of memory for
  // TCP (tcp_mem), and drops packets.
  row('replying', 'never reading', 'none', 'holds', [1000, 1000], {
    name: 'sends a request for /docs/swagger-ui-bundle.js, and never reads',
    ...LEFT_UNREAD,
    inTests: true,
  }),
  row('replying', 'half-closed', 'none', 'holds', [1000, 1000], {
    name: 'sends a request for /docs/swagger-ui-bundle.js, closes its side, and never reads',
    ...LEFT_UNREAD,
    then: 'half-close',
  }),
  row('idle', 'many fields', 'none', 'holds', [2000, 5000], {
    name: 'sends a request of 3,900 header fields, is answered, and stays',
    sends: [get('/none', FIELDS.text.repeat(FIELDS.times))],
    inTests: true,
    log: both(/"status":431/),
  }),
  row('idle', 'held back', 'none', 'holds', [2000, 5000], {
    name: 'sends a request, is answered, and stays',
    sends: [get('/none')],
  }),
];

const floods = MATRIX.map((attack) => {
  const { name, phase, way, caller, kind, connections, inTests = false } = attack;
  return {
    cells: [name, phase, way, caller, kind, connections.long.toLocaleString('en')],
    impossible: IMPOSSIBLE,
    inTests,
    run: ({ long }: Extent) => attackOnce(attack, long ? 'long' : 'short'),
  };
});

export const ATTACKS: Suite = {
  command: 'test:attacks',
  takes: 'a quarter of an hour',
  results: join(import.meta.dirname, 'RESULTS.md'),
  title: 'What hostile clients did, and what came of it',
  text: `Each row of many connections is an attack of 20 s (32 s where each client leaves one
large reply unread) on a new service with a heap of 400 MB, while honest clients create ten items a second. It says how many of these were answered with 200 (all of them, within 5 s
after the attack), how long 99 of 100 took at most, and the most memory that the service had. Those 5 s stand still while
the main thread of the service waits for a processor. Clients that hold take memory, those that burn take the
processor. The last rows are single bodies, and replies of the same content: they say what the costliest verdict took. The
service promises at most 50 ms and 20 MB for 64 KiB, and 500 ms and 100 MB for 1 MiB, for each contract that it accepts. A
row that found a broken promise says which, and the command failed.`,
  columns: ['what each client does', 'phase', 'way', 'caller', 'kind', 'connections'],
  trials: [...floods, ...VERDICTS],
  // All in one lane, as each attack needs the whole machine.
  laneOf: () => '',
};

/** The attacks of which the tests run a short round. */
export const TRIED: readonly Trial[] = [...floods.filter(({ inTests }) => inTests), ...VERDICTS];
