import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Orders, Repeated, Tally } from './attack.ts';

// This file runs as its own process. Its low priority gives the service the processor first.
setPriority(constants.priority.PRIORITY_LOW);

/** How many connections are opened each second: at first, and in place of those that ended. */
const FIRST_PER_SECOND = 2500;
const NEXT_PER_SECOND = { holds: 200, burns: 2000 };

/** The longest text that is written at once, in characters. */
const MAX_AT_ONCE = 64 * 1024;

/** The first id: all ids from here have nine digits. */
const FIRST_ID = 100_000_001;

const { attack, url, tokens, connections } = JSON.parse(process.argv[2] ?? '') as Orders;
const { hostname, port } = new URL(url);
const tally: Tally = { answers: {}, created: [], refused: [] };
let nextId = FIRST_ID;

// Paused sockets do not keep this process alive; the timer does.
setInterval(() => undefined, 1000);
process.once('SIGTERM', () => process.stdout.write(JSON.stringify(tally), () => process.exit()));
console.error('attacking');

/** Returns a function that waits for its turn, `perSecond` turns in a second. */
function pace(perSecond: number): () => Promise<void> {
  let next = performance.now();
  return async () => {
    next = Math.max(performance.now(), next) + 1000 / perSecond;
    await sleep(Math.max(0, next - performance.now()));
  };
}

/** Texts without `$ID` and `$GUESS`, as bytes. All connections share them, to save memory. */
const shared = new Map<string, Buffer>();

function* bytes({ times, text }: Repeated, token: string, ids: number[]): Generator<Buffer> {
  if (!text.includes('$ID') && !text.includes('$GUESS')) {
    const key = `${times} ${token} ${text}`;
    const known = shared.get(key) ?? Buffer.from(text.replaceAll('$TOKEN', token).repeat(times), 'latin1');
    shared.set(key, known);
    yield known;
    return;
  }
  let filled = '';
  for (let done = 0; done < times; done++) {
    if (text.includes('$ID')) ids.push(nextId);
    filled += text
      .replace('$TOKEN', token)
      .replace('$GUESS', () => `itemstore_${randomBytes(32).toString('base64url')}`)
      .replace('$ID', () => String(nextId++));
    if (filled.length > MAX_AT_ONCE || done === times - 1) {
      yield Buffer.from(filled);
      filled = '';
    }
  }
}

/** Counts the answers, and calls `answered` for each. */
function read(socket: Socket, ids: number[], answered: () => void): void {
  const start = 'HTTP/1.1 ';
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start)) {
      if (text.length < at + start.length + 3) break;
      const status = text.slice(at + start.length, at + start.length + 3);
      text = text.slice(at + start.length + 3);
      tally.answers[status] = (tally.answers[status] ?? 0) + 1;
      if (status === '100') continue;
      const id = ids.shift();
      if (id !== undefined) (status === '200' ? tally.created : tally.refused).push(id);
      answered();
    }
    // These characters may be the beginning of the next answer.
    text = text.slice(-(start.length + 2));
  });
}

/** Runs the attack on one connection, until that is closed. */
async function one(token: string): Promise<void> {
  const socket = connect({ port: Number(port), host: hostname, noDelay: true }).on('error', () => undefined);
  const isClosed = () => socket.destroyed;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ids: number[] = [];
  let answered = Promise.withResolvers<undefined>();
  if (attack.neverReads) socket.pause();
  else read(socket, ids, () => answered.resolve(undefined));
  await Promise.race([closed, new Promise((resolve) => socket.once('connect', resolve))]);
  if (isClosed()) return;
  do {
    answered = Promise.withResolvers();
    for (const part of attack.sends) {
      for (const chunk of bytes(typeof part === 'string' ? { times: 1, text: part } : part, token, ids)) {
        if (isClosed()) return;
        if (!socket.write(chunk)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
      }
    }
    if (attack.then === 'again' || attack.then === 'leave') await Promise.race([closed, answered.promise]);
  } while (attack.then === 'again' && !isClosed());
  if (attack.then === 'leave') socket.destroy();
  if (attack.then === 'reset') socket.resetAndDestroy();
  if (attack.then === 'half-close') socket.end();
  const { eachSecond } = attack;
  const trickle = eachSecond === undefined ? undefined : setInterval(() => socket.write(eachSecond), 1000);
  await closed;
  clearInterval(trickle);
}

const [first, next] = [pace(FIRST_PER_SECOND), pace(NEXT_PER_SECOND[attack.kind])];

async function client(number: number): Promise<never> {
  const token = tokens[number % tokens.length] ?? '';
  await first();
  for (;;) {
    await one(token);
    await next();
  }
}

await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
