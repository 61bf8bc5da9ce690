import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a flood is started with, and prints in the end. This file runs as a process of its own. */
export interface Flood {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
  /** How many requests are sent at once, and whether the next ones wait for their answers. */
  readonly together: number;
  readonly waits: boolean;
  /** Where the ids of what was acknowledged are written, one a line. */
  readonly file: string;
}
export interface Flooded {
  sent: number;
  created: number;
  refused: number;
  /** Connections that the service has closed; each was opened again. */
  closed: number;
  /** Answers that are neither 200 nor 503 with Retry-After. */
  wrong: string[];
}

const flood = JSON.parse(process.argv[2] ?? '') as Flood;
const { hostname, port, host } = new URL(flood.url);
const end = performance.now() + flood.seconds * 1000;
const flooded: Flooded = { sent: 0, created: 0, refused: 0, closed: 0, wrong: [] };
const created: number[] = [];
let nextId = 1;

function request(id: number): string {
  const body = `{"id":${id},"name":"Monstera deliciosa"}`;
  return `POST /plants HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${flood.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Sends as much as the connection takes, until the service closes it or all is over. */
async function one(): Promise<void> {
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const pending: number[] = [];
  let text = '';
  let answered = () => undefined as unknown;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (let start = 0; ;) {
      const body = text.indexOf('\r\n\r\n', start) + 4;
      const [, length = ''] = /Content-Length: (\d+)/.exec(text.slice(start, body)) ?? [];
      if (body < 4 || text.length < body + Number(length)) {
        text = text.slice(start);
        return;
      }
      const id = pending.shift() ?? 0;
      const status = text.slice(start + 9, start + 12);
      if (status === '200') created.push(id);
      else if (status === '503' && text.slice(start, body).includes('Retry-After: 1')) flooded.refused++;
      else flooded.wrong.push(text.slice(start, body + Number(length)));
      if (pending.length === 0) answered();
      start = body + Number(length);
    }
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  while (performance.now() < end && !socket.destroyed) {
    const ids = Array.from({ length: flood.together }, () => nextId++);
    pending.push(...ids);
    flooded.sent += ids.length;
    const accepted = socket.write(ids.map(request).join(''));
    if (flood.waits)
      await Promise.race([
        closed,
        new Promise(
          (resolve) =>
            (answered = () => {
              resolve(undefined);
            }),
        ),
      ]);
    else if (accepted) await sleep(1);
    else await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  if (!socket.destroyed && performance.now() >= end) {
    // What is under way is answered still.
    await Promise.race([closed, sleep(3000)]);
    socket.destroy();
  } else flooded.closed++;
}

async function client(): Promise<void> {
  while (performance.now() < end) await one();
}

await Promise.all(Array.from({ length: flood.connections }, client));
writeFileSync(flood.file, created.join('\n'));
flooded.created = created.length;
console.log(JSON.stringify(flooded));
