import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { AUTHORIZATION, DATABASE, FASTIFY_SCHEMA, type NewItem, PORT } from './peer.ts';

/** The simplest durable service: Fastify with its own validation, and one SQLite commit for each request. */
const database = new DatabaseSync(DATABASE);
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists items (id integer primary key, name text not null, tag text) strict`);
const insert = database.prepare('insert into items (id, name, tag) values (?, ?, ?) on conflict do nothing');

const app = fastify();
app.post<{ Body: NewItem }>('/items', { schema: FASTIFY_SCHEMA }, async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION)
    return reply.code(401).send({ error: 40100, message: 'no token' });
  const { id, name, tag } = request.body;
  if (insert.run(id, name, tag ?? null).changes === 0) {
    return reply.code(400).send({ error: 40011, message: 'the id exists' });
  }
  return { name, tag };
});
await app.listen({ port: PORT, host: '127.0.0.1' });
