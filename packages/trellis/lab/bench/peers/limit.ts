import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { DATABASE, type NewItem, PORT } from './peer.ts';

// What durable creates cost at the least: node:http, JSON.parse, and one thread that writes all that waits with one commit.
// It looks at no token, checks nothing, writes no log, and bounds nothing that it keeps.

type Row = readonly [number, string, string | null];

if (isMainThread) serve();
else write();

function serve(): void {
  let waiting: { readonly item: NewItem; readonly response: ServerResponse }[] = [];
  let written: typeof waiting = [];
  const worker = new Worker(new URL(import.meta.url));
  const next = () => {
    if (written.length > 0 || waiting.length === 0) return;
    [written, waiting] = [waiting, []];
    worker.postMessage(written.map(({ item: { id, name, tag = null } }): Row => [id, name, tag]));
  };
  worker.on('message', (created: readonly boolean[]) => {
    for (const [at, { item, response }] of written.entries()) {
      const body = JSON.stringify({ name: item.name, tag: item.tag });
      const head = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      response.writeHead(created[at] === true ? 200 : 400, head).end(body);
    }
    written = [];
    next();
  });
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      waiting.push({ item: JSON.parse(text) as NewItem, response });
      next();
    });
  });
  server.listen(PORT, '127.0.0.1');
}

function write(): void {
  const database = new DatabaseSync(DATABASE);
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')];
  const insert = database.prepare('insert into items (id, name, tag) values (?, ?, ?) on conflict do nothing');
  parentPort?.on('message', (rows: readonly Row[]) => {
    begin.run();
    const created = rows.map((row) => insert.run(...row).changes > 0);
    commit.run();
    parentPort?.postMessage(created);
  });
}
