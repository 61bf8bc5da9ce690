import fastify from 'fastify';
import { AUTHORIZATION, FASTIFY_SCHEMA, type NewItem, PORT, projectStore } from './peer.ts';

/** A server of Fastify, which validates requests itself, on this project's store. */
const store = await projectStore();
const app = fastify();
app.post<{ Body: NewItem }>('/items', { schema: FASTIFY_SCHEMA }, async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION)
    return reply.code(401).send({ error: 40100, message: 'no token' });
  const { id, ...item } = request.body;
  if ((await store.create('items', { id: BigInt(id), ...item })) === 'conflict') {
    return reply.code(400).send({ error: 40011, message: 'the id exists' });
  }
  return item;
});
await app.listen({ port: PORT, host: '127.0.0.1' });
