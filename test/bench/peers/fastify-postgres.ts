import fastify from 'fastify';
import { Pool } from 'pg';
import { AUTHORIZATION, DATABASE_URL, FASTIFY_SCHEMA, type NewItem, PORT } from './peer.ts';

/**
 * The simplest durable service on PostgreSQL: Fastify with its own validation, and one insert for each request, over the
 * 10 connections that the client opens by default.
 */
const pool = new Pool({ connectionString: DATABASE_URL, options: '-c synchronous_commit=on' });
await pool.query('create table if not exists items (id bigint primary key, name text not null, tag text)');

const INSERT = 'insert into items (id, name, tag) values ($1, $2, $3) on conflict do nothing returning id';

const app = fastify();
app.post<{ Body: NewItem }>('/items', { schema: FASTIFY_SCHEMA }, async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION)
    return reply.code(401).send({ error: 40100, message: 'no token' });
  const { id, name, tag } = request.body;
  const { rowCount } = await pool.query({ name: 'insert', text: INSERT, values: [id, name, tag] });
  if (rowCount === 0) return reply.code(400).send({ error: 40011, message: 'the id exists' });
  return { name, tag };
});
await app.listen({ port: PORT, host: '127.0.0.1' });
