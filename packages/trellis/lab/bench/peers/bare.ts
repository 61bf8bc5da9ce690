import { createServer } from 'node:http';
import { AUTHORIZATION, type NewItem, PORT, projectStore } from './peer.ts';

/** What a contract and a log cost: node:http and JSON.parse on this project's store, without router, contract or log. */
const store = await projectStore();
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    if (request.headers.authorization !== AUTHORIZATION) {
      response.writeHead(401).end();
      return;
    }
    const { id, name, tag } = JSON.parse(text) as NewItem;
    store.create('items', { id: BigInt(id), name, ...(tag === undefined ? {} : { tag }) }).then(
      (creation) => {
        const body = JSON.stringify({ name, tag });
        response.writeHead(creation === 'conflict' ? 400 : 200, {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        });
        response.end(body);
      },
      () => response.writeHead(500).end(),
    );
  });
});
server.listen(PORT, '127.0.0.1');
