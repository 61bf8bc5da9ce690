import fastify from 'fastify';
import postgres from 'postgres';
import type { NewPlant } from './peer.ts';
import { AUTHORIZATION, DATABASE_URL, FASTIFY_SCHEMA, PORT } from './peer.ts';

/**
 * What one would write first for PostgreSQL: Fastify with its own validation, and one insert a request, just as durable,
 * over as many connections as the client opens by itself, which are 10.
 */
const sql = postgres(DATABASE_URL, { connection: { synchronous_commit: 'on' } });
await sql`create table if not exists plants (id bigint primary key, name text not null, tag text)`;

const app = fastify();
app.post<{ Body: NewPlant }>('/plants', { schema: FASTIFY_SCHEMA }, async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION)
    return reply.code(401).send({ error: 40100, message: 'no token' });
  const { id, name, tag } = request.body;
  const created = await sql`insert into plants (id, name, tag) values (${id}, ${name}, ${tag ?? null})
    on conflict do nothing returning id`;
  if (created.length === 0) return reply.code(400).send({ error: 40011, message: 'the id exists' });
  return { name, tag };
});
await app.listen({ port: PORT, host: '127.0.0.1' });
